import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOf } from '../../model/glob.js';

/**
 * Files of a folder that say what git makes of others beside or below them, and are in no commit themselves: what is committed
 * would have been converted by rules that nobody else has.
 */
export function strayAttributes(top: string, files: readonly string[], isKept: (file: string) => boolean): string[] {
  const folders = new Set(['', ...files.flatMap(foldersOf)]);
  return [...folders]
    .map((folder) => (folder === '' ? attributes : `${folder}/${attributes}`))
    .filter((file) => lstatSync(join(top, file), { throwIfNoEntry: false })?.isFile() && !isKept(file))
    .sort();
}

export const attributes = '.gitattributes';

export const isAttributes = (file: string): boolean => file === attributes || file.endsWith(`/${attributes}`);
