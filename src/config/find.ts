import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.js';
import { err, ok, type Result } from '../model/result.js';
import { wordList } from '../source/quoted-list.js';

export interface FoundConfig {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

const searchPlaces = [
  ...['ts', 'mts', 'js', 'mjs', 'json', 'yaml', 'yml'].map((ending) => `autoresearch.config.${ending}`),
  ...['', '.yaml', '.yml', '.json'].map((ending) => `.autoresearchrc${ending}`),
  'package.json',
];

/** The config that `--config` names, else the one that is found. */
export async function locateConfig(cwd: string, configFile?: string): Promise<Result<FoundConfig, Diagnostic[]>> {
  return configFile === undefined ? findConfig(cwd) : openConfig(cwd, configFile);
}

/** The nearest config at or above a folder, but not above the git repository it is in. */
export async function findConfig(cwd: string): Promise<Result<FoundConfig, Diagnostic[]>> {
  const top = topFolder(cwd);
  const listed = new Map(foldersUpTo(cwd, top).map((each) => [each, namesIn(each)]));
  const odd = firstOdd(listed);
  if (odd)
    return err([
      { code: 'AR104', message: unreadable(relative(cwd, odd.file), odd.error), at: { kind: 'file', file: odd.file } },
    ]);
  const found = await search(cwd, top, [...listed.values()]);
  const folder = found === undefined ? top : dirname(found.file);
  const upTo = foldersUpTo(cwd, folder).map((each) => ({ folder: each, names: listed.get(each) ?? [] }));
  const passedOver = upTo.flatMap((each) => presentIn(each).map((name) => join(each.folder, name)));
  const others = passedOver.filter((file) => file !== found?.file);
  if (others.length > 0) return err([tooMany(cwd, found, others)]);
  const [unread] = upTo.flatMap((each) => unreadIn(each.names).map((name) => join(each.folder, name)));
  if (unread !== undefined && (!found || dirname(unread) !== folder)) return err([notRead(cwd, unread)]);
  if (found) return ok(found);
  return err([
    {
      code: 'AR101',
      message: `no config found in ${cwd} or above it`,
      hint: 'Make one with "autoresearch init", or name one with --config',
    },
  ]);
}

/** The config that `--config` names. */
export function openConfig(cwd: string, configFile: string): Result<FoundConfig, Diagnostic[]> {
  const file = resolve(cwd, configFile);
  const argument = `--config ${configFile}`;
  if (!existsSync(file)) {
    return err([{ code: 'AR101', message: `there is no file ${configFile}`, at: { kind: 'argument', argument } }]);
  }
  try {
    refuseOdd(file);
    return ok({ file, text: readFileSync(file, 'utf8') });
  } catch (error) {
    return err([{ code: 'AR104', message: unreadable(configFile, error), at: { kind: 'argument', argument } }]);
  }
}

/** `listed` are the names in each folder on the way up. Only what is there is tried: each miss would be an error to be caught. */
async function search(cwd: string, stopDir: string, listed: readonly Names[]): Promise<FoundConfig | undefined> {
  const isThere = (place: string): boolean => listed.some((names) => names === undefined || names.includes(place));
  const explorer = await openExplorer({
    moduleName: 'autoresearch',
    searchPlaces: searchPlaces.filter(isThere),
    stopDir,
    searchStrategy: 'global',
    loaders: { noExt: keepText, default: keepText },
    ignoreEmptySearchPlaces: false,
    cache: false,
    transform: (result: unknown) => result,
    metaConfigFilePath: null,
  });
  const result = explorer.search(cwd);
  // The explorer ends in the home folder's settings, which are not a config of any project.
  if (!result || !searchPlaces.includes(basename(result.filepath))) return undefined;
  return { file: result.filepath, text: result.config?.text ?? '' };
}

interface Explorer {
  search(from: string): { readonly filepath: string; readonly config?: { readonly text: string } } | null;
}

/**
 * The door of cosmiconfig. Its front door first looks for settings of its own in the working folder, and to read those
 * it would run `.config/config.js` or compile `.config/config.ts` into a file beside it; `plan` must do neither. The
 * explorer behind that door only searches, and carries no types. The one that waits for nothing: promises of files cost
 * every command two milliseconds more.
 */
async function openExplorer(options: object): Promise<Explorer> {
  const module = (await import('cosmiconfig/dist/ExplorerSync.js')) as unknown as {
    ExplorerSync: new (options: object) => Explorer;
  };
  return new module.ExplorerSync(options);
}

/** Files are only looked at here; reading them with positions is `source/`'s work. */
const keepText = (file: string, text: string): unknown => {
  if (basename(file) !== 'package.json') return { text };
  return holdsConfig(text) ? { autoresearch: { text } } : {};
};

function holdsConfig(packageJson: string): boolean {
  if (!packageJson.includes('"autoresearch"')) return false;
  try {
    return Object.hasOwn(JSON.parse(packageJson) as object, 'autoresearch');
  } catch {
    // Whoever reads it next will say where it is broken.
    return true;
  }
}

/** The nearest file with the name of a config that is none: at a pipe everybody would wait, and /dev/zero has no end. */
function firstOdd(listed: ReadonlyMap<string, Names>): { readonly file: string; readonly error: unknown } | undefined {
  for (const [folder, names = []] of listed) {
    const present = searchPlaces.filter((place) => names.includes(place));
    for (const file of present.map((place) => join(folder, place))) {
      try {
        refuseOdd(file);
      } catch (error) {
        return { file, error };
      }
    }
    // What is further up is not read.
    if (present.some((place) => place !== 'package.json')) return undefined;
  }
  return undefined;
}

/** Folders and links that lead nowhere are told of by whoever reads them. */
function refuseOdd(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile() && !stat.isDirectory()) throw new Error('it is no file');
}

