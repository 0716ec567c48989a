import { dirname } from 'node:path';
import { diskSpace } from '../../adapters/disk/disk-space.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { type LockView, seeLock } from '../../adapters/lock/state-lock.js';
import type { Outcome } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { Finding } from '../../model/finding.js';
import type { RunState } from '../../model/state/run-state.js';
import { toldOutcome } from '../../report/iterations/loop-outcome.js';
import type { CliContext } from '../context.js';
import { honest } from '../history/open-run.js';

export function folderFindings({ dir }: RunStore): readonly Finding[] {
  const { isThere, isWritable, filesystem, freeBytes, freeFiles } = diskSpace(dir);
  const isLasting = filesystem !== 'tmpfs' && filesystem !== 'ramfs';
  const isFull = freeBytes < leastBytes || (freeFiles !== undefined && freeFiles < leastFiles);
  return [
    {
      check: 'state',
      standing: !isWritable ? 'wrong' : isLasting ? 'fine' : 'odd',
      dir,
      isThere,
      isWritable,
      filesystem,
    },
    {
      check: 'disk',
      standing: isFull ? 'wrong' : freeBytes < fewBytes ? 'odd' : 'fine',
      freeBytes,
      ...(freeFiles === undefined ? {} : { freeFiles }),
    },
  ];
}

/** Below the first a run gets nowhere, below the second it may not get through the night. */
const leastBytes = 50e6;
const leastFiles = 1000;
const fewBytes = 2e9;

export function lockFinding(lock: LockView | undefined): Finding {
  if (!lock) return { check: 'lock', standing: 'fine', kind: 'free' };
  const { standing, holder } = lock;
  const told = holder && {
    host: holder.host,
    pid: holder.pid,
    since: holder.since,
    ...(holder.run === undefined ? {} : { run: holder.run }),
  };
  return {
    check: 'lock',
    standing: standing === 'alive' ? 'fine' : standing === 'dead' ? 'odd' : 'wrong',
    kind: standing,
    ...(told ? { holder: told } : {}),
  };
}

export const lockOf = (store: RunStore): LockView | undefined => seeLock(store.dir);

export interface NewestRun {
  readonly id: string;
  readonly reading?: JournalReading;
  readonly problem?: string;
}

export function newestRun(store: RunStore): NewestRun | undefined {
  for (const id of store.ids()) {
    try {
      const reading = store.read(id);
      if (reading?.state) return { id, reading };
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      const { failure } = error;
      return { id, problem: 'detail' in failure ? `${failure.detail}` : failure.code };
    }
  }
  return undefined;
}

export async function runsFinding(
  store: RunStore,
  newest: NewestRun | undefined,
  context: CliContext,
): Promise<Finding> {
  const count = store.ids().length;
  const state = newest?.reading?.state;
  if (newest?.problem !== undefined)
    return {
      check: 'runs',
      standing: 'wrong',
      count,
      problem: newest.problem,
      newest: { run: newest.id, outcome: 'violated' },
    };
  if (!state) return { check: 'runs', standing: 'fine', count };
  const known = honest(state, store);
  const outcome = known.iteration ? await toldOfLoop(known, store, context) : known.outcome;
  const isFine = outcome === 'passed' || outcome === 'running';
  const isLoopOver = outcome !== known.outcome;
  const set = state.set ? { set: state.set } : {};
  const told = { run: state.run, outcome, ...(isLoopOver ? { isLoopOver } : {}), ...set };
  return { check: 'runs', standing: isFine ? 'fine' : 'odd', count, newest: told };
}

async function toldOfLoop(state: RunState, { dir }: RunStore, context: CliContext): Promise<Outcome> {
  const { loopNow } = await import('../iterate/loop-now.js');
  return toldOutcome(state, loopNow({ root: dirname(dirname(dir)), dir, context }, state));
}
