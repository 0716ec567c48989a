import type { JsonSchema } from 'autoresearch';

const duration = { type: 'string', pattern: '^[0-9]{1,9}(ms|s|m|h|d)$' } as const;

const command = {
  anyOf: [
    { type: 'string', format: 'shell', pattern: '\\S' },
    { type: 'array', minItems: 1, items: { type: 'string' } },
  ],
} as const;

const values = { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } } as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['run'],
  properties: {
    run: {
      ...command,
      description: 'What the job runs. Text goes through `sh -c`; a list is a program and its arguments.',
    },
    capture: {
      type: 'object',
      additionalProperties: false,
      required: ['to'],
      description:
        'Writes down, where the job runs, with which words and variables it was started, for a parity check of what was really used (`format: argv`).',
      properties: {
        to: { type: 'string', minLength: 1, description: 'The file.' },
        env: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
          description: 'Variables that belong to it, by name; others are left out, because they may be secret.',
        },
      },
    },
    health: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      description: 'What a healthy job writes. One that is not healthy is ended.',
      properties: {
        firstStep: { ...duration, description: 'The first step is seen within this time of its start.' },
        stepTime: { ...duration, description: 'Every further step is seen within this time of the one before.' },
        step: {
          type: 'string',
          minLength: 1,
          description: 'A regular expression for a step; `step 12` unless stated.',
        },
        nan: { type: 'boolean', description: '`true`: NaN and infinity are allowed.' },
        metric: {
          description: 'A metric that must be there, with a number: `reward`. Or several.',
          anyOf: [
            { type: 'string', minLength: 1 },
            { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
          ],
        },
      },
    },
    smoke: {
      type: 'object',
      additionalProperties: false,
      required: ['steps'],
      description: 'A small version that goes first; the large one is submitted only when it was healthy.',
      properties: {
        steps: {
          type: 'integer',
          minimum: 1,
          description: 'In its environment as AUTORESEARCH_STEPS, with AUTORESEARCH_SMOKE=1.',
        },
        run: { ...command, description: 'What it runs instead of the large one.' },
      },
    },
    rebuild: {
      ...command,
      description: 'Builds the image or the environment anew, here. For errors that a stale one makes.',
    },
    smaller: { ...values, description: 'Variables of all jobs of the comparison after one of them ran out of memory.' },
    parity: {
      type: 'string',
      minLength: 1,
      description:
        'The parity check whose arms its jobs are. What is changed to mend one of them holds for all stages that name the same; without it, for all tasks of the stage.',
    },
    errors: {
      type: 'array',
      description: 'What is known about errors; looked at before what is built in.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['match', 'diagnose'],
        properties: {
          match: {
            type: 'string',
            minLength: 1,
            description: 'A regular expression, looked for in the end of the log.',
          },
          diagnose: { type: 'string', minLength: 1, description: 'What it means, in words.' },
          fix: {
            type: 'object',
            description: 'What is done before the job is submitted again; without it the job has failed.',
            additionalProperties: false,
            minProperties: 1,
            maxProperties: 1,
            properties: {
              run: { ...command, description: 'A command, run here.' },
              set: { ...values, description: 'Variables of all jobs of the comparison from here on.' },
              wait: { ...duration, description: 'A pause before the next job.' },
              agent: { type: 'boolean', const: true, description: 'The agent of the stage mends the cause.' },
            },
          },
        },
      },
    },
    tries: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      description: 'Tries for each kind of error, the first one included; 3 unless stated.',
    },
  },
} as const satisfies JsonSchema;
