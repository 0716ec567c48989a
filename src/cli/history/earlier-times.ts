import { statSync } from 'node:fs';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { FailureError } from '../../model/failure.js';
import { median } from '../../model/median.js';
import type { RunState } from '../../model/state/run-state.js';
import type { History } from './history.js';

/**
 * How long the tasks of a stage took in the newest run that did some of them. Only for a guess, so no more than a few journals
 * of moderate size are read, and none before somebody asks.
 */
export function earlierTimes({ store, newest }: History, current: string): (stage: string) => number | undefined {
  let ids: readonly string[] | undefined;
  const runs: ReadonlyMap<string, readonly number[]>[] = [];
  const run = (index: number): ReadonlyMap<string, readonly number[]> => {
    const id = ids![index]!;
    runs[index] ??= timesOf(id === newest?.id ? newest.reading.state : readState(store, id));
    return runs[index];
  };
  return (stage) => {
    ids ??= store.ids().filter((id) => id !== current);
    for (let index = 0; index < Math.min(ids.length, mostRuns); index++) {
      const took = median(run(index).get(stage) ?? []);
      if (took !== undefined) return took;
    }
    return undefined;
  };
}

const mostRuns = 5;
const mostBytes = 5e6;

function timesOf(state: RunState | undefined): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { id, status, durationMs } of state?.tasks.values() ?? []) {
    if (status !== 'passed' || durationMs === undefined) continue;
    const stage = id.split(':')[0]!;
    const known = times.get(stage);
    if (known) known.push(durationMs);
    else times.set(stage, [durationMs]);
  }
  return times;
}

function readState(store: RunStore, id: string): RunState | undefined {
  try {
    const { size } = statSync(store.journalFile(id));
    return size > mostBytes ? undefined : store.read(id)?.state;
  } catch (error) {
    // Whoever needs that run says what is wrong with it.
    if (error instanceof FailureError || 'syscall' in (error as Error)) return undefined;
    throw error;
  }
}
