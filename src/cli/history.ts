import { openProjectFiles } from '../adapters/project-files.js';
import { openRunStore, type RunStore } from '../adapters/run-store.js';
import type { JournalReading } from '../adapters/file-journal.js';
import { FailureError } from '../model/failure.js';
import { isGlob } from '../model/glob.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Plan, TaskId } from '../model/plan.js';
import type { Files } from '../model/ports.js';
import type { DeciderInput } from '../run/decider.js';
import type { PastResult } from '../run/freshness.js';
import type { Selected } from '../run/select.js';
import type { Project } from './open-project.js';

/** What earlier runs left behind: the newest result of each task, and the run that did not end. */
export interface History {
  readonly store: RunStore;
  readonly files: Files;
  readonly decider: DeciderInput;
  /** The newest run, when it has not come to an end of its own. */
  readonly unfinished: { readonly id: string; readonly reading: JournalReading } | undefined;
  /** With --only: chosen tasks whose needs were left out and have never passed. */
  missingNeeds(): readonly Diagnostic[];
}

export interface HistoryOptions {
  readonly agentId: string;
  readonly selected: Selected;
  /** A new run is wanted: journals that cannot be trusted are passed over instead of standing in its way. */
  readonly afresh?: boolean;
}

export async function openHistory({ plan, resolved }: Project, options: HistoryOptions): Promise<History> {
  const store = openRunStore(resolved.root, options.agentId);
  const files = await openProjectFiles(resolved.root, { globs: usesGlobs(plan) });
  const ids = options.afresh ? readable(store) : store.ids();
  const newest = ids[0] === undefined ? undefined : store.read(ids[0]);
  const past = pastResults(plan, store, ids, newest);
  const unfinished =
    newest?.state && !['passed', 'failed'].includes(newest.state.outcome)
      ? { id: ids[0]!, reading: newest }
      : undefined;
  return {
    store,
    files,
    unfinished,
    decider: { files, selected: options.selected, past: (id) => past.get(id) },
    missingNeeds: () => (options.selected.isAll ? [] : missingNeeds(plan, options.selected, past)),
  };
}

function readable(store: RunStore): readonly string[] {
  return store.ids().filter((id) => {
    try {
      store.read(id);
      return true;
    } catch (error) {
      if (error instanceof FailureError) return false;
      throw error;
    }
  });
}

const usesGlobs = (plan: Plan): boolean =>
  plan.tasks.some(({ inputs, outputs, description }) =>
    [inputs, outputs, description.reads ?? []].some((paths) => paths.some(isGlob)),
  );

/** Looks through the runs from the newest back until each task has been found; usually the newest knows them all. */
function pastResults(
  plan: Plan,
  store: RunStore,
  ids: readonly string[],
  newest: JournalReading | undefined,
): ReadonlyMap<TaskId, PastResult> {
  const results = new Map<TaskId, PastResult>();
  const wanted = new Set(plan.tasks.map((task) => task.id));
  for (const [index, id] of ids.entries()) {
    if (wanted.size === 0) break;
    const state = (index === 0 ? newest : store.read(id))?.state;
    if (!state) continue;
    let tasks: ReadonlyMap<TaskId, Plan['tasks'][number]> | undefined;
    for (const taskId of wanted) {
      const task = state.tasks.get(taskId);
      if (!task || task.status === 'skipped') continue;
      tasks ??= new Map(store.readPlan(id)?.tasks.map((planned) => [planned.id, planned]));
      const planned = tasks.get(taskId);
      results.set(taskId, planned ? { state: task, task: planned } : { state: task });
      wanted.delete(taskId);
    }
  }
  return results;
}

function missingNeeds(plan: Plan, selected: Selected, past: ReadonlyMap<TaskId, PastResult>): readonly Diagnostic[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const missing = new Map<string, Diagnostic>();
  for (const task of plan.tasks) {
    if (!selected.isChosen(task)) continue;
    for (const need of task.needs) {
      const needed = byId.get(need)!;
      if (selected.isChosen(needed) || needed.skip || past.get(need)?.state.product !== undefined) continue;
      missing.set(`${task.stage} ${needed.stage}`, {
        code: 'AR604',
        message: `--only ${task.stage} needs ${needed.stage}, which has never passed`,
        at: { kind: 'argument', argument: task.stage },
        hint: `Run it too: --only ${needed.stage},${task.stage}`,
      });
    }
  }
  return [...missing.values()];
}
