import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync } from 'node:fs';
import { FailureError } from '../../model/failure.js';
import type { GlobMatch } from '../../source/glob.js';

/**
 * A name that is not UTF-8 reaches us changed, and under the name that we see there is no file: it would be passed over
 * without a word, whatever somebody hides in it. So a folder that holds one where it could be meant is refused.
 */
export interface OddName {
  /** With a sign in place of what is not UTF-8. */
  readonly name: string;
  /** With those bytes as `%ff`. */
  readonly shown: string;
  readonly isFolder: boolean;
}

/** Costs nothing where all names can be read: what cannot holds the sign that stands for it. */
export function oddNames(folder: string, entries: readonly (string | Dirent)[]): readonly OddName[] {
  const isSeen = (entry: string | Dirent): boolean =>
    (typeof entry === 'string' ? entry : entry.name).includes('\ufffd');
  if (!entries.some(isSeen)) return [];
  return readdirSync(folder, { encoding: 'buffer', withFileTypes: true })
    .filter(({ name }) => !isUtf8(name))
    .map((entry) => ({
      name: entry.name.toString('utf8'),
      shown: entry.name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
      isFolder: !entry.isFile(),
    }));
}

/** `folder` is relative to the project. */
export function refusedName(folder: string, { shown }: OddName): FailureError {
  const where = folder === '' || folder === '.' ? 'the project folder' : folder;
  const detail = `${where} holds a name that is not UTF-8: ${shown}`;
  return new FailureError({ code: 'name-unreadable', folder, detail });
}

/** Whether a pattern could mean it: by its own name, or as a folder on the way. */
export function couldMean(pattern: string, path: string, { isFolder }: OddName, matches: GlobMatch): boolean {
  if (matches(pattern, path)) return true;
  if (!isFolder) return false;
  const parts = pattern.split('/');
  // What stands in braces may itself lead through folders.
  if (pattern.includes('{') || parts.includes('**')) return true;
  return parts.slice(0, -1).some((_, index) => matches(parts.slice(0, index + 1).join('/'), path));
}
