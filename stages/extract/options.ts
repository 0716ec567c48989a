import type { OptionsOf } from 'autoresearch';

const text = { type: 'string', minLength: 1 } as const;
const scalar = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } as const;
const scalars = { type: 'object', minProperties: 1, additionalProperties: scalar } as const;

/** Where records are read from. */
const source = {
  from: { ...text, description: 'The file. `{name}` stands for a value of `each`.' },
  run: {
    type: 'string',
    format: 'shell',
    pattern: '\\S',
    description: 'A command whose output is read instead of a file.',
  },
  format: {
    type: 'string',
    enum: ['jsonl', 'csv', 'tsv', 'json', 'yaml', 'text'],
    description: 'What it is, where its ending does not say so.',
  },
  at: { ...text, description: 'JSON, YAML: the dotted path of the list of records, such as `log_history`.' },
  pattern: {
    ...text,
    description: 'Text: a regular expression with named groups; each place that it fits is a record.',
  },
  where: { ...scalars, description: 'Only records with these values, such as `split: eval`.' },
  sparse: {
    type: 'boolean',
    description:
      'Records may be without the value, as in a log that tells of training and evaluation in turn. Otherwise one that lacks it, or has an empty cell, is a failure: a NaN may have stood there.',
  },
  step: {
    ...text,
    description:
      'The field that counts the steps; records are put into its order, and the last word about a step holds.',
  },
} as const;

const metric = {
  type: 'object',
  additionalProperties: false,
  required: ['value'],
  properties: {
    ...source,
    value: { ...text, description: 'The field, the column, the dotted path or the group that holds the number.' },
    pick: {
      type: 'string',
      enum: ['only', 'first', 'last', 'best', 'min', 'max', 'mean', 'sum', 'count'],
      description: 'Which of its values; unless stated the only one of JSON and YAML, and the last one of a log.',
    },
    better: { type: 'string', enum: ['lower', 'higher'], description: '`pick: best`: which one is better.' },
    window: { type: 'integer', minimum: 1, description: 'Only the last so many values.' },
  },
} as const;

const health = {
  type: 'object',
  additionalProperties: false,
  description: 'Whether a log, which may still grow, looks as it should. Published as tests.',
  properties: {
    ...source,
    minSteps: { type: 'integer', minimum: 1, description: 'How many steps must have been reached; 1 unless stated.' },
    stepTime: { ...text, description: 'The field with the time of a step; it must be there and be positive.' },
    maxStepTime: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'The longest that a step may take, in the unit of the field.',
    },
    loss: { ...text, description: 'The field with the loss; every value must be finite.' },
    falling: {
      type: 'boolean',
      description:
        'Whether the loss must fall: the mean of its last third below that of the first. True unless stated.',
    },
    reward: { ...text, description: 'The field with the reward; it must be there and be finite.' },
  },
} as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  properties: {
    metrics: {
      type: 'object',
      minProperties: 1,
      additionalProperties: metric,
      description: 'Name → where its number is.',
    },
    health: { type: 'array', minItems: 1, items: health, description: 'Logs that must look healthy.' },
    each: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { type: 'array', minItems: 1, items: scalar },
      description: 'Name → values: the numbers are read once for each combination, such as each arm and seed.',
    },
    must: {
      ...scalars,
      description:
        'Field → the value that every file must have, such as `seed: "{seed}"`: one of another run is refused.',
    },
    missing: {
      type: 'string',
      enum: ['fail', 'record'],
      description: 'A run without its file: a failure unless stated, or recorded as missing data, never as a number.',
    },
    copies: {
      type: 'string',
      enum: ['fail', 'allow'],
      description: 'Two runs with the same file, or with the same numbers one by one: a failure unless stated.',
    },
    to: {
      ...text,
      description: 'The results: YAML, or JSON when it ends so. Needed unless there is nothing but `health`.',
    },
  },
} as const;

export type ExtractOptions = OptionsOf<typeof options>;
export type Metric = NonNullable<ExtractOptions['metrics']>[string];
export type Health = NonNullable<ExtractOptions['health']>[number];
export type Source = Pick<Metric, 'from' | 'run' | 'format' | 'at' | 'pattern' | 'where' | 'step' | 'sparse'>;
export type Scalar = string | number | boolean;
export type Format = NonNullable<Source['format']>;
