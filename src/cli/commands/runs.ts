import { dirname } from 'node:path';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import { noSpend } from '../../model/money/spend.js';
import type { RunState } from '../../model/state/run-state.js';
import type { CliContext } from '../context.js';
import { honest, storeFor } from '../history/open-run.js';

export async function run(context: CliContext): Promise<number> {
  const store = await storeFor(context);
  const ids = store.ids();
  const states = ids.flatMap((id, done): RunState[] => {
    context.progress.at({ what: 'reading runs', done, total: ids.length });
    try {
      const state = store.read(id)?.state;
      return state ? [honest(state, store)] : [];
    } catch (error) {
      if (error instanceof FailureError) return [untrusted(id)];
      throw error;
    }
  });
  const place = { root: dirname(dirname(store.dir)), dir: store.dir, context };
  const loops = states.some(({ iteration }) => iteration)
    ? (await import('../iterate/loop-now.js')).loopVerdicts(place)
    : undefined;
  if (context.flag('json')) {
    const { runsJson } = await import('../../report/history/status-json.js');
    context.stdout.write(`${JSON.stringify(runsJson(states, loops), null, 2)}\n`);
  } else {
    const { runsText } = await import('../../report/history/runs-text.js');
    context.stdout.write(
      runsText(states, { now: Date.now(), color: context.stdout.color, ...(loops ? { loops } : {}) }),
    );
  }
  return exitCode.passed;
}

/** A journal that was tampered with still shows that there was a run. */
const untrusted = (id: string): RunState => ({
  run: id,
  name: '',
  planDigest: '',
  outcome: 'violated',
  startedAt: 0,
  latestAt: 0,
  tasks: new Map(),
  forced: new Set(),
  runners: [],
  settings: {},
  workedMs: 0,
  spend: { ...noSpend, unpricedCalls: 0 },
  spentOn: new Map(),
  sessions: new Map(),
  sentBack: new Map(),
  calibrated: new Map(),
  jobs: new Map(),
  parameters: new Map(),
});
