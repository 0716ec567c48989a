import { exitCode } from '../model/exit-code.js';
import type { RunState } from '../model/run-state.js';
import type { CliContext } from './context.js';
import { honest, storeFor } from './open-run.js';

export async function run(context: CliContext): Promise<number> {
  const store = await storeFor(context);
  const states = store.ids().flatMap((id): RunState[] => {
    const state = store.read(id)?.state;
    return state ? [honest(state, store)] : [];
  });
  if (context.flag('json')) {
    const { runsJson } = await import('../report/status-json.js');
    context.stdout.write(`${JSON.stringify(runsJson(states), null, 2)}\n`);
  } else {
    const { runsText } = await import('../report/runs-text.js');
    context.stdout.write(runsText(states, { now: Date.now(), color: context.stdout.color }));
  }
  return exitCode.passed;
}
