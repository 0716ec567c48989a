import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceRecorded } from '../../model/events/event.js';
import { findProgram } from '../command/find-program.js';
import { ownPath } from '../process/own-path.js';

/**
 * The commit a run started from, for the record. Undefined outside a repository, and then git is not even asked. A
 * repository that cannot be read is not a reason to stop a study: the record says so instead.
 */
export async function gitFacts(root: string): Promise<WorkspaceRecorded | undefined> {
  if (!isInRepository(root)) return undefined;
  const { simpleGit } = await import('simple-git');
  const found = findProgram('git', '/', ownPath(process.env.PATH, root));
  if (found.kind !== 'found') return { type: 'workspace-recorded', problem: 'git is not installed' };
  // A program that an agent has put into the settings of the repository must not be run by us.
  const git = simpleGit({
    baseDir: root,
    binary: found.file,
    timeout: { block: 10_000 },
    config: ['core.fsmonitor=false'],
    unsafe: { allowUnsafeFsMonitor: true },
  });
  try {
    // One question answers everything: commit, branch and what differs. Tasks are at work by now, and one that commits must not find the index locked by us.
    const asked = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--untracked-files=normal'];
    const lines = (await git.raw(asked)).split('\n');
    const said = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3);
    const [commit, branch] = [said('branch.oid'), said('branch.head')];
    return {
      type: 'workspace-recorded',
      ...(commit === undefined || commit === '(initial)' ? {} : { commit }),
      ...(branch === undefined || branch === '(detached)' ? {} : { branch }),
      changedFiles: lines.filter((line) => line !== '' && !line.startsWith('#')).length,
    };
  } catch (error) {
    return { type: 'workspace-recorded', problem: (error as Error).message.trim().split('\n')[0]! };
  }
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
