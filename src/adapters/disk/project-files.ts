import { readdirSync, realpathSync, statSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { errorLog } from '../../model/files/error-log-path.js';
import { type FileStamp, sameStamp } from '../../model/fingerprint.js';
import { isGlob } from '../../model/glob.js';
import type { Files, Progress } from '../../model/ports.js';
import { digestFile, digestSlowly, longBytes, toldReading } from './file-digest.js';
import { originAt } from './file-origin.js';
import { oddNames, refusedName } from './odd-names.js';

export interface ProjectFiles extends Files {
  /** What a journal tells: the digest of a file while it had this stamp. It is not read as long as it still has it. */
  remember(path: string, known: KnownDigest): void;
  still(): Files;
  recent(): Files;
}

export interface KnownDigest {
  readonly stamp: FileStamp;
  readonly digest: string;
  /** Worth telling the next run: see `lastingStamp` in the port. */
  readonly lasting: boolean;
}

export interface FilesOptions {
  readonly globs: boolean;
  /** Milliseconds since 1970; tests bring their own. */
  now?(): number;
  /** Told while a large file is read. */
  readonly progress?: Progress;
}

/**
 * The project's files on disk. The glob library is only loaded when a pattern needs it, which is why a plan with globs
 * has to say so when this is made. Synchronous calls on purpose: they are three times faster than promises here.
 */
export async function openProjectFiles(root: string, options: FilesOptions): Promise<ProjectFiles> {
  const search = options.globs ? await (await import('./glob-search.js')).loadGlobSearch(root) : undefined;
  const now = options.now ?? Date.now;
  const known = new Map<string, KnownDigest>();

  const seenBy = (look: Look): Files => {
    const stamp = (path: string): FileStamp | undefined => {
      const seen = look(path);
      return seen === 'folder' ? undefined : seen;
    };
    // A link may lead to what is none.
    const isFile = (path: string): boolean => stamp(path) !== undefined;
    const knownOf = (path: string, present: FileStamp | undefined): string | undefined => {
      const before = known.get(path);
      return present && before && sameStamp(present, before.stamp) ? before.digest : undefined;
    };
    return {
      stamp,
      async readAhead(paths, stop) {
        let hasRead = false;
        for (const path of paths) {
          const present = stamp(path);
          if (!present || present.size < longBytes || knownOf(path, present) !== undefined) continue;
          const lasting = isLasting(present, now());
          const onRead = toldReading(path, present.size, options.progress);
          const digest = await digestSlowly(placeOf(root, path), { stop, onRead });
          known.set(path, { stamp: present, digest, lasting });
          hasRead = true;
        }
        return hasRead;
      },
      digest(path) {
        const present = stamp(path);
        const before = knownOf(path, present);
        if (before !== undefined) return before;
        const lasting = present !== undefined && isLasting(present, now());
        const digest = digestFile(placeOf(root, path), toldReading(path, present?.size ?? 0, options.progress));
        if (present) known.set(path, { stamp: present, digest, lasting });
        return digest;
      },
      lastingStamp(path) {
        const digested = known.get(path);
        return digested?.lasting ? digested.stamp : undefined;
      },
      origin: (path) => originAt(placeOf(root, path)),
      expand(patterns) {
        const only = patterns.length === 1 ? patterns[0]! : undefined;
        if (only !== undefined && !isGlob(only)) return filesAt({ root, look }, only).sort();
        const found = new Set<string>();
        for (const pattern of patterns) {
          const matches =
            isGlob(pattern) && search
              ? search(pattern, (path) => filesAt({ root, look }, path)).filter(isFile)
              : filesAt({ root, look }, pattern);
          for (const match of matches) found.add(match);
        }
        return [...found].sort();
      },
    };
  };

  const fromDisk: Look = (path) => seenAt(placeOf(root, path));
  let recent: Files | undefined;
  const forget = (): void => {
    recent = undefined;
  };
  return {
    ...seenBy(fromDisk),
    remember: (path, digested) => void known.set(path, digested),
    still() {
      forget();
      return seenBy(onceEach(fromDisk));
    },
    recent() {
      if (!recent) setImmediate(forget);
      recent ??= seenBy(onceEach(fromDisk));
      return recent;
    },
  };
}

/** What is at a path, relative to the project. */
type Look = (path: string) => FileStamp | 'folder' | undefined;

function onceEach(look: Look): Look {
  const known = new Map<string, ReturnType<Look>>();
  return (path) => {
    let seen = known.get(path);
    if (seen !== undefined || known.has(path)) return seen;
    seen = look(path);
    known.set(path, seen);
    return seen;
  };
}

/** Most paths need no more than the folder before them; working that out would cost as much as the look itself. */
const placeOf = (root: string, path: string): string =>
  path.startsWith('/') || path.includes('..') ? resolve(root, path) : `${root}/${path}`;

/**
 * A clock tick may see two changes of which the second shows in no stamp. So what was changed a moment ago is not to be
 * believed by its stamp later; any change from now on gets another time than one that lies seconds back. And a small file
 * is read as fast as its stamp is written and read.
 */
const isLasting = ({ size, ctimeNs, mtimeNs }: FileStamp, nowMs: number): boolean =>
  size >= largeBytes && isPast({ ctimeNs, mtimeNs }, nowMs);

/** Last changed so long ago that any change from now on shows. */
export const isPast = ({ ctimeNs, mtimeNs }: Pick<FileStamp, 'ctimeNs' | 'mtimeNs'>, nowMs: number): boolean =>
  [ctimeNs, mtimeNs].every((timeNs) => Number(timeNs) / 1e6 < nowMs - settledMs);

const largeBytes = 65_536;
const settledMs = 2000;

/**
 * Git's own folders and ours change with every run, as does the log of errors; nobody means them by naming what is around them. A folder of
 * our name deeper in the project is none of ours, and could hide what tests run. `folder` is a real path.
 */
function isOurs(folder: string, name: string, root: string): boolean {
  if (name !== '.autoresearch') return name === '.git';
  const own = realpathSync(root);
  return folder === own || !folder.startsWith(`${own}/`);
}

/** The file itself, or everything in the folder, also through links; a name with a special character is still a name. */
function filesAt(
  { root, look }: { readonly root: string; readonly look: Look },
  path: string,
  above: readonly string[] = [],
): string[] {
  const seen = look(path);
  if (seen === undefined) return [];
  if (seen !== 'folder') return [path];
  const real = realpathSync(placeOf(root, path));
  // A link to a folder around it would go on for ever.
  if (above.includes(real)) return [];
  const names = readdirSync(real);
  for (const unread of oddNames(real, names)) throw refusedName(path, unread);
  return names
    .filter((name) => !isOurs(real, name, root))
    .map((name) => posix.join(path, name))
    .filter((child) => child !== errorLog)
    .flatMap((child) => filesAt({ root, look }, child, [...above, real]));
}

export function stampAt(file: string): FileStamp | undefined {
  const seen = seenAt(file);
  return seen === 'folder' ? undefined : seen;
}

/** Undefined for what is no file and what cannot be reached: nothing there, a link to itself, a folder that may not be entered. */
function seenAt(file: string): ReturnType<Look> {
  try {
    const stat = statSync(file, wholeStamp);
    if (stat === undefined) return undefined;
    // A pipe would be waited for, and /dev/zero read for ever.
    if (!stat.isFile()) return stat.isDirectory() ? 'folder' : undefined;
    return { size: Number(stat.size), mtimeNs: `${stat.mtimeNs}`, ctimeNs: `${stat.ctimeNs}`, ino: `${stat.ino}` };
  } catch {
    return undefined;
  }
}

const wholeStamp = { bigint: true, throwIfNoEntry: false } as const;
