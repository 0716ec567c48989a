import { attemptDir } from '../../adapters/kept/attempt-folder.js';
import type { History } from '../history/history.js';
import type { RunEnvironment } from '../run/run-environment.js';

/** A runner that was killed had no time to scrub the logs of what it was at. */
export async function scrubLeftBehind({ store, unfinished }: History, environment: RunEnvironment): Promise<void> {
  const state = unfinished?.reading.state;
  if (!state) return;
  const tasks = store.readPlan(unfinished.id)?.tasks ?? [];
  for (const { id, passEnv, agent, retry } of tasks) {
    const attempts = state.tasks.get(id)?.attempts ?? 0;
    const known = agent || typeof retry.fix === 'string' ? 'any' : passEnv;
    if (attempts > 0 && known) await environment.scrub(attemptDir(store.runDir(unfinished.id), id, attempts), known);
  }
}
