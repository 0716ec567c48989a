import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** The nearest config at or above a folder, but not above the git repository it is in. */
export async function findConfig(cwd: string): Promise<Result<FoundConfig, Diagnostic[]>> {
  const top = topFolder(cwd);
  const found = await search(cwd, top);
  const folder = found === undefined ? top : dirname(found.file);
  const passedOver = foldersUpTo(cwd, folder).flatMap((each) => presentIn(each).map((name) => join(each, name)));
  const others = passedOver.filter((file) => file !== found?.file);
  if (others.length > 0) return err([tooMany(cwd, found, others)]);
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
    return ok({ file, text: readFileSync(file, 'utf8') });
  } catch (error) {
    return err([{ code: 'AR104', message: unreadable(configFile, error), at: { kind: 'argument', argument } }]);
  }
}

async function search(cwd: string, stopDir: string): Promise<FoundConfig | undefined> {
  const explorer = await openExplorer({
    moduleName: 'autoresearch',
    searchPlaces,
    stopDir,
    searchStrategy: 'global',
    loaders: { noExt: keepText, default: keepText },
    ignoreEmptySearchPlaces: false,
    cache: false,
    transform: (result: unknown) => result,
    metaConfigFilePath: null,
  });
  const result = await explorer.search(cwd);
  // The explorer ends in the home folder's settings, which are not a config of any project.
  if (!result || !searchPlaces.includes(basename(result.filepath))) return undefined;
  return { file: result.filepath, text: result.config?.text ?? '' };
}

interface Explorer {
  search(from: string): Promise<{ readonly filepath: string; readonly config?: { readonly text: string } } | null>;
}

/**
 * The door of cosmiconfig. Its front door first looks for settings of its own in the working folder, and to read those
 * it would run `.config/config.js` or compile `.config/config.ts` into a file beside it; `plan` must do neither. The
 * explorer behind that door only searches, and carries no types.
 */
async function openExplorer(options: object): Promise<Explorer> {
  const module = (await import('cosmiconfig/dist/Explorer.js')) as unknown as {
    Explorer: new (options: object) => Explorer;
  };
  return new module.Explorer(options);
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

/** Names in a folder that could be a config, readable or not: what the search passed over must not go unsaid. */
function presentIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return searchPlaces.filter((place) => names.includes(place) && (place !== 'package.json' || isConfigPackage(folder)));
}

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
