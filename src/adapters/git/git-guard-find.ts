import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Repository {
  /** The project's folder, which may be below the top of the work tree. */
  readonly root: string;
  /** Where `.git` is. */
  readonly top: string;
  /** What belongs to this work tree: HEAD, index. */
  readonly gitDir: string;
  /** What all work trees share: settings, hooks, branches. The same as gitDir but in a linked work tree. */
  readonly commonDir: string;
  /** `.git` is a file or a link that says where the repository is. */
  readonly isPointed: boolean;
}

/** Found by looking, because git itself would read settings on the way. Undefined outside of a repository. */
export function findRepository(project: string): Repository | undefined {
  const root = realpathSync(project);
  for (let top = root; ; top = dirname(top)) {
    const stats = lstatSync(join(top, '.git'), { throwIfNoEntry: false });
    if (stats) return repositoryAt(top, root, !stats.isDirectory());
    if (dirname(top) === top) return undefined;
  }
}

function repositoryAt(top: string, root: string, isPointed: boolean): Repository {
  const gitDir = realpathSync(pointedTo(top));
  const common = isPointed && lstatSync(join(gitDir, 'commondir'), { throwIfNoEntry: false })?.isFile();
  const commonDir = common ? resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trim()) : gitDir;
  return { root, top, gitDir, commonDir: realpathSync(commonDir), isPointed };
}

function pointedTo(top: string): string {
  if (statSync(join(top, '.git')).isDirectory()) return join(top, '.git');
  const said = /^gitdir: (.+)\n?$/.exec(readFileSync(join(top, '.git'), 'utf8'))?.[1];
  if (said === undefined) throw new Error(`${join(top, '.git')} says nothing about where the repository is`);
  return resolve(top, said);
}
