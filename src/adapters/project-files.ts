import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { type FileStamp, sameStamp } from '../model/fingerprint.js';
import { isGlob } from '../model/glob.js';
import type { Files } from '../model/ports.js';

/**
 * The project's files on disk. The glob library is only loaded when a pattern needs it, which is why a plan with globs
 * has to say so when this is made. Synchronous calls on purpose: they are three times faster than promises here.
 */
export async function openProjectFiles(root: string, options: { readonly globs: boolean }): Promise<Files> {
  const glob = options.globs ? (await import('tinyglobby')).globSync : undefined;
  const digests = new Map<string, { readonly stamp: FileStamp; readonly digest: string }>();

  const stamp = (path: string): FileStamp | undefined => {
    const stat = statOf(resolve(root, path));
    return stat && !stat.isDirectory() ? stampOf(stat) : undefined;
  };

  return {
    stamp,
    digest(path) {
      const now = stamp(path);
      const known = digests.get(path);
      if (now && known && sameStamp(now, known.stamp)) return known.digest;
      const digest = digestFile(resolve(root, path));
      if (now) digests.set(path, { stamp: now, digest });
      return digest;
    },
    expand(patterns) {
      const found = new Set<string>();
      for (const pattern of patterns) {
        const matches =
          isGlob(pattern) && glob
            ? glob(pattern, {
                cwd: root,
                dot: true,
                onlyFiles: true,
                ignore: ['**/.git/**', '.autoresearch/**'],
              })
            : filesAt(root, pattern);
        for (const match of matches) found.add(match);
      }
      return [...found].sort();
    },
  };
}

function stampOf(stat: { size: bigint; mtimeNs: bigint; ctimeNs: bigint; ino: bigint }): FileStamp {
  return { size: Number(stat.size), mtimeNs: `${stat.mtimeNs}`, ctimeNs: `${stat.ctimeNs}`, ino: `${stat.ino}` };
}

/** Git's own folder and ours change with every run; nobody means them by naming what is around them. */
const isOurs = (name: string): boolean => name === '.git' || name === '.autoresearch';

/** The file itself, or everything in the folder, also through links; a name with a special character is still a name. */
function filesAt(root: string, path: string, above: readonly string[] = []): string[] {
  const stat = statOf(resolve(root, path));
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  const real = realpathSync(resolve(root, path));
  // A link to a folder around it would go on for ever.
  if (above.includes(real)) return [];
  return readdirSync(real)
    .filter((name) => !isOurs(name))
    .flatMap((name) => filesAt(root, posix.join(path, name), [...above, real]));
}

/** Undefined for what cannot be reached: nothing there, a link to itself, a folder that may not be entered. */
function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** In pieces, because a checkpoint may be larger than Node reads at once. */
function digestFile(file: string): string {
  const hash = createHash('sha256');
  const fd = openSync(file, 'r');
  try {
    const piece = Buffer.allocUnsafe(1 << 20);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) hash.update(piece.subarray(0, read));
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}
