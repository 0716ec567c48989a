import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { exitCode } from '../../model/exit-code.js';
import type { Plan } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { DeciderInput } from '../../run/freshness/decider.js';
import { holdsOnDisk } from '../../run/freshness/freshness.js';
import type { CliContext } from '../context.js';
import type { NewestRun } from './history.js';

/** A run that says already all that another one would say. */
export interface Standing {
  readonly plan: Plan;
  readonly newest: NewestRun;
  readonly store: RunStore;
}

/**
 * Whether a run passed, for this very plan, and each of its results still holds. Then no other is begun. Whoever types
 * `exec` twice keeps the run that did the work as the newest, with its logs and times under `status` and `logs`, and no list
 * of runs that did nothing.
 *
 * That run decided about every task of the same plan after its needs, so only the files can have changed since.
 */
export function isStanding(
  plan: Plan,
  state: RunState | undefined,
  { files, selected, gateOf }: Pick<DeciderInput, 'files' | 'selected' | 'gateOf'>,
): boolean {
  if (state?.outcome !== 'passed' || state.planDigest !== plan.digest) return false;
  return plan.tasks.every((task) => {
    if (task.skip || !selected.isChosen(task)) return true;
    const known = state.tasks.get(task.id);
    if (!task.cache || selected.isForced(task) || (known?.status !== 'passed' && known?.status !== 'cached'))
      return false;
    if (task.gate && gateOf?.(task, known, plan).kind !== 'passed') return false;
    return holdsOnDisk(task, known, files) && isTold(known, files);
  });
}

/** What had to be read to know that it still holds is worth a record, so that it is not read again the next time. */
function isTold({ fingerprint, outputs = [] }: TaskState, files: Files): boolean {
  const told = (path: string): boolean => {
    const stamp = files.lastingStamp?.(path);
    return stamp === undefined || fingerprint?.stamps?.[path]?.ctimeNs === stamp.ctimeNs;
  };
  return Object.keys(fingerprint?.inputs ?? {}).every(told) && outputs.every(({ path }) => told(path));
}

/** Programs get the first and the last event of that run, as they would of any other. */
export async function tellStanding(context: CliContext, { plan, newest, store }: Standing): Promise<number> {
  const { id, reading } = newest;
  const reporter = context.flag('json') ? 'json' : context.value('reporter');
  if (reporter === 'json') {
    const { entries } = reading;
    context.stdout.write(`${JSON.stringify(entries[0])}\n${JSON.stringify(entries.at(-1))}\n`);
  } else if (reporter !== 'silent' && !context.quiet) {
    const { standingText } = await import('../../report/history/standing-text.js');
    const { cwd, stdout } = context;
    const runDir = store.runDir(id);
    stdout.write(standingText({ plan, state: reading.state!, runDir, cwd, now: Date.now(), color: stdout.color }));
    const page = join(runDir, 'report.html');
    if (existsSync(page)) stdout.write(`${page}\n`);
  }
  return exitCode.passed;
}
