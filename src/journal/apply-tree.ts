import type { TreeEvent } from '../model/events/tree-event.js';
import type { Failure } from '../model/failure.js';
import type { TaskState } from '../model/state/run-state.js';

type OfTask = Exclude<TreeEvent, { type: 'outputs-committed' | 'checkout-stashed' }>;

/** What the journal tells of a task's worktree. */
export function withTree(task: TaskState, event: OfTask): TaskState {
  switch (event.type) {
    case 'worktree-created': {
      const { branch, path, base, into, carried, protection } = event;
      return {
        ...task,
        tree: { branch, path, base, into, carried, ...(protection === undefined ? {} : { protection }) },
      };
    }
    case 'worktree-updated': {
      const { carried, protection } = event;
      return task.tree
        ? { ...task, tree: { ...task.tree, carried, ...(protection === undefined ? {} : { protection }) } }
        : task;
    }
    case 'worktree-behind':
      return task;
    case 'worktree-committed': {
      const { attempt, tip, message, atMs, fingerprint, summary } = event;
      const made = fingerprint === undefined ? {} : { fingerprint };
      return {
        ...task,
        committed: { attempt, tip, message, atMs, ...made, ...(summary === undefined ? {} : { summary }) },
      };
    }
    case 'worktree-merged':
      return task.committed ? { ...task, committed: { ...task.committed, merged: true } } : task;
    // One that is kept for what is in it is not worked in any more either.
    case 'worktree-removed':
    case 'worktree-kept': {
      const { tree: _tree, ...rest } = task;
      return rest;
    }
  }
}

/** Another attempt goes on in the same worktree, also after a resume. */
export const treeSoFar = (task: TaskState | undefined): Pick<TaskState, 'tree' | 'committed'> => ({
  ...(task?.tree ? { tree: task.tree } : {}),
  ...(task?.committed ? { committed: task.committed } : {}),
});

export function withoutCommitted(task: TaskState): TaskState {
  if (!task.committed) return task;
  const { committed: _committed, ...rest } = task;
  return rest;
}

/** Was the work done and could only not be merged, it is not to be done, and paid, again. */
export function afterFailure(task: TaskState, { code }: Failure): TaskState {
  const isDone = code === 'merge-conflict' || code === 'worktree-failed' || code === 'cancelled';
  return isDone && !task.committed?.merged ? task : withoutCommitted(task);
}

/** A person asked for them anew: what was begun counts no more. It stays in its worktree until that is put away. */
export function beginAnew(tasks: Map<string, TaskState>, ids: readonly string[]): void {
  for (const id of ids) {
    const task = tasks.get(id);
    if (!task) continue;
    const { tree: _tree, ...rest } = withoutCommitted(task);
    tasks.set(id, rest);
  }
}
