import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunStore } from '../../adapters/journal/run-store.js';
import type { JournalEntry } from '../../model/events/event.js';
import { exitCode } from '../../model/exit-code.js';
import type { StandingFacts } from '../../model/files/standing-note.js';
import type { Plan } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { standingFacts, standingText } from '../../report/history/standing-text.js';
import type { DeciderInput } from '../../run/freshness/decider.js';
import { holdsOnDisk } from '../../run/freshness/freshness.js';
import type { CliContext } from '../context.js';
import type { NewestRun } from './history.js';

/** A run that says already all that another one would say. */
export interface Standing {
  readonly said: StandingFacts;
  /** Absolute. */
  readonly runDir: string;
  /** The first and the last event. */
  ends(): readonly (JournalEntry | undefined)[];
}

export function standingOf(plan: Plan, { id, reading }: NewestRun, store: RunStore): Standing {
  const { entries } = reading;
  return {
    said: standingFacts(plan, reading.state!),
    runDir: store.runDir(id),
    ends: () => [entries[0], entries.at(-1)],
  };
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
    // Nobody has come to it since the plan was changed.
    if (known?.from !== undefined) return false;
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
export async function tellStanding(context: CliContext, { said, runDir, ends }: Standing): Promise<number> {
  const reporter = context.flag('json') ? 'json' : context.value('reporter');
  if (reporter === 'json') {
    context.stdout.write(
      ends()
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    );
  } else if (reporter !== 'silent' && !context.quiet) {
    const { cwd, stdout } = context;
    stdout.write(standingText(said, { runDir, cwd, now: Date.now(), color: stdout.color }));
    const page = join(runDir, 'report.html');
    if (existsSync(page)) stdout.write(`${page}\n`);
  }
  return exitCode.passed;
}
