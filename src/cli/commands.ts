import type { CliContext } from './context.js';

/** The command line as data: parsing, `--help` and docs/cli.md all come from here. */
export interface CommandEntry {
  readonly summary: string;
  /** Positional arguments: `TASK`, `[TASK]`, `[STAGE…]`. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionEntry>>;
  /** Loaded only when the command is used. */
  load(): Promise<{ run(context: CliContext): Promise<number> }>;
}

export interface OptionEntry {
  readonly summary: string;
  /** What the value stands for; an option without one is a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** Several values, by commas, repetition or as the words that follow. */
  readonly list?: boolean;
  /** May be given more than once. */
  readonly repeat?: boolean;
}

export const globalOptions: Readonly<Record<string, OptionEntry>> = {
  config: { value: 'FILE', summary: 'use this config instead of searching for one' },
  cwd: { value: 'DIR', summary: 'work as if started in this folder' },
  'agent-id': { value: 'ID', summary: 'keep state apart under this name ("default" unless stated)' },
  set: { value: 'KEY=VALUE', repeat: true, summary: 'override a variable of the config' },
  'no-color': { summary: 'no colours' },
  quiet: { summary: 'only what went wrong' },
  verbose: { summary: 'every task, every reason' },
  version: { short: 'V', summary: 'print the version' },
  help: { short: 'h', summary: 'print help' },
};

const json: OptionEntry = { summary: 'print one JSON object' };
const run: OptionEntry = { value: 'ID', summary: 'this run instead of the newest' };
const selection = {
  from: { value: 'STAGE…', list: true, summary: 'run these stages and all that depends on them anew' },
  only: { value: 'STAGE…', list: true, summary: 'run no other stages' },
  force: { value: 'STAGE…', list: true, summary: 'run these stages although nothing changed' },
} as const satisfies Record<string, OptionEntry>;

export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: 'write a working project: config, scripts, .gitignore',
    args: ['[DIR]'],
    options: { preset: { value: 'NAME', summary: 'start from this preset' } },
    load: () => import('./init.js'),
  },
  plan: {
    summary: 'show what would happen and why; changes nothing',
    args: ['[STAGE…]'],
    options: {
      json,
      graph: { value: 'FORM', choices: ['mermaid', 'dot', 'svg'], summary: 'print the graph as mermaid, dot or svg' },
      out: { value: 'FILE', summary: 'write to a file; a saved plan is for exec --plan' },
    },
    load: () => import('./plan.js'),
  },
  exec: {
    summary: 'run the study, or go on with the unfinished run',
    args: [],
    options: {
      'dry-run': { summary: 'list what would run; changes nothing' },
      plan: { value: 'FILE', summary: 'refuse to run when the config no longer gives this saved plan' },
      new: { summary: 'start another run instead of going on' },
      ...selection,
      jobs: { value: 'N', summary: 'at most N tasks at once (number of processors unless stated)' },
      json: { summary: 'print one journal event a line' },
      reporter: { value: 'NAME', choices: ['tree', 'plain', 'json', 'silent'], summary: 'how to show the run' },
    },
    load: () => import('./exec.js'),
  },
  status: { summary: 'show how a run stands', args: [], options: { run, json }, load: () => import('./status.js') },
  runs: {
    summary: 'list the runs',
    args: [],
    options: { json: { summary: 'print one JSON array' } },
    load: () => import('./runs.js'),
  },
  logs: {
    summary: 'print the output of a task, or of all',
    args: ['[TASK]'],
    options: { run, follow: { short: 'f', summary: 'go on while the run goes on' } },
    load: () => import('./logs.js'),
  },
  why: { summary: 'say why a task would run or not', args: ['TASK'], options: {}, load: () => import('./why.js') },
  config: {
    summary: 'print the config as it is after extends and --set',
    args: [],
    options: {
      resolved: { summary: 'all layers merged (the default)' },
      origin: { summary: 'say for each value where it comes from' },
      json,
    },
    load: () => import('./config.js'),
  },
  explain: {
    summary: 'explain a diagnostic, such as AR201',
    args: ['CODE'],
    options: {},
    load: () => import('./explain.js'),
  },
  presets: {
    summary: 'list the built-in presets, or show one',
    args: ['[list|show]', '[NAME]'],
    options: {},
    load: () => import('./presets.js'),
  },
  stages: {
    summary: 'list the built-in behaviours, or show one',
    args: ['[list|show]', '[NAME]'],
    options: {},
    load: () => import('./stages.js'),
  },
  schema: {
    summary: 'print a JSON Schema for editors',
    args: ['[NAME]'],
    options: {},
    load: () => import('./schema.js'),
  },
};
