import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { err, ok, type Result } from '../model/result.js';
import { didYouMean } from '../source/did-you-mean.js';
import { similarLocal } from '../source/module-path.js';
import { quotedList } from '../source/quoted-list.js';

export interface PresetPath {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
}

export interface NotFound {
  readonly message: string;
  readonly hint?: string;
}

export interface PresetPlaces {
  readonly cwd: string;
  /** The folder of built-in presets. */
  readonly presetsDir: string;
}

const builtIn = 'autoresearch:';

/**
 * The file that an entry of `extends` means, seen from the file that says it: `autoresearch:NAME` is built in, a path
 * starts with `.` or `/`, anything else is an npm package whose main file is the preset.
 */
export function presetPath(entry: string, from: string, places: PresetPlaces): Result<PresetPath, NotFound> {
  if (entry.startsWith(builtIn)) return builtInPath(entry, places.presetsDir);
  if (/^\.{1,2}(\/|$)/.test(entry) || isAbsolute(entry)) return filePath(entry, from, places.cwd);
  return packagePath(entry, from);
}

function builtInPath(entry: string, presetsDir: string): Result<PresetPath, NotFound> {
  const names = existsSync(presetsDir)
    ? readdirSync(presetsDir).flatMap((file) => (file.endsWith('.yaml') ? [builtIn + file.slice(0, -5)] : []))
    : [];
  const name = entry.slice(builtIn.length);
  if (names.includes(entry)) return ok({ name: entry, file: join(presetsDir, `${name}.yaml`) });
  const message = `there is no built-in preset "${name}"`;
  const known = names.length === 0 ? undefined : `The built-in ones are ${quotedList(names.sort(), 'and')}`;
  return notFound(message, didYouMean(entry, names) ?? known);
}

function filePath(entry: string, from: string, cwd: string): Result<PresetPath, NotFound> {
  const file = resolve(dirname(from), entry);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return ok({ name: relative(cwd, file), file });
  const similar = similarLocal(entry, from);
  const hint = similar === undefined ? undefined : `Did you mean "${similar}"?`;
  return notFound(`there is no preset file ${relative(cwd, file)}`, hint);
}

function packagePath(entry: string, from: string): Result<PresetPath, NotFound> {
  try {
    return ok({ name: entry, file: createRequire(from).resolve(entry) });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      const hint = 'Its package.json must export the preset for "require" or "default"';
      return notFound(`the package "${entry}" does not say which file its preset is`, hint);
    }
    if (existsSync(resolve(dirname(from), entry)))
      return notFound(`there is no package "${entry}"`, `Did you mean "./${entry}"?`);
    return /\.(ya?ml|json|[cm]?[jt]s)$/.test(entry)
      ? notFound(`there is neither a file nor a package "${entry}"`, 'Check the spelling; a path begins with "./"')
      : notFound(`there is no package "${entry}"`, `Install it: npm install ${entry}`);
  }
}

const notFound = (message: string, hint: string | undefined): Result<never, NotFound> =>
  err({ message, ...(hint === undefined ? {} : { hint }) });
