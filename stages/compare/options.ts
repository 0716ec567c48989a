import { type OptionsOf, valueSourceSchema } from 'autoresearch';

const text = { type: 'string', minLength: 1 } as const;

const reproduce = {
  type: 'object',
  additionalProperties: false,
  required: ['reported', 'otherwise'],
  description: 'Whether the baseline gives the numbers that were reported of it.',
  properties: {
    reported: {
      description: 'The reported number, or where it stands in a JSON or YAML file.',
      anyOf: [
        { type: 'number' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['from', 'at'],
          properties: {
            from: { ...text, description: 'The file.' },
            at: { ...text, description: 'The dotted path of the number.' },
          },
        },
      ],
    },
    tolerance: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'How far off the mean may be, as a share; 0.05 unless stated.',
    },
    otherwise: {
      type: 'string',
      enum: ['flag', 'debug', 'replace', 'ask'],
      description:
        'What follows when it does not: go on and say so, fail so that it is mended, take another baseline, or let a person decide.',
    },
    replacement: { ...text, description: '`replace`: the arm that takes its place.' },
  },
} as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['results', 'metric', 'better', 'baseline', 'to'],
  properties: {
    results: {
      ...text,
      description:
        'The table of runs that `extract` made, YAML or JSON: an output of a task, or a file from elsewhere that the stage names under `inputs`.',
    },
    metric: { ...text, description: 'The number that is compared.' },
    better: { type: 'string', enum: ['lower', 'higher'], description: 'Which one is better.' },
    baseline: { ...text, description: 'The arm that the others are compared with.' },
    variants: { type: 'array', minItems: 1, items: text, description: 'The other arms; all of them unless stated.' },
    arm: { ...text, description: 'The field that says which arm a run is of; `arm` unless stated.' },
    seed: { ...text, description: 'The field that says which seed it had; `seed` unless stated.' },
    paired: { type: 'boolean', description: 'Runs of the same seed are compared with each other; true unless stated.' },
    minEffect: {
      description: 'The least improvement that counts: a number, or `5%` of the mean of the baseline. 0 unless stated.',
      anyOf: [
        { type: 'number', minimum: 0 },
        { type: 'string', pattern: '^\\d+(\\.\\d+)? ?%$' },
      ],
    },
    confidence: { type: 'number', minimum: 0.5, maximum: 0.9999, description: 'Of the interval; 0.95 unless stated.' },
    minSeeds: { type: 'integer', minimum: 2, description: 'Fewer decide nothing; 5 unless stated.' },
    maxMissing: { type: 'integer', minimum: 0, description: 'How many runs may be missing; none unless stated.' },
    correction: {
      type: 'string',
      enum: ['holm', 'bonferroni', 'none'],
      description: 'For several variants: with many tries one wins by chance. `holm` unless stated.',
    },
    samples: {
      type: 'integer',
      minimum: 1000,
      maximum: 1_000_000,
      description: 'Draws of the bootstrap; 10000 unless stated.',
    },
    reproduce,
    configs: {
      type: 'object',
      minProperties: 2,
      additionalProperties: valueSourceSchema,
      description: 'Arm → its config: a variant that differs from the baseline in the seed alone is no change.',
    },
    seedNames: {
      type: 'array',
      minItems: 1,
      items: text,
      description: 'What the seed is called there; any name with `seed` in it unless stated.',
    },
    labels: {
      type: 'array',
      minItems: 1,
      items: text,
      description:
        'What only says where a run is put and what it is called, and is no change either; names such as `out_dir` and `run_name` unless stated.',
    },
    require: {
      type: 'string',
      enum: ['supported'],
      description: 'Fail unless every variant is supported; otherwise the verdict is a result like any other.',
    },
    to: { ...text, description: 'The comparison, as JSON.' },
    report: { ...text, description: 'The same as Markdown, to be read.' },
  },
} as const;

export type CompareOptions = OptionsOf<typeof options>;
