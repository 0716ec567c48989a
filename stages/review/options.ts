import type { OptionsOf } from 'autoresearch';

const path = { type: 'string', minLength: 1 } as const;
const paths = { type: 'array', minItems: 1, items: path } as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['goal', 'plan', 'summary'],
  properties: {
    goal: { ...path, description: 'The file that says what the study is for.' },
    plan: { ...paths, description: 'Files and globs that say what was to be done.' },
    summary: { ...paths, description: 'Files and globs in which the authors say what they did.' },
    criteria: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: '\\S' },
      description: 'What the reviewer is to look at besides plan fidelity, validation and correctness.',
    },
    validate: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', format: 'shell', pattern: '\\S' },
      description: 'Commands that have to pass, before the first review and after each round of mending.',
    },
    rounds: {
      type: 'integer',
      minimum: 0,
      maximum: 2,
      description: 'How often whoever `retry.fix` names may mend what is CRITICAL; twice unless stated.',
    },
    exhausted: {
      type: 'string',
      enum: ['fail', 'carry'],
      description: 'When it is still CRITICAL: the stage fails (unless stated), or it passes and carries that forward.',
    },
    of: { ...paths, description: 'The stages whose work is reviewed; those that the stage needs unless stated.' },
    to: { ...path, description: 'The file to write; REVIEW.md unless stated. It has to be an output of the stage.' },
  },
} as const;

export type ReviewOptions = OptionsOf<typeof options>;
