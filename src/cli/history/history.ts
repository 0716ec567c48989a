import { statSync } from 'node:fs';
import { openProjectFiles, type ProjectFiles } from '../../adapters/disk/project-files.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { FailureError } from '../../model/failure.js';
import type { SentBack } from '../../model/gates/gate.js';
import { sentBackWords } from '../../model/gates/gate-words.js';
import { isGlob } from '../../model/glob.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Files, Progress } from '../../model/ports.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { DeciderInput } from '../../run/freshness/decider.js';
import { definitionDigests } from '../../run/freshness/fingerprint.js';
import type { PastResult } from '../../run/freshness/freshness.js';
import { alsoForced, type Selected } from '../../run/select.js';
import { eachTime, type IterationWish } from '../iterate/iteration-wish.js';
import type { Project } from '../project/open-project.js';

/** What earlier runs left behind: the newest result of each task, and the run that did not end. */
export interface History {
  readonly store: RunStore;
  readonly files: Files;
  /** What was asked for now, without what an interrupted run still has to do. */
  readonly asked: Selected;
  /** Looks at the files anew for every question, because a run changes them. */
  readonly decider: DeciderInput;
  /** The same for before anything runs: each file is looked at once. */
  still(): DeciderInput;
  readonly newest: NewestRun | undefined;
  /** The newest run, when it has not come to an end of its own. */
  readonly unfinished: NewestRun | undefined;
  /** With --only: chosen tasks whose needs were left out and have never passed. */
  missingNeeds(): readonly Diagnostic[];
}

export interface NewestRun {
  readonly id: string;
  readonly reading: JournalReading;
}

export interface HistoryOptions {
  readonly agentId: string;
  readonly selected: Selected;
  /** A new run is wanted: journals that cannot be trusted are passed over instead of standing in its way. */
  readonly afresh?: boolean;
  /** The newest run as it was seen before the lock was taken. */
  readonly seen?: NewestRun;
  /** In a loop: the iteration that the run is for. */
  readonly iteration?: IterationWish;
  readonly progress?: Progress;
}

export async function openHistory({ plan, resolved }: Project, options: HistoryOptions): Promise<History> {
  const store = openRunStore(resolved.root, options.agentId);
  const files = await openProjectFiles(resolved.root, {
    globs: usesGlobs(plan),
    ...(options.progress ? { progress: options.progress } : {}),
  });
  const ids = options.afresh ? readable(store) : store.ids();
  const { newest, order } = ownRuns(store, ids, { name: plan.name, seen: options.seen });
  const past = pastResults(plan, store, order, newest);
  for (const { state } of past.values()) tellDigests(state, files);
  const { iteration } = options;
  const isOurs = iteration?.owns ?? isUnfinished;
  const unfinished = newest && isOurs(newest.reading.state!) ? newest : undefined;
  const forced = options.afresh ? undefined : unfinished?.reading.state?.forced;
  const wanted = forced ? alsoForced(options.selected, forced) : options.selected;
  const selected = iteration ? eachTime(wanted, iteration, unfinished?.reading.state) : wanted;
  const sentBack = options.afresh ? undefined : unfinished?.reading.state?.sentBack;
  const gates = await gatesOf(plan);
  const decider: DeciderInput = {
    files,
    selected,
    past: (id) => past.get(id),
    failureWords: (failure) => failureWords(failure).what,
    ...(sentBack ? { sentBack: (id: TaskId) => whyAgain(sentBack.get(id)) } : {}),
    ...(gates
      ? {
          gateOf: (task: Task, state: TaskState, current: Plan) =>
            gates.gateStanding(task, state, { plan: current, files }),
        }
      : {}),
  };
  let still: DeciderInput | undefined;
  return {
    store,
    files,
    asked: options.selected,
    newest,
    unfinished,
    decider,
    still: () => {
      if (!still) {
        const now = files.still();
        const gateOf = (task: Task, state: TaskState, current: Plan) =>
          gates!.gateStanding(task, state, { plan: current, files: now });
        still = { ...decider, files: now, ...(gates ? { gateOf } : {}) };
      }
      return still;
    },
    missingNeeds: () => (options.selected.isAll ? [] : missingNeeds(plan, options.selected, decider)),
  };
}

const whyAgain = (back: SentBack | undefined): string | undefined => back && sentBackWords(back);

/** Most studies have no gates, and load nothing for them. */
async function gatesOf({ tasks }: Plan) {
  if (!tasks.some(({ gate }) => gate)) return undefined;
  const { gateStanding } = await import('../../run/gates/standing.js');
  return { gateStanding };
}

/** A journal only grows: one of the same length is the one that was read a moment ago. */
function readNewest(store: RunStore, id: string, seen: NewestRun | undefined): JournalReading | undefined {
  if (seen?.id !== id || seen.reading.torn) return store.read(id);
  const size = statSync(store.journalFile(id), { throwIfNoEntry: false })?.size;
  return size === seen.reading.goodBytes ? seen.reading : store.read(id);
}

/**
 * The newest run of this study, and where to look for results: first in runs of this study, then in those of others, since a
 * study may have been given another name. The newest of all is read in any case: one that was tampered with is told of.
 */
