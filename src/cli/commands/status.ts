import { dirname } from 'node:path';
import { exitCode } from '../../model/exit-code.js';
import { again, place } from '../again.js';
import type { CliContext } from '../context.js';
import { openRun } from '../history/open-run.js';
import { openSessions } from '../run/open-sessions.js';

export async function run(context: CliContext): Promise<number> {
  const { store, id, state, dir } = await openRun(context);
  const plan = store.readPlan(id);
  const sessions = await openSessions(store.dir, context.env);
  // Of a run that is at work, or that others came after, nothing is to be said but what it did.
  const isLast = state.outcome !== 'running' && id === store.ids().find((one) => store.nameOf(one) === state.name);
  // Who goes on with a run goes on with its values; one that passed is held against what is typed now.
  const ofRun = state.outcome === 'passed' || state.outcome === 'running' ? [] : (state.set ?? []);
  const asked = context.set.length > 0 ? context : { ...context, set: ofRun };
  const isKnown = !asked.set.some((value) => value.includes('[secret '));
  const stale =
    isLast && isKnown ? await (await import('../history/stale-since.js')).staleSince(asked, state) : undefined;
  const root = dirname(dirname(store.dir));
  const loop = state.iteration
    ? (await import('../iterate/loop-now.js')).loopNow({ root, dir: store.dir, context }, state)
    : undefined;
  const more = { sessions, ...(stale ? { stale } : {}), ...(loop ? { loop } : {}) };
  if (context.flag('json')) {
    const { statusJson } = await import('../../report/history/status-json.js');
    context.stdout.write(`${JSON.stringify(statusJson(state, plan, { ...more, again: again(asked) }), null, 2)}\n`);
  } else {
    const { statusText } = await import('../../report/history/status-text.js');
    context.stdout.write(
      statusText({
        state,
        runDir: dir,
        cwd: context.cwd,
        now: Date.now(),
        color: context.stdout.color,
        again: again(asked),
        place: place(context),
        ...(plan ? { plan } : {}),
        ...more,
        verbose: context.verbose,
      }),
    );
  }
  return exitCode.passed;
}