/** The root of the git repository, or else of the file system. */
function topFolder(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return folder;
  }
}

function foldersUpTo(from: string, to: string): string[] {
  const folders = [from];
  for (let folder = from; folder !== to && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** Undefined for a folder that cannot be listed; a file in it may still be read by its name. */
type Names = readonly string[] | undefined;

function namesIn(folder: string): Names {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** Names in a folder that could be a config, readable or not: what the search passed over must not go unsaid. */
function presentIn({ folder, names }: { readonly folder: string; readonly names: readonly string[] }): string[] {
  return searchPlaces.filter((place) => names.includes(place) && (place !== 'package.json' || isConfigPackage(folder)));
}

/** Files that somebody surely takes for the config, in a form that is not read. Others further up must not run instead. */
const unreadIn = (names: readonly string[]): readonly string[] =>
  names.filter((name) => /^(?:autoresearch\.config|\.autoresearchrc)\.(?:c[jt]s|[jt]sx|jsonc|json5|toml)$/.test(name));

const notRead = (cwd: string, file: string): Diagnostic => ({
  code: 'AR101',
  message: `${relative(cwd, file)} is no form that a config can have`,
  hint: 'Use .ts, .mts, .js, .mjs, .json, .yaml or .yml',
  at: { kind: 'file', file },
});

function isConfigPackage(folder: string): boolean {
  try {
    return holdsConfig(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return false;
  }
}

function tooMany(cwd: string, found: FoundConfig | undefined, others: readonly string[]): Diagnostic {
  const rivals = others.filter((file) => found && dirname(file) === dirname(found.file));
  const [other = ''] = others;
  if (!found || rivals.length === 0) {
    try {
      readFileSync(other);
    } catch (error) {
      return { code: 'AR104', message: unreadable(relative(cwd, other), error), at: { kind: 'file', file: other } };
    }
  }
  const names = [found?.file ?? '', ...rivals].map((file) => basename(file));
  return {
    code: 'AR102',
    message: `${names.length === 2 ? 'two' : names.length} configs in one folder: ${wordList(names, 'and')}`,
    hint: 'Keep one of them, or name the one you mean with --config',
    at: { kind: 'file', file: found?.file ?? other },
  };
}

const unreadable = (file: string, error: unknown): string =>
  `cannot read ${file}: ${(error as Error).message.split(',')[0]}`;
