import { dirname } from 'node:path';
import type { JournalReading } from '../adapters/file-journal.js';
import { isLocked } from '../adapters/state-lock.js';
import { openRunStore, type RunStore } from '../adapters/run-store.js';
import { findConfig, openConfig } from '../config/find.js';
import { FailureError } from '../model/failure.js';
import type { RunState, TaskState } from '../model/run-state.js';
import type { CliContext } from './context.js';

export interface OpenedReading {
  readonly id: string;
  readonly dir: string;
  readonly store: RunStore;
  readonly state: RunState;
  readonly reading: JournalReading;
}

/** The state folder lies beside the config. Looking at runs must work while the config has mistakes in it. */
export async function storeFor(context: CliContext): Promise<RunStore> {
  const { cwd, configFile } = context;
  const found = configFile === undefined ? await findConfig(cwd) : openConfig(cwd, configFile);
  return openRunStore(found.ok ? dirname(found.value.file) : context.cwd, context.agentId);
}

/** The run that --run names, or the newest that has begun. */
export async function openRun(context: CliContext): Promise<OpenedReading> {
  const store = await storeFor(context);
  const wanted = context.value('run');
  const ids = wanted === undefined ? store.ids() : [store.find(wanted)];
  for (const id of ids) {
    const reading = store.read(id);
    if (reading?.state) return { id, dir: store.runDir(id), store, state: honest(reading.state, store), reading };
  }
  throw new FailureError({ code: 'run-not-found', run: wanted ?? '' });
}

/** A journal that stops in mid-run reads "running" for ever; without a live runner that is not so. */
export const honest = (state: RunState, store: RunStore): RunState =>
  state.outcome === 'running' && !isLocked(store.dir)
    ? { ...state, outcome: 'cancelled', tasks: new Map([...state.tasks].map(([id, task]) => [id, ended(task)])) }
    : state;

const ended = (task: TaskState): TaskState =>
  task.status === 'running' || task.status === 'retrying' ? { ...task, status: 'cancelled' } : task;
