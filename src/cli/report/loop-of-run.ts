import { dirname } from 'node:path';
import type { RunState } from '../../model/state/run-state.js';
import type { LoopFacts } from '../../report/history/run-facts.js';
import type { CliContext } from '../context.js';

export interface LoopRun {
  readonly context: CliContext;
  /** The project folder. */
  readonly root: string;
  /** The folder of the run. */
  readonly dir: string;
  readonly state: RunState;
}

/** What a report tells of the loop that a run belongs to. Most runs belong to none, and load nothing for it. */
export async function loopOfRun(
  { context, root, dir, state }: LoopRun,
  lines?: number,
): Promise<{ readonly loop?: LoopFacts }> {
  if (!state.iteration) return {};
  const { loopFacts } = await import('../iterate/loop-now.js');
  const loop = loopFacts({ root, dir: dirname(dirname(dir)), context }, state, lines);
  return loop ? { loop } : {};
}
