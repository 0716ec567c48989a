import type { CommandEntry, OptionEntry } from './command-entry.js';
import { seeingCommands } from './seeing-commands.js';

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
const autonomous: OptionEntry = { summary: 'ask nobody: what the config says under autonomous stands in for people' };
const run: OptionEntry = { value: 'ID', summary: 'this run instead of the newest' };
const selection = {
  from: { value: 'STAGE…', list: true, summary: 'run these stages and all that depends on them anew' },
  only: { value: 'STAGE…', list: true, summary: 'run no other stages' },
  force: { value: 'STAGE…', list: true, summary: 'run these stages although nothing changed' },
} as const satisfies Record<string, OptionEntry>;

export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary:
      'write a study, or what is missing around one: lines for git and agents, a check for CI; overwrites nothing',
    args: ['[DIR]'],
    options: {
      preset: { value: 'NAME', summary: 'start from this preset; --set gives its parameters values' },
      yaml: { summary: 'write the config as YAML instead of TypeScript' },
    },
    load: () => import('../commands/init.js'),
  },
  plan: {
    summary: 'show what would happen and why; changes nothing',
    args: ['[STAGE…]'],
    options: {
      json,
      graph: { value: 'FORM', choices: ['mermaid', 'dot', 'svg'], summary: 'print the graph as mermaid, dot or svg' },
      out: { value: 'FILE', summary: 'write to a file; a saved plan is for exec --plan' },
      autonomous,
    },
    load: () => import('../commands/plan.js'),
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
      detach: { summary: 'go as soon as only jobs on clusters are waited for (exit code 3); exec takes them up again' },
      stash: {
        summary: 'put changes of the checkout that are in no commit aside (git stash) before worktrees are made',
      },
      autonomous,
      record: { summary: 'keep what agents answer and change in the folder of cassettes' },
      replay: { summary: 'let recordings answer instead of agents: no model, no key, no cost' },
      json: { summary: 'print one journal event a line' },
      reporter: { value: 'NAME', choices: ['tree', 'plain', 'json', 'silent'], summary: 'how to show the run' },
    },
    load: () => import('../commands/exec.js'),
  },
  status: {
    summary: 'show how a run stands',
    args: [],
    options: { run, json },
    load: () => import('../commands/status.js'),
  },
  verify: {
    summary: 'check a finished run again: journal, plan, files, protected files, ledger, logs; changes nothing',
    args: [],
    options: { run, json },
    load: () => import('../commands/verify.js'),
  },
  runs: {
    summary: 'list the runs',
    args: [],
    options: { json: { summary: 'print one JSON array' } },
    load: () => import('../commands/runs.js'),
  },
  gates: {
    summary: 'list the gates that wait for a person, in all runs, and how to answer them',
    args: [],
    options: { json },
    load: () => import('../commands/gates.js'),
  },
  approve: {
    summary: 'let the work of a stage pass its gate',
    args: ['STAGE'],
    options: { run, note: { value: 'TEXT', summary: 'what to remember about it' } },
    load: () => import('../commands/approve.js'),
  },
  revise: {
    summary: 'send the work of a stage back, with what has to change',
    args: ['STAGE'],
    options: { run, feedback: { value: 'TEXT', summary: 'what has to change' } },
    load: () => import('../commands/revise.js'),
  },
  reject: {
    summary: 'reject the work of a stage at its gate',
    args: ['STAGE'],
    options: { run, reason: { value: 'TEXT', summary: 'why' } },
    load: () => import('../commands/reject.js'),
  },
  logs: {
    summary: 'print the output of a task, or of all',
    args: ['[TASK]'],
    options: {
      run,
      follow: { short: 'f', summary: 'go on while the run goes on' },
      attempt: { value: 'N', summary: 'this attempt instead of the newest' },
      fix: {
        value: 'NAME',
        summary:
          'a call of an agent, or what mended between two attempts: author-1, fix, fixer-1, planner-1, judge-1, check-1',
      },
    },
    load: () => import('../commands/logs.js'),
  },
  cancel: {
    summary: 'stop the run that goes on here, from another terminal or host',
    args: [],
    options: {
      now: { summary: 'end what runs at once instead of asking it to end' },
      'keep-jobs': { summary: 'let jobs on clusters go on; exec takes them up again' },
    },
    load: () => import('../commands/cancel.js'),
  },
  unlock: {
    summary: 'remove the lock that a dead run left behind',
    args: [],
    options: { force: { summary: 'remove it although its holder seems to live; a live run then stops' } },
    load: () => import('../commands/unlock.js'),
  },
  cost: {
    summary: 'show what agents have cost, by stage, role, model and day, and what is left of each ceiling',
    args: [],
    options: { run: { value: 'ID', summary: 'only what this run has cost' }, json },
    load: () => import('../commands/cost.js'),
  },
  ...seeingCommands,
  render: {
    summary: 'print what the agent of a stage would be sent, without sending it',
    args: ['STAGE'],
    options: {},
    load: () => import('../commands/render.js'),
  },
  sync: {
    summary: 'make the copies of stages with a mirror like their sources',
    args: ['[STAGE…]'],
    options: {},
    load: () => import('../commands/sync.js'),
  },
  why: {
    summary: 'say why a task would run or not',
    args: ['TASK'],
    options: {},
    load: () => import('../commands/why.js'),
  },
  clean: {
    summary:
      'remove old runs and what crashes left behind; never the last good run, results in use, or work that is nowhere else',
    args: [],
    options: {
      keep: { value: 'N', summary: 'keep the newest N (10 unless --older is given)' },
      older: { value: 'DURATION', summary: 'only what ended longer ago than this, such as 30d' },
      'dry-run': { summary: 'say what would go; changes nothing' },
      json,
      sessions: { summary: 'end the terminal programs that agents keep open, instead of removing runs' },
    },
    load: () => import('../commands/clean.js'),
  },
  doctor: {
    summary: 'say what works here and what does not, each with its fix; changes nothing',
    args: [],
    options: { json },
    load: () => import('../commands/doctor.js'),
  },
  config: {
    summary: 'print the config as it is after extends and --set',
    args: [],
    options: {
      resolved: { summary: 'all layers merged (the default)' },
      origin: { summary: 'say for each value where it comes from' },
      json,
    },
    load: () => import('../commands/config.js'),
  },
  explain: {
    summary: 'explain a diagnostic, such as AR201, or list them all',
    args: ['[CODE]'],
    options: {},
    load: () => import('../commands/explain.js'),
  },
  presets: {
    summary: 'list the built-in presets, show one with its parameters, or check one before sharing it',
    args: ['[list|show|check]', '[NAME|FILE]'],
    options: {},
    load: () => import('../commands/presets.js'),
  },
  stages: {
    summary: 'list the built-in behaviours, or show one with its options and an example',
    args: ['[list|show]', '[NAME]'],
    options: { json: { summary: 'print the list as JSON, or the options of one as JSON Schema' } },
    load: () => import('../commands/stages.js'),
  },
  completion: {
    summary: 'print the completions for a shell: bash, zsh or fish',
    args: ['[bash|zsh|fish]', '[WORD…]'],
    options: {
      offer: { summary: 'print what fits as the last WORD of a command line; the scripts ask this (WORDs after --)' },
    },
    load: () => import('../commands/completion.js'),
  },
  schema: {
    summary: 'print a JSON Schema for editors',
    args: ['[NAME]'],
    options: {},
    load: () => import('../commands/schema.js'),
  },
};
