import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceRecorded } from '../model/event.js';

/**
 * The commit a run started from, for the record. Undefined outside a repository, and then git is not even asked. A
 * repository that cannot be read is not a reason to stop a study: the record says so instead.
 */
export async function gitFacts(root: string): Promise<WorkspaceRecorded | undefined> {
  if (!isInRepository(root)) return undefined;
  const { simpleGit } = await import('simple-git');
  const git = simpleGit({ baseDir: root, timeout: { block: 10_000 } });
  try {
    const status = await git.status(['--untracked-files=normal']);
    const commit = await git.revparse(['HEAD']).catch(() => undefined);
    return {
      type: 'workspace-recorded',
      ...(commit === undefined ? {} : { commit }),
      ...(status.current ? { branch: status.current } : {}),
      changedFiles: status.files.length,
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
