import type { OptionsOf, TaskItem } from 'autoresearch';

const command = { type: 'string', format: 'shell', pattern: '\\S' } as const;
const path = { type: 'string', minLength: 1 } as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  required: ['from'],
  properties: {
    from: {
      description: 'The task files: a `tasks.yaml`, or a path or glob of `*-PLAN.md`. A stage before may make them.',
      anyOf: [path, { type: 'array', minItems: 1, items: path }],
    },
    done: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: 'Ids of tasks that are done elsewhere and may be depended on, such as those of an earlier phase.',
    },
    instructions: { type: 'string', minLength: 1, description: 'What every one of the tasks is told besides.' },
    verify: {
      description: 'Commands that must pass after each task, and once more when all of them are together.',
      anyOf: [command, { type: 'array', minItems: 1, items: command }],
    },
    helpers: {
      type: 'integer',
      minimum: 0,
      maximum: 16,
      description: 'How many helper agents each task may start; none unless stated.',
    },
  },
} as const;

export type TasksOptions = OptionsOf<typeof options>;

export const verifyOf = ({ verify }: TasksOptions): readonly string[] =>
  verify === undefined ? [] : typeof verify === 'string' ? [verify] : verify;

export const sourcesOf = ({ from }: TasksOptions): readonly string[] => (typeof from === 'string' ? [from] : from);

/** All commands that have to pass for one task, each once. */
export const checksOf = (given: TasksOptions, { verify, steps }: TaskItem): readonly string[] => [
  ...new Set([...steps.flatMap((step) => step.verify), ...verify, ...verifyOf(given)]),
];
