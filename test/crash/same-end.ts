import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { until } from '../support/until.js';
import type { CrashEnd, CrashRoom } from './crash-room.js';
import type { Expected } from './sketch.js';

/** What was true when the runner died, to be compared with what is true after it went on. */
export interface AtCrash {
  readonly records: number;
  readonly statuses: Record<string, string>;
  readonly ran: Record<string, number>;
  /** The run had come to its end before the runner died: the next exec starts another, with all of its tries. */
  readonly finished: boolean;
}

export const atCrash = (room: CrashRoom): AtCrash => ({
  records: room.journal()?.entries.length ?? 0,
  statuses: room.statuses(),
  ran: room.ran(),
  finished: room.journal()?.state?.finishedAt !== undefined,
});

/**
 * The end of a run that was killed once or more often and went on: as if nothing had happened. `crashes` stand in the
 * order in which they happened; each may have cost a task that was being tried one more try, and no other.
 */
export async function expectSameEnd(
  room: CrashRoom,
  end: CrashEnd,
  { expected, crashes }: { expected: Expected; crashes: readonly AtCrash[] },
): Promise<void> {
  const reading = room.journal();
  expect({
    code: end.code,
    outcome: reading?.state?.outcome,
    torn: reading?.torn,
    statuses: room.statuses(),
    outputs: room.outputs(),
    locked: existsSync(room.stateFile('lock')),
  }).toEqual({
    code: expected.code,
    outcome: expected.outcome,
    torn: false,
    statuses: expected.statuses,
    outputs: expected.outputs,
    locked: false,
  });
  expectNoSecondRun(room.ran(), expected, crashes);
  await until(() => room.processes().length === 0);
}

function expectNoSecondRun(ran: Record<string, number>, expected: Expected, crashes: readonly AtCrash[]): void {
  for (const { statuses, ran: then } of crashes) {
    const passed = Object.keys(statuses).filter((name) => statuses[name] === 'passed');
    expect(pick(ran, passed), 'a task ran again that had finished').toEqual(pick(then, passed));
  }
  for (const [name, count] of Object.entries(ran)) {
    const tries = expected.ran[name] ?? 0;
    const extra = crashes.map(({ statuses, finished }) => {
      if (statuses[name] === 'running') return 1;
      // A task that had failed for good is tried once more by a run that goes on: the cause may have been mended.
      return statuses[name] === 'failed' ? (finished ? tries : 1) : 0;
    });
    const most = extra.reduce((sum, one) => sum + one, tries);
    expect(count, `${name} ran more often than its tries and the crashes explain`).toBeLessThanOrEqual(most);
    expect(count, `${name} ran less often than it has to`).toBeGreaterThanOrEqual(tries);
  }
  expect(Object.keys(ran).sort()).toEqual(Object.keys(expected.ran).sort());
}

const pick = (from: Record<string, number>, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? 0]));
