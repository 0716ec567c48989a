import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
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
    const stat = statSync(resolve(root, path), { bigint: true, throwIfNoEntry: false });
    return stat && !stat.isDirectory() ? stampOf(stat) : undefined;
  };

  return {
    stamp,
    digest(path) {
      const now = stamp(path);
      const known = digests.get(path);
      if (now && known && sameStamp(now, known.stamp)) return known.digest;
      const digest = createHash('sha256')
        .update(readFileSync(resolve(root, path)))
        .digest('hex');
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

/** The file itself, or everything in the folder; a name with a special character in it is still a name. */
function filesAt(root: string, path: string): string[] {
  const stat = statSync(resolve(root, path), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(resolve(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (isOurs(entry.name)) return [];
    const inside = posix.join(path, entry.name);
    return entry.isDirectory()
      ? filesAt(root, inside)
      : statSync(join(root, inside), { throwIfNoEntry: false })?.isFile()
        ? [inside]
        : [];
  });
}
