import type { CommandEntry, OptionEntry } from './command-entry.js';

const run: OptionEntry = { value: 'ID', summary: 'this run instead of the newest' };

/** For looking at runs, and for showing them to others. */
export const seeingCommands = {
  report: {
    summary:
      'make one page of a run that any browser shows (report.html), and its record (execution.md, execution.json)',
    args: [],
    options: {
      run,
      open: { summary: 'show the page in the browser' },
      template: { summary: 'print the built-in template of execution.md, to begin one of your own' },
      text: { summary: 'print what the run gives back, as text, and write nothing' },
      json: { summary: 'print the record as one JSON object, and write nothing' },
    },
    load: () => import('../commands/report.js'),
  },
  ui: {
    summary: 'show all runs in the browser while they happen, and answer gates there; only this machine can reach it',
    args: [],
    options: {
      port: { value: 'N', summary: 'listen there (any free port unless stated)' },
      'read-only': { summary: 'only show: nothing can be answered' },
      open: { summary: 'show it in the browser' },
    },
    load: () => import('../commands/ui.js'),
  },
  export: {
    summary: 'pack a run for archives and journals: what it read and made, and how, as a Workflow Run RO-Crate',
    args: [],
    options: {
      format: { value: 'FORM', choices: ['ro-crate'], summary: 'ro-crate, the only one and what is meant without it' },
      run,
      out: { value: 'DIR', summary: 'the folder to make (ro-crate-RUN unless stated)' },
      license: { value: 'URL', summary: 'the address of the licence (the file LICENSE of the project unless stated)' },
    },
    load: () => import('../commands/export.js'),
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;
