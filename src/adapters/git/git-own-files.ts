import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a folder of git's holds; nothing where there is none. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file of git's that is one line; undefined where there is none, or something that is no file. */
export function textOf(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8').trim() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether what git keeps of a worktree (`.git/worktrees/NAME`) is that of a task. By where it is as well: while git makes or moves one, its
 * HEAD may say anything.
 */
export const isOfTask = (gitDir: string): boolean =>
  textOf(join(gitDir, 'gitdir'))?.includes('/.autoresearch/') === true ||
  textOf(join(gitDir, 'HEAD'))?.startsWith('ref: refs/heads/auto/') === true;
