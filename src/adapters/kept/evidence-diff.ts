import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitAt } from '../git/git-run.js';

export interface DiffLine {
  readonly path: string;
  /** Lines; undefined for what is no text. */
  readonly added?: number;
  readonly removed?: number;
}

/**
 * What differs from the last commit among these files; undefined outside of a repository, or where git does not answer.
 * Files that git does not know are not in it.
 */
export async function diffFromCommit(
  root: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly DiffLine[] | undefined> {
  if (paths.length === 0 || !isInRepository(root)) return undefined;
  const git = gitAt({ cwd: root }, { env, tether: '', config: [] });
  try {
    const args = [
      'diff',
      '--numstat',
      '--no-ext-diff',
      '--no-textconv',
      '--relative',
      '-z',
      'HEAD',
      '--',
      ...paths.slice(0, mostPaths),
    ];
    const { stdout } = await git.run(args, { timeoutMs: 10_000, env: { GIT_LITERAL_PATHSPECS: '1' } });
    return stdout
      .toString('utf8')
      .split('\0')
      .flatMap((entry) => lineOf(entry));
  } catch {
    return undefined;
  }
}

const mostPaths = 500;

function lineOf(entry: string): DiffLine[] {
  const [added, removed, path] = entry.split('\t');
  if (added === undefined || removed === undefined || !path) return [];
  return [added === '-' ? { path } : { path, added: Number(added), removed: Number(removed) }];
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
