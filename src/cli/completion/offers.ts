import type { CommandEntry, OptionEntry } from '../line/command-entry.js';
import { commands, globalOptions } from '../line/commands.js';
import type { NameKind } from './name-kind.js';
import { kindOfArgument, kindOfOption } from './name-kind.js';

/** What could stand in a place of the command line. */
export interface Offer {
  readonly value: string;
  readonly about?: string;
}

export interface Offers {
  readonly offers: readonly Offer[];
  /** Paths of this kind fit too; the shell knows them best. */
  readonly paths?: 'files' | 'folders';
}

/** Looked up only when they are offered. */
export type NamesOf = (kind: NameKind) => Promise<readonly Offer[]>;

/** What fits as the last of these words. All of it follows from the table of commands, so that nothing can be forgotten. */
export async function offersFor(words: readonly string[], namesOf: NamesOf): Promise<Offers> {
  const current = words.at(-1) ?? '';
  const seen = walk(words.slice(0, -1));
  const inline = /^--([\w-]+)=(.*)$/s.exec(current);
  if (inline) {
    const option = seen.known[inline[1]!];
    const { offers } = option ? await valuesOf(inline[1]!, option, namesOf) : none;
    return { offers: offers.map(({ value, ...rest }) => ({ value: `--${inline[1]}=${value}`, ...rest })) };
  }
  if (seen.pending !== undefined) return valuesOf(seen.pending, seen.known[seen.pending]!, namesOf, current);
  if (current.startsWith('-')) return { offers: optionsOf(seen) };
  if (seen.list !== undefined) return valuesOf(seen.list, seen.known[seen.list]!, namesOf, current);
  if (!seen.entry) return seen.command === undefined ? { offers: commandOffers() } : none;
  const fits = await argumentsOf(seen, seen.entry, namesOf);
  return fits ?? { offers: optionsOf(seen) };
}

const none: Offers = { offers: [] };

interface Seen {
  readonly command: string | undefined;
  readonly entry: CommandEntry | undefined;
  readonly known: Readonly<Record<string, OptionEntry>>;
  readonly used: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** The option whose value comes next. */
  readonly pending: string | undefined;
  /** The option that takes one more of several values, if the next word is no option. */
  readonly list: string | undefined;
}

function walk(words: readonly string[]): Seen {
  let command: string | undefined;
  let pending: string | undefined;
  let list: string | undefined;
  const used = new Set<string>();
  const positionals: string[] = [];
  const known = (): Readonly<Record<string, OptionEntry>> => ({
    ...globalOptions,
    ...(command === undefined ? {} : commands[command]?.options),
  });
  for (const word of words) {
    if (pending !== undefined) {
      list = known()[pending]?.list ? pending : undefined;
      pending = undefined;
    } else if (word.startsWith('-')) {
      const name = nameOf(word, known());
      used.add(name);
      list = undefined;
      pending = known()[name]?.value !== undefined && !word.includes('=') ? name : undefined;
    } else if (command === undefined) command = word;
    else if (list === undefined) positionals.push(word);
  }
  const entry = command !== undefined && Object.hasOwn(commands, command) ? commands[command] : undefined;
  return { command, entry, known: known(), used, positionals, pending, list };
}

/** `-f` is `--follow`. */
function nameOf(word: string, known: Readonly<Record<string, OptionEntry>>): string {
  const name = word.replace(/^--?/, '').replace(/=.*$/s, '');
  if (word.startsWith('--')) return name;
  return Object.entries(known).find(([, { short }]) => short === name)?.[0] ?? name;
}

const commandOffers = (): readonly Offer[] =>
  Object.entries(commands).map(([value, { summary }]) => ({ value, about: summary }));

const optionsOf = ({ known, used }: Seen): readonly Offer[] =>
  Object.entries(known)
    .filter(([name, { repeat, list }]) => !used.has(name) || repeat || list)
    .map(([name, { summary }]) => ({ value: `--${name}`, about: summary }));

async function valuesOf(name: string, option: OptionEntry, namesOf: NamesOf, current = ''): Promise<Offers> {
  if (option.choices) return { offers: option.choices.map((value) => ({ value })) };
  if (option.value === 'FILE' || option.value === 'DIR')
    return { offers: [], paths: option.value === 'FILE' ? 'files' : 'folders' };
  const kind = kindOfOption(name, option);
  if (kind === undefined) return none;
  // Several values may stand in one word, by commas.
  const before = option.list ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  const taken = new Set(before.split(','));
  const offers = (await namesOf(kind)).filter(({ value }) => !taken.has(value));
  return { offers: before === '' ? offers : offers.map(({ value, ...rest }) => ({ value: before + value, ...rest })) };
}

/** Undefined where the command takes no more arguments. */
async function argumentsOf(
  { command, positionals }: Seen,
  { args }: CommandEntry,
  namesOf: NamesOf,
): Promise<Offers | undefined> {
  const many = args.findIndex((arg) => arg.includes('…'));
  const arg = args[positionals.length] ?? (many === -1 ? undefined : args[many]);
  if (arg === undefined) return undefined;
  const words = arg.replace(/^\[|…?\]$|…$/g, '').split('|');
  const [verb] = positionals;
  // `presets list` takes nothing more, `presets check` a file.
  if (verb === 'list') return undefined;
  const isFile = words.includes('FILE') && (verb === undefined || verb === 'check' || !words.includes('NAME'));
  const kind = verb === 'check' ? undefined : kindOfArgument(command!, words);
  const offers = [
    ...words.filter((word) => /^[a-z]+$/.test(word)).map((value) => ({ value })),
    ...(kind === undefined ? [] : await namesOf(kind)),
  ];
  return { offers, ...(isFile ? { paths: 'files' } : words.includes('DIR') ? { paths: 'folders' } : {}) };
}
