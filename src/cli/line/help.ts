import type { CommandEntry, OptionEntry } from './command-entry.js';
import { commands, globalOptions } from './commands.js';

const exits = [
  ['0', 'passed'],
  ['1', 'a task failed'],
  ['2', 'wrong config or command line; nothing was run'],
  ['3', 'a person is asked; the run is saved'],
  ['4', 'protected files or the scope were violated, or journal or ledger tampered with'],
  ['5', 'the budget is spent'],
  ['6', 'another live run holds the lock'],
  ['70', 'a bug of ours, or code of a config that ended the run from inside'],
  ['130', 'interrupted (SIGINT, Ctrl-C); exec goes on from there'],
  ['143', 'terminated (SIGTERM, or SIGHUP from a closed terminal); exec goes on from there'],
] as const;

export function helpText(name?: string): string {
  const entry = name === undefined ? undefined : commands[name];
  return name !== undefined && entry ? commandHelp(name, entry) : overview();
}

function overview(): string {
  return [
    'autoresearch: research as code.\n',
    'Usage: autoresearch COMMAND [options]\n',
    'Commands:',
    ...table(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    '\nFor every command:',
    ...table(Object.entries(globalOptions).map(optionRow)),
    '\nExit codes:',
    ...table(exits),
    '\nStart with: autoresearch init\n',
  ].join('\n');
}

function commandHelp(name: string, { summary, args, options }: CommandEntry): string {
  const rows = Object.entries(options).map(optionRow);
  return [
    `autoresearch ${name}: ${summary}.\n`,
    `Usage: autoresearch ${[name, ...args].join(' ')}${rows.length > 0 ? ' [options]' : ''}\n`,
    ...(rows.length > 0 ? ['Options:', ...table(rows), ''] : []),
    'For every command:',
    ...table(Object.entries(globalOptions).map(optionRow)),
    '',
  ].join('\n');
}

const optionRow = ([name, { short, value, summary, choices }]: [string, OptionEntry]): readonly [string, string] => [
  `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${choices ? choices.join('|') : value}`}`,
  summary,
];

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
