import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearest } from './did-you-mean.js';
import { isTypescript } from './sucrase.js';

/** Files that are loaded here rather than by Node. */
export const isModuleFile = (file: string): boolean => /\.[mc]?[jt]s$/.test(file);

export const isLocalSpecifier = (specifier: string): boolean =>
  /^\.{1,2}(\/|$)/.test(specifier) || isAbsolute(specifier) || specifier.startsWith('file:');

/**
 * The file that a relative import means. As TypeScript has it, `./a.js` may stand for `a.ts`; an ending may be left
 * out, and a folder stands for its index.
 */
export function resolveLocal(specifier: string, importer: string): string | undefined {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(importer), specifier);
  const twin = /\.[mc]?js$/.test(path) ? path.replace(/js$/, 'ts') : undefined;
  const written =
    isTypescript(importer) && twin !== undefined ? [twin, path] : [path, ...(twin === undefined ? [] : [twin])];
  const endings = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'];
  const candidates = [
    ...written,
    ...endings.map((ending) => path + ending),
    ...endings.map((ending) => join(path, `index${ending}`)),
  ];
  return candidates.find(isFile);
}

/** The specifier that was probably meant, judged by the files that lie there. */
export function similarLocal(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('file:')) return undefined;
  const folder = dirname(resolve(dirname(importer), specifier));
  if (!existsSync(folder)) return undefined;
  const wanted = basename(specifier);
  const names = readdirSync(folder);
  const match =
    names.find((name) => name.slice(0, name.length - extname(name).length) === wanted) ?? nearest(wanted, names);
  return match === undefined ? undefined : specifier.slice(0, specifier.length - wanted.length) + match;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
