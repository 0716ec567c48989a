import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import { openRunStore, type RunStore, stateDir } from '../../adapters/journal/run-store.js';
import { isLocked } from '../../adapters/lock/state-lock.js';
import { locateConfig } from '../../config/find.js';
import { FailureError } from '../../model/failure.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { CliContext } from '../context.js';
import { refuseCutJournal } from './cut-journal.js';

export interface OpenedReading {
  readonly id: string;
  readonly dir: string;
  readonly store: RunStore;
  readonly state: RunState;
  readonly reading: JournalReading;
}

/** The state folder lies beside the config. Looking at runs must work while the config has mistakes in it. */
export async function storeFor(context: CliContext): Promise<RunStore> {
  const found = await locateConfig(context.cwd, context.configFile);
  return openRunStore(found.ok ? dirname(found.value.file) : rootWithState(context), context.agentId);
}

/** Without a config that can be found, the nearest folder that holds state of this agent id; a repository ends the search. */
export function rootWithState({ cwd, configFile, agentId }: CliContext): string {
  const from = configFile === undefined ? cwd : dirname(configFile);
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(stateDir(folder, agentId))) return folder;
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return from;
  }
}

/** The run that --run names, or the newest that has begun. */
export async function openRun(context: CliContext): Promise<OpenedReading> {
  const store = await storeFor(context);
  const wanted = context.value('run');
  for (const id of wanted === undefined ? await idsFor(context, store) : [store.find(wanted)]) {
    const reading = store.read(id);
    if (!reading?.state) continue;
    refuseCutJournal({ id, reading }, { root: dirname(dirname(store.dir)), store, context });
    return { id, dir: store.runDir(id), store, state: honest(reading.state, store), reading };
  }
  throw new FailureError({ code: 'run-not-found', run: wanted ?? '' });
}

/** Who names a config means its runs, where there are several in one folder. */
async function idsFor(context: CliContext, store: RunStore): Promise<readonly string[]> {
  const ids = store.ids();
  if (context.configFile === undefined || ids.length < 2) return ids;
  const { resolveFor } = await import('../project/open-project.js');
  const resolved = await resolveFor(context);
  if (!resolved.ok) return ids;
  const { name } = resolved.value.config;
  return ids.toSorted((a, b) => Number(store.nameOf(b) === name) - Number(store.nameOf(a) === name));
}

/** A journal that stops in mid-run reads "running" for ever; without a live runner that is not so. */
export const honest = (state: RunState, store: RunStore): RunState =>
  state.outcome === 'running' && !isLocked(store.dir)
    ? { ...state, outcome: 'cancelled', tasks: new Map([...state.tasks].map(([id, task]) => [id, ended(task)])) }
    : state;

const ended = (task: TaskState): TaskState =>
  task.status === 'running' || task.status === 'retrying' ? { ...task, status: 'cancelled' } : task;
