import { downstreamOf } from '../../graph/reach.js';
import type { Task } from '../../model/plan.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { ChangeTools } from './judge-change.js';

/**
 * Whether nobody may change these files now. What the study protects nobody may; what a stage protects from its own agent, a planner
 * may change while none of those is at work, or could begin meanwhile, who would be taken for who did it.
 */
export async function isProtected(
  task: Task,
  patterns: readonly string[],
  { plan, state, ports }: Pick<ChangeTools, 'plan' | 'state' | 'ports'>,
): Promise<boolean> {
  const { tasks, protect } = plan();
  if (!protect?.length && tasks.every((one) => !one.protect?.length)) return false;
  const match = await loadGlobMatch();
  const paths = [...patterns, ...ports.files.expand(patterns)];
  const covers = (guarded: readonly string[] = []): boolean =>
    guarded.some((pattern) => paths.some((path) => pattern === path || match(pattern, path)));
  if (covers(protect)) return true;
  // A worktree has what was protected when it was made, and has to have it in the end.
  if (tasks.some((one) => one.stage === task.stage && one.isolation && covers(one.protect))) return true;
  const later = downstreamOf([task.id], tasks);
  const mayWork = ({ id, stage, parallel }: Task): boolean => {
    const status = state().tasks.get(id)?.status;
    const isOver = status !== undefined && status !== 'running' && status !== 'retrying';
    // One at a time: this one has the stage to itself until it ends.
    const isNext = stage === task.stage && parallel === 1 && status !== 'running' && status !== 'retrying';
    return id !== task.id && !isOver && !isNext && !later.has(id);
  };
  return tasks.some((one) => covers(one.protect) && mayWork(one));
}
