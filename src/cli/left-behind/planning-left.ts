import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openProjectFiles } from '../../adapters/disk/project-files.js';
import { planningMark } from '../../adapters/journal/planning-mark.js';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { putBackFiles } from '../../adapters/kept/task-file-copies.js';
import { takeLock } from '../../adapters/lock/state-lock.js';
import { backgroundClock } from '../../adapters/system-clock.js';
import type { TaskFileChanged } from '../../model/events/replan-event.js';
import type { CliContext } from '../context.js';
import type { NewestRun } from '../history/history.js';
import type { Located, Project } from '../project/open-project.js';

/**
 * Puts task files back that a planner was changing when its runner went: nobody has looked at them, and they may not even be whole.
 * Before the study is read, because they are a part of it. What was there is kept with the run.
 */
export async function putBackUnsettled(context: CliContext, found: Located): Promise<void> {
  if (!found.ok) return;
  const root = dirname(found.value.file);
  const store = openRunStore(root, context.agentId);
  const lock = takeLock(store.dir, { clock: backgroundClock });
  try {
    const id = store.ids()[0];
    const state = id === undefined ? undefined : store.read(id)?.state;
    if (id === undefined || !state) return;
    const files = await openProjectFiles(root, { globs: true });
    const runDir = store.runDir(id);
    for (const { id: task, planning } of state.tasks.values()) {
      if (!planning) continue;
      const back = putBackFiles({ root, runDir, files }, planning);
      if (back.length === 0) continue;
      context.stderr.write(
        `${back.join(', ')} is as it was before somebody was asked about ${task}: the runner ended before the change was looked at. What stood there is in ${runDir}/${planning.copies}\n`,
      );
    }
    if (!isOwed(store.read(id)!.entries)) rmSync(planningMark(store.dir), { force: true });
  } finally {
    lock.release();
  }
}

/** A change that was taken, and not committed before the runner went, is committed now: it is in nobody's way then. */
export async function commitOwed(project: Project, context: CliContext, newest: NewestRun | undefined): Promise<void> {
  const stateDir = openRunStore(project.resolved.root, context.agentId).dir;
  const owed = newest && lastChange(newest.reading.entries);
  if (owed?.commit !== undefined) {
    const files = await openProjectFiles(project.resolved.root, { globs: false });
    // What somebody has changed since is theirs.
    const isSame = (path: string, digest: string): boolean =>
      files.stamp(path) !== undefined && files.digest(path) === digest;
    const same = owed.files.flatMap(({ path, digest }) => (isSame(path, digest) ? [path] : []));
    const { commitHere } = await import('../run/worktree-ports.js');
    await commitHere(project, context, { files: same, message: owed.commit });
  }
  rmSync(planningMark(stateDir), { force: true });
}

type Entries = NewestRun['reading']['entries'];

const lastChange = (entries: Entries): TaskFileChanged | undefined =>
  entries.findLast((entry) => entry.type === 'task-file-changed');

const isOwed = (entries: Entries): boolean => lastChange(entries)?.commit !== undefined;
