import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { askGit, quietGit } from './git-guard-ask.js';
import { findRepository, type Repository } from './git-guard-find.js';

/** The sum that git gives to a content, whatever its settings make of files on the way. */
export function blobSum(blob: string, size: number) {
  const fresh = () => createHash(blob.length === 40 ? 'sha1' : 'sha256').update(`blob ${size}\0`);
  let sum = fresh();
  return {
    begin: (): void => {
      sum = fresh();
    },
    add: (piece: Buffer): void => {
      sum.update(piece);
    },
    digest: (): string => sum.digest('hex'),
  };
}

/** Plain files that the index knows, by path relative to the folder, with the object that git has of each. None outside of a repository. */
export async function indexedBlobs(root: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  try {
    const repository = findRepository(root);
    if (!repository) return found;
    for (const line of (await askGit(repository, ['ls-files', '-s', '-z'])).split('\0')) {
      const [, blob, path] = /^100(?:644|755) ([0-9a-f]{40,64}) 0\t(.+)$/s.exec(line) ?? [];
      if (blob !== undefined && path !== undefined) found.set(path, blob);
    }
  } catch {
    // Who cannot be asked has no copies of anything.
    found.clear();
  }
  return found;
}

/** Writes an object of git to a file that is open; false when git does not have it. Who needs it checks what was written. */
export function copyBlob(root: string, blob: string, fd: number): boolean {
  let repository: Repository | undefined;
  try {
    repository = findRepository(root);
  } catch {
    return false;
  }
  if (!repository) return false;
  const { args, env } = quietGit(repository);
  const options = { cwd: root, env, stdio: ['ignore', fd, 'ignore'] as ('ignore' | number)[], timeout: mostMs };
  return spawnSync('git', [...args, 'cat-file', 'blob', blob], options).status === 0;
}

const mostMs = 60_000;
