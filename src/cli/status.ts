import { exitCode } from '../model/exit-code.js';
import type { CliContext } from './context.js';
import { openRun } from './open-run.js';

export async function run(context: CliContext): Promise<number> {
  const { store, id, state, dir } = await openRun(context);
  const plan = store.readPlan(id);
  if (context.flag('json')) {
    const { statusJson } = await import('../report/status-json.js');
    context.stdout.write(`${JSON.stringify(statusJson(state, plan), null, 2)}\n`);
  } else {
    const { statusText } = await import('../report/status-text.js');
    context.stdout.write(
      statusText({
        state,
        runDir: dir,
        cwd: context.cwd,
        now: Date.now(),
        color: context.stdout.color,
        ...(plan ? { plan } : {}),
      }),
    );
  }
  return exitCode.passed;
}