function ownRuns(
  store: RunStore,
  ids: readonly string[],
  { name, seen }: { readonly name: string; readonly seen: NewestRun | undefined },
): { readonly newest: NewestRun | undefined; order(): Iterable<string> } {
  const [last] = ids;
  if (last === undefined) return { newest: undefined, order: () => [] };
  const reading = readNewest(store, last, seen);
  const isOther = (id: string): boolean => {
    const other = id === last ? reading?.state?.name : store.nameOf(id);
    return other !== undefined && other !== name;
  };
  const id = isOther(last) ? ids.find((one) => !isOther(one)) : last;
  const own = id === last || id === undefined ? reading : store.read(id);
  return {
    newest: id !== undefined && own?.state ? { id, reading: own } : undefined,
    *order() {
      const others: string[] = [];
      for (const one of ids) {
        if (isOther(one)) others.push(one);
        else yield one;
      }
      yield* others;
    },
  };
}

/** A run that failed is not done: `exec` goes on with it. */
const isUnfinished = ({ outcome }: RunState): boolean => outcome !== 'passed';

/** What a journal says about a file's content need not be read again while the file has the stamp that it had then. */
export function tellDigests({ outputs = [], fingerprint }: TaskState, files: ProjectFiles): void {
  const digests = new Map<string, string>();
  for (const output of outputs) {
    digests.set(output.path, output.digest);
    files.remember(output.path, { stamp: output, digest: output.digest, lasting: false });
  }
  if (fingerprint?.v !== 1) return;
  for (const [path, stamp] of Object.entries(fingerprint.stamps ?? {})) {
    const digest = fingerprint.inputs[path] ?? digests.get(path);
    if (digest !== undefined) files.remember(path, { stamp, digest, lasting: true });
  }
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

export const usesGlobs = (plan: Plan): boolean =>
  plan.tasks.some(
    ({ inputs, outputs, description, gate }) =>
      [...inputs, ...outputs, ...(description.reads ?? []), ...lookedAt(gate)].some(isGlob) ||
      // It looks at what nobody can know ahead.
      description.always === true,
  );

const lookedAt = (gate: Task['gate']): readonly string[] => {
  if (typeof gate !== 'object') return [];
  const { good = [], bad = [] } = (gate.kind === 'auto-judge' ? gate.calibrate : undefined) ?? {};
  const checked =
    gate.kind === 'auto' ? gate.checks.flatMap((one) => (typeof one === 'object' ? (one.file ?? []) : [])) : [];
  return [...(gate.evidence ?? []), ...good, ...bad, ...checked];
};

/** Looks through the runs from the newest back until each task has been found; usually the newest knows them all. */
function pastResults(
  plan: Plan,
  store: RunStore,
  order: () => Iterable<string>,
  newest: NewestRun | undefined,
): ReadonlyMap<TaskId, PastResult> {
  const results = new Map<TaskId, PastResult>();
  let wanted: Set<TaskId> | undefined;
  for (const id of order()) {
    wanted ??= new Set(plan.tasks.map((task) => task.id));
    const state = (id === newest?.id ? newest.reading : store.read(id))?.state;
    if (!state) continue;
    // Only needed to say what changed, and large.
    let plans: readonly ReadonlyMap<TaskId, Task>[] | undefined;
    const planned = ({ id: taskId, fingerprint }: TaskState): Task | undefined => {
      plans ??= store.readPlans(id).map(({ tasks }) => new Map(tasks.map((task) => [task.id, task])));
      const then = plans.flatMap((tasks) => tasks.get(taskId) ?? []);
      return then.find((one) => definitionDigests(one).options === fingerprint?.options) ?? then[0];
    };
    for (const taskId of wanted) {
      const task = state.tasks.get(taskId);
      if (!task || task.status === 'skipped') continue;
      results.set(taskId, {
        state: task,
        run: id,
        get task() {
          return planned(task);
        },
      });
      wanted.delete(taskId);
    }
    // Not at the top: to find out which run is next takes a look into it.
    if (wanted.size === 0) break;
  }
  return results;
}

function missingNeeds(plan: Plan, selected: Selected, { past, gateOf }: DeciderInput): readonly Diagnostic[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const missing = new Map<string, Diagnostic>();
  for (const task of plan.tasks) {
    if (!selected.isChosen(task)) continue;
    for (const need of task.needs) {
      const needed = byId.get(need)!;
      const state = past(need)?.state;
      const isGated = state?.product !== undefined && needed.gate && gateOf?.(needed, state, plan).kind !== 'passed';
      if (selected.isChosen(needed) || needed.skip || (state?.product !== undefined && !isGated)) continue;
      missing.set(`${task.stage} ${needed.stage}`, {
        code: 'AR604',
        message: `--only ${task.stage} needs ${needed.stage}, ${isGated ? 'whose gate has not passed' : 'which has never passed'}`,
        at: { kind: 'argument', argument: task.stage },
        hint: `Run it too: --only ${needed.stage},${task.stage}`,
      });
    }
  }
  return [...missing.values()];
}
