import { lstatSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findRepository } from '../git/git-guard-find.js';

/**
 * What in a folder belongs to the runner and to the repository, and is watched by other eyes: the state of the study, and where git really keeps
 * what it knows. A folder of the same name anywhere else is one like any other, and so is a `.git` that was not there before.
 */
export function ownFolders(root: string): readonly string[] {
  const real = realpathSync(root);
  const git = lstatSync(join(real, '.git'), { throwIfNoEntry: false }) ? ['.git'] : [];
  return [...new Set(['.autoresearch', ...git, ...gitDirsIn(real)])];
}

/** A repository may lie elsewhere than in `.git`, also in the folder itself. */
function gitDirsIn(root: string): readonly string[] {
  try {
    const repository = findRepository(root);
    if (!repository) return [];
    return [repository.gitDir, repository.commonDir]
      .map((path) => relative(root, path))
      .filter((path) => path !== '' && !path.startsWith('..'));
  } catch {
    return [];
  }
}
