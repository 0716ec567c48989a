import type { OptionsOf } from 'autoresearch';

const text = { type: 'string', pattern: '\\S' } as const;
const path = { type: 'string', minLength: 1 } as const;

const command = {
  run: { ...text, format: 'shell', description: 'The command.' },
  exit: { type: 'integer', minimum: 0, maximum: 255, description: 'The exit code that is expected; 0 unless stated.' },
  prints: { ...text, description: 'A regular expression that has to be found in what it prints.' },
} as const;

const truth = {
  anyOf: [
    text,
    {
      type: 'object',
      additionalProperties: false,
      required: ['truth', 'run'],
      properties: { truth: { ...text, description: 'What has to be true.' }, ...command },
    },
  ],
} as const;

const artifact = {
  anyOf: [
    path,
    {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: {
        path: { ...path, description: 'A file, a folder or a glob.' },
        provides: { ...text, description: 'What it is there for; shown in the table.' },
        contains: {
          description: 'Texts that have to stand in it, letter by letter.',
          anyOf: [text, { type: 'array', minItems: 1, items: text }],
        },
        exports: { type: 'array', minItems: 1, items: text, description: 'Names that it has to define or export.' },
        min_lines: {
          type: 'integer',
          minimum: 1,
          description: 'How many lines with something in them it has to have.',
        },
        min_bytes: { type: 'integer', minimum: 1, description: 'How large it has to be.' },
      },
    },
  ],
} as const;

const link = {
  type: 'object',
  additionalProperties: false,
  required: ['from', 'to'],
  properties: {
    from: { ...path, description: 'The file that refers to the other.' },
    to: { ...path, description: 'The file, or the name, that is referred to.' },
    via: { ...text, description: 'How; shown in the table.' },
    pattern: {
      ...text,
      description: 'A regular expression that has to be found in `from`; else the name of `to` has to.',
    },
  },
} as const;

const commit = {
  type: 'object',
  additionalProperties: false,
  required: ['subject'],
  properties: {
    subject: { ...text, description: 'A text that has to stand in the first line of the message.' },
    since: { type: 'string', pattern: '^[^-\\s]\\S*$', description: 'Only commits after this one count.' },
    at_least: { type: 'integer', minimum: 1, description: 'How many there have to be; one unless stated.' },
  },
} as const;

export const options = {
  type: 'object',
  additionalProperties: false,
  properties: {
    must_haves: {
      type: 'object',
      additionalProperties: false,
      description: 'What has to be true in the end.',
      properties: {
        truths: { type: 'array', items: truth, description: "Statements; one without `run` is for the stage's agent." },
        artifacts: { type: 'array', items: artifact, description: 'Files that have to be there, with substance.' },
        key_links: { type: 'array', items: link, description: 'Files that have to refer to each other.' },
        commands: {
          type: 'array',
          items: { type: 'object', additionalProperties: false, required: ['run'], properties: command },
          description: 'Commands that have to answer as expected.',
        },
        commits: { type: 'array', items: commit, description: 'Commits that have to be there.' },
      },
    },
    from: {
      type: 'array',
      minItems: 1,
      items: path,
      description: 'Task files (PLAN.md, tasks.yaml), also by globs, whose must_haves count as well.',
    },
    to: {
      ...path,
      description: 'The file to write; VERIFICATION.md unless stated. It has to be an output of the stage.',
    },
    claims: {
      type: 'array',
      items: path,
      description:
        'Globs of files that only tell what somebody did: no evidence. Summaries and execution.md unless stated.',
    },
    closure: {
      type: 'integer',
      minimum: 0,
      maximum: 2,
      description: 'How often whoever `retry.fix` names may close gaps; twice unless stated.',
    },
    exhausted: {
      type: 'string',
      enum: ['fail', 'carry'],
      description: 'When gaps are left: the stage fails (unless stated), or it passes and carries them forward.',
    },
  },
} as const;

export type VerifyOptions = OptionsOf<typeof options>;
export type CommandWish = { readonly run: string; readonly exit?: number; readonly prints?: string };
export type CommitWish = OptionsOf<typeof commit>;
export type LinkWish = OptionsOf<typeof link>;
