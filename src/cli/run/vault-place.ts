import { hash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { CliContext } from '../context.js';

/** Outside of the project, where no agent has anything to do: the vaults and the evidence of all projects of a user. */
export function keptFolder(root: string, env: CliContext['env']): string {
  // One that is empty or relative does not count, says its specification.
  const stated = env.XDG_STATE_HOME !== undefined && isAbsolute(env.XDG_STATE_HOME) ? env.XDG_STATE_HOME : undefined;
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : userInfo().homedir;
  const near = join(stated ?? join(home, '.local/state'), 'autoresearch');
  // A home inside of the project, or one that is its repository, is no place for it.
  return [realpathSync(root), root].some((path) => near.startsWith(`${repositoryOf(path)}/`)) || !canHoldFolders(near)
    ? join(tmpdir(), `autoresearch-kept-${process.getuid?.() ?? 0}`)
    : near;
}

/** Accounts of services have no home: theirs is `/dev/null`, or one of the kernel's folders, in which nothing can be made. */
function canHoldFolders(path: string): boolean {
  if (/^\/(proc|sys|dev)(\/|$)/.test(path)) return false;
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      return statSync(folder).isDirectory();
    } catch (error) {
      // What may not be entered is told when it is needed.
      if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    }
  }
  return true;
}

/** The folder itself where there is none. */
function repositoryOf(project: string): string {
  for (let folder = project; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return folder;
  return project;
}

export const vaultName = (root: string, agentId: string, what: VaultOf['what'] | 'standing'): string =>
  hash('sha256', JSON.stringify([realpathSync(root), agentId, what])).slice(0, 24);

export interface VaultOf {
  readonly what: 'protect' | 'scope' | 'loop';
  /** The worktree that it is about; the project itself unless stated. */
  readonly tree?: string;
}

export const vaultPlace = (root: string, { env, agentId }: CliContext, { what, tree = root }: VaultOf): string =>
  join(keptFolder(root, env), 'vaults', vaultName(tree, agentId, what));

/** Where it is noted, outside of the project, what has to be looked at should the run be cut short. */
export const notesPlace = (root: string, context: CliContext): string =>
  join(vaultPlace(root, context, { what: 'scope' }), 'notes');

/** Where the ends of runs are noted. */
export const endsPlace = (root: string, { env }: CliContext): string => join(keptFolder(root, env), 'ends');

/** Where it is noted that the newest run stands. */
export const standingPlace = (root: string, { env, agentId }: CliContext): string =>
  join(keptFolder(root, env), 'standing', `${vaultName(root, agentId, 'standing')}.json`);

/** What is kept of violations in a run: not where an agent could put something in its way. */
export const evidencePlace = (root: string, { env }: CliContext, run: string): string =>
  join(keptFolder(root, env), 'evidence', basename(realpathSync(root)), run);

/** Where it is noted what the agent ids of a project have spent. */
export const spentPlace = (root: string, { env }: CliContext): string =>
  join(keptFolder(root, env), 'spent', hash('sha256', realpathSync(root)).slice(0, 24));
