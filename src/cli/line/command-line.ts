import { parseArgs } from 'node:util';
import type { Diagnostic } from '../../model/diagnostic.js';
import { err, ok, type Result } from '../../model/result.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CommandEntry, OptionEntry } from './command-entry.js';
import { commands, globalOptions } from './commands.js';

/** What a person typed, checked against the table of commands. */
export interface CommandLine {
  readonly command: string;
  readonly entry: CommandEntry;
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export function parseCommandLine(argv: readonly string[]): Result<CommandLine | 'help', Diagnostic[]> {
  const name = commandName(argv);
  if (name === undefined)
    return argv.some((text) => text === '--help' || text === '-h') || argv.length === 0
      ? ok('help')
      : err([noCommand(argv)]);
  if (name === 'help') return ok('help');
  const entry = commands[name];
  if (!entry) return err([unknownCommand(name)]);
  return parseFor(name, entry, argv);
}

const isValueOption = (text: string): boolean => {
  const entry = globalOptions[text.replace(/^--/, '')];
  return entry?.value !== undefined;
};

/** The first word that is neither an option nor the value of a global one. */
function commandName(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index]!;
    if (!text.startsWith('-')) return text;
    if (isValueOption(text)) index += 1;
  }
  return undefined;
}

function parseFor(name: string, entry: CommandEntry, argv: readonly string[]): Result<CommandLine, Diagnostic[]> {
  const known: Record<string, OptionEntry> = { ...globalOptions, ...entry.options };
  const problems: Diagnostic[] = [];
  const positionals: string[] = [];
  const flags = new Set<string>();
  const values = new Map<string, string[]>();
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(known).map(([option, { value, short }]) => [
        option,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: true,
          ...(short ? { short } : {}),
        },
      ]),
    ),
  });
  let listOption: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'option') {
      const option = known[token.name];
      listOption = undefined;
      if (!option) problems.push(unknownOption(token.rawName, name, known));
      else if (option.value === undefined) {
        if (token.value !== undefined) problems.push(usage('AR604', `${token.rawName} takes no value`, token.rawName));
        flags.add(token.name);
      } else if (token.value === undefined)
        problems.push(
          usage('AR603', `${token.rawName} needs a value: ${token.rawName} ${option.value}`, token.rawName),
        );
      else if (option.choices && !option.choices.includes(token.value)) {
        problems.push(
          usage('AR604', `${token.rawName} is one of ${option.choices.join(', ')}, not "${token.value}"`, token.value),
        );
      } else {
        values.set(token.name, [
          ...(values.get(token.name) ?? []),
          ...(option.list ? token.value.split(',') : [token.value]),
        ]);
        if (option.list) listOption = token.name;
        else if (values.get(token.name)!.length > 1 && !option.repeat)
          problems.push(usage('AR604', `${token.rawName} is given twice`, token.rawName));
      }
    } else if (token.kind === 'positional') {
      // `--only train eval`: words that follow a list option belong to it.
      if (listOption) values.get(listOption)!.push(token.value);
      else positionals.push(token.value);
    }
  }
  positionals.shift();
  const given = new Set([...flags, ...values.keys()]);
  for (const [one, other] of exclusive) {
    if (given.has(one) && given.has(other))
      problems.push(usage('AR604', `--${one} and --${other} cannot both be meant`, `--${other}`));
  }
  // The word after an option that is not known was probably its value.
  if (!flags.has('help') && !problems.some(({ code }) => code === 'AR602'))
    problems.push(...countProblems(name, entry, positionals));
  return problems.length > 0 ? err(problems) : ok({ command: name, entry, positionals, flags, values });
}

/** Options of which one would be ignored beside the other. */
const exclusive = [
  ['record', 'replay'],
  ['json', 'graph'],
  ['json', 'reporter'],
  ['json', 'sessions'],
  ['quiet', 'verbose'],
  ['follow', 'attempt'],
  ['follow', 'fix'],
] as const;

function countProblems(name: string, { args }: CommandEntry, positionals: readonly string[]): Diagnostic[] {
  const required = args.filter((arg) => !arg.startsWith('[')).length;
  const most = args.some((arg) => arg.includes('…')) ? Number.POSITIVE_INFINITY : args.length;
  const form = `autoresearch ${[name, ...args].join(' ')}`;
  if (positionals.length < required)
    return [usage('AR603', `${name} needs ${args[positionals.length]}`, name, `Write: ${form}`)];
  const extra = positionals[most];
  return extra === undefined
    ? []
    : [
        usage(
          'AR604',
          `${name} does not take "${extra}"`,
          extra,
          `Write: ${form}${name === 'exec' ? ` --only ${extra}` : ''}`,
        ),
      ];
}

/** What people who know other tools type first. */
const otherWords: Readonly<Record<string, string>> = {
  resume: 'Did you mean "exec"? It goes on with the unfinished run by itself',
  continue: 'Did you mean "exec"? It goes on with the unfinished run by itself',
  start: 'Did you mean "exec"?',
  run: 'Did you mean "exec", or "runs" for the list of runs?',
  stop: 'Did you mean "cancel"?',
  kill: 'Did you mean "cancel"?',
  abort: 'Did you mean "cancel"?',
};

const unknownCommand = (name: string): Diagnostic =>
  usage(
    'AR601',
    `unknown command "${name}"`,
    name,
    (Object.hasOwn(otherWords, name) ? otherWords[name] : undefined) ??
      didYouMean(name, Object.keys(commands)) ??
      'Run autoresearch --help for the list',
  );

const noCommand = (argv: readonly string[]): Diagnostic =>
  usage('AR603', 'no command given', argv[0] ?? '', 'Run autoresearch --help for the list');

function unknownOption(raw: string, command: string, known: Readonly<Record<string, OptionEntry>>): Diagnostic {
  const hint = didYouMean(
    raw,
    Object.keys(known).map((option) => `--${option}`),
  );
  return usage(
    'AR602',
    `${command} has no option ${raw}`,
    raw,
    hint ?? `Run autoresearch ${command} --help for the list`,
  );
}

const usage = (code: Diagnostic['code'], message: string, argument: string, hint?: string): Diagnostic => ({
  code,
  message,
  at: { kind: 'argument', argument },
  ...(hint === undefined ? {} : { hint }),
});
