import { closeSync, constants, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ToolRefusal } from './call-end.js';

/** A folder that stays the same one while it is held, whatever is done to the names that led to it. */
export interface HeldFolder {
  /** A path that means this name in this very folder. */
  at(name: string): string;
  /** Throws when the folder is no longer where it was; for systems where it cannot be held. */
  check(): void;
}

/**
 * Goes down from the root part by part, following no link, and hands over the last folder. On Linux each folder is
 * reached through the descriptor of the one before (`/proc/self/fd/N/name`), so that a link swapped in between looking
 * and doing leads nowhere. Elsewhere the path is looked at before and after.
 */
export function withFolder<T>(
  root: string,
  { parts, create = false }: { readonly parts: readonly string[]; readonly create?: boolean },
  work: (folder: HeldFolder) => T,
): T {
  if (!existsSync('/proc/self/fd')) return withPath(join(root, ...parts), create, work);
  let fd = openSync(root, folderFlags);
  try {
    for (const part of parts) {
      const next = openPart(`/proc/self/fd/${fd}/${part}`, create, part);
      closeSync(fd);
      fd = next;
    }
    return work({
      at: (name) => (name === '' ? `/proc/self/fd/${fd}/.` : `/proc/self/fd/${fd}/${name}`),
      check: () => {},
    });
  } finally {
    closeSync(fd);
  }
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function openPart(path: string, create: boolean, name: string): number {
  try {
    return openSync(path, folderFlags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What the system says of a link, and of a file where a folder is meant.
    if (code === 'ELOOP' || code === 'ENOTDIR') throw new ToolRefusal(`${name} is a link or no folder`);
    if (code !== 'ENOENT' || !create) throw error;
  }
  mkdirUnlessThere(path);
  return openPart(path, false, name);
}

function mkdirUnlessThere(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function withPath<T>(path: string, create: boolean, work: (folder: HeldFolder) => T): T {
  if (create) mkdirSync(path, { recursive: true });
  const check = (): void => {
    if (realpathSync(path) !== path) throw new ToolRefusal('a folder on the way became a link');
  };
  check();
  const done = work({ at: (name) => join(path, name), check });
  check();
  return done;
}
