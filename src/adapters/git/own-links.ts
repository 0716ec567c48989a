import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export interface OwnLink {
  readonly file: string;
  readonly target: string;
}

/**
 * Those of the files that are links into `place` by a way that begins outside of the folder: whoever has the commit has it elsewhere, and
 * then they lead nowhere, or to what was never checked. Names are relative to `top`.
 */
export function linksFromOutside(
  top: string,
  files: readonly string[],
  isInPlace: (path: string) => boolean,
): readonly OwnLink[] {
  return files.flatMap((file) => {
    const path = join(top, file);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return [];
    const target = readlinkSync(path);
    return leaves(file, target) && isInPlace(realEnd(path, target)) ? [{ file, target }] : [];
  });
}

/** Whether the way begins at the root of the disk, or climbs out of the folder before it comes back. */
function leaves(file: string, target: string): boolean {
  if (isAbsolute(target)) return true;
  let depth = file.split('/').length - 1;
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Where it leads in the end; one that leads nowhere yet may lead somewhere tomorrow. */
export function realEnd(path: string, target: string): string {
  try {
    return realpathSync(path);
  } catch {
    return realOf(resolve(dirname(path), target));
  }
}

/** Of what is not there, the folders that are. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
