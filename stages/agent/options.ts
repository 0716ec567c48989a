import type { OptionsOf } from 'autoresearch';

const path = { type: 'string', minLength: 1 } as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  properties: {
    kind: {
      type: 'string',
      enum: ['implement', 'debug', 'train', 'extract', 'analyze', 'review'],
      description: 'What sort of work it is; `implement` unless stated. It decides about the prompt and the checks.',
    },
    instructions: { type: 'string', minLength: 1, description: 'What is to be done, in your words.' },
    template: { ...path, description: 'A Handlebars file that replaces our prompt.' },
    data: { type: 'object', additionalProperties: true, description: 'Names for the template, with their values.' },
    verify: {
      description: 'Commands that must pass afterwards. The runner runs them, not the agent.',
      anyOf: [
        { type: 'string', format: 'shell', pattern: '\\S' },
        { type: 'array', minItems: 1, items: { type: 'string', format: 'shell', pattern: '\\S' } },
      ],
    },
    helpers: {
      type: 'integer',
      minimum: 0,
      maximum: 16,
      description: 'How many helper agents it may start; none unless stated.',
    },
    to: { ...path, description: '`analyze` and `review`: the file that the runner writes the answer to.' },
    of: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: '`review`: the stages whose work is reviewed; those that the stage needs unless stated.',
    },
    criteria: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: '`review`: what is asked of the work.',
    },
  },
} as const;

export type AgentOptions = OptionsOf<typeof options>;
