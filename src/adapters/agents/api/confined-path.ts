import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { ToolRefusal } from './call-end.js';

/** The parts of a path below the root, as the model wrote it. Nothing on the disk is looked at. */
export function partsOf(path: string, roots: readonly string[]): string[] {
  if (path.includes('\0')) throw new ToolRefusal('a path cannot hold a null character');
  let inner = path;
  if (isAbsolute(path)) {
    const root = roots.find((one) => path === one || path.startsWith(one.endsWith(sep) ? one : `${one}${sep}`));
    if (root === undefined) throw outside(path);
    inner = relative(root, path);
    // `relative` would have taken the dots away.
    if (path.split(sep).includes('..')) throw outside(path);
  }
  const parts = inner.split(sep).filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw outside(path);
  return parts;
}

/** The parts without links, for what is there. Only links that stay inside are followed. */
export function realParts(root: string, parts: readonly string[], shown: string): string[] {
  let real: string;
  try {
    real = realpathSync(join(root, ...parts));
  } catch (error) {
    if (isLink(join(root, ...parts))) throw outside(shown);
    throw error;
  }
  return insideParts(root, real, shown);
}

/**
 * The same for a file to be written, which may not be there, nor its folders. The folder is found without links as far as
 * it is there. The last part stays as it is: a link is never written through.
 */
export function realPartsToWrite(root: string, parts: readonly string[], shown: string): string[] {
  const missing: string[] = [];
  let folder = join(root, ...parts.slice(0, -1));
  while (lstatSync(folder, { throwIfNoEntry: false }) === undefined && folder !== root) {
    missing.unshift(folder.slice(dirname(folder).length + 1));
    folder = dirname(folder);
  }
  const real = realParts(root, relative(root, folder).split(sep).filter(Boolean), shown);
  return [...real, ...missing, ...parts.slice(-1)];
}

/** Git's and our own files decide what is believed later; also in nested repositories, also where case does not count. */
export const isGuarded = (parts: readonly string[]): boolean =>
  parts.some((part) => /^\.(git|autoresearch)$/i.test(part));

export const outside = (path: string): ToolRefusal =>
  new ToolRefusal(`${shortened(path)} is outside the folder you work in`);

const shortened = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)} …` : path);

function insideParts(root: string, real: string, shown: string): string[] {
  const inner = relative(root, real);
  if (inner === '..' || inner.startsWith(`..${sep}`) || isAbsolute(inner)) throw outside(shown);
  return inner === '' ? [] : inner.split(sep);
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
