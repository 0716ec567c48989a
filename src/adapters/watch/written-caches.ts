import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { VaultChange } from '../vault/vault-compare.js';
import { inRoot } from '../vault/vault-look.js';

/**
 * Caches that programs run or believe: bytecode of Python, what bundlers keep between packages, what checkers remember. Any test writes them,
 * so nobody is blamed; but one that was written while an agent was at work may be forged, and it is made again when it is gone.
 */
export function isCachePath(path: string, isFolder = false): boolean {
  const names = path.split('/');
  return names.some((name, at) => {
    if (names[at - 1] === 'node_modules') return name.startsWith('.') && name !== '.bin' && name !== '.pnpm';
    return caches.has(name) || (at === names.length - 1 && !isFolder && name.endsWith('.pyc'));
  });
}

const caches: ReadonlySet<string> = new Set(['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache']);

/** Takes away those among the changes. Answers with what could not be, and so cannot be relied on. */
export function clearCaches(root: string, changes: readonly VaultChange[]): readonly string[] {
  return changes
    .filter(({ path, how }) => how !== 'removed' && isCachePath(path, isFolderAt(root, path)))
    .filter(({ path }) => !isRemoved(inRoot(root, path)))
    .map(({ path }) => path);
}

export const isFolderAt = (root: string, path: string): boolean =>
  lstatSync(inRoot(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

function isRemoved(file: string | Buffer): boolean {
  try {
    rmSync(file, { recursive: true, force: true });
    return true;
  } catch {
    return isRemovedFromOpened(file);
  }
}

/** Whoever shut the folder must not keep a file in it that way. */
function isRemovedFromOpened(file: string | Buffer): boolean {
  try {
    const folder = dirname(file.toString());
    chmodSync(folder, 0o700 | (lstatSync(folder).mode & 0o7777));
    if (lstatSync(file).isDirectory()) chmodSync(file, 0o700);
    rmSync(file, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
