import type { KeepReason } from '../../model/files/keep-reason.js';
import type { TaskId } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';

/** A run as `clean` sees it. */
export interface KeptRun {
  readonly id: string;
  /** Undefined when nothing was ever written to its journal. */
  readonly state: RunState | undefined;
  /** Its journal cannot be believed, or its folder is not where it seems to be. */
  readonly isUnsure: boolean;
  /** When something was last written. Milliseconds since 1970. */
  readonly lastAt: number;
}

/** What may go. With both, only what both would let go. */
export interface CleanRule {
  /** The newest so many stay. */
  readonly keep?: number;
  /** What has ended at this time or later stays. Milliseconds since 1970. */
  readonly endedBefore?: number;
}

export interface CleanPlan {
  readonly remove: readonly KeptRun[];
  /** Runs that the rule would let go and that stay all the same. */
  readonly spared: readonly { readonly run: KeptRun; readonly why: KeepReason }[];
}

/**
 * Which runs may go. `runs` come newest first; `tasksOf` answers with the tasks of a study, given its runs, as it was run last.
 * Whatever is the newest to hold a task's result stays, and so does the run that made it, whose logs tell how; so `exec`
 * finds as much as before.
 */
export function planClean(
  runs: readonly KeptRun[],
  tasksOf: (study: readonly KeptRun[]) => Iterable<TaskId>,
  rule: CleanRule,
): CleanPlan {
  const kept = new Map(studiesIn(runs).flatMap((study) => [...keptOf(study, tasksOf(study))]));
  const remove: KeptRun[] = [];
  const spared: { run: KeptRun; why: KeepReason }[] = [];
  for (const [index, run] of runs.entries()) {
    if (rule.keep !== undefined && index < rule.keep) continue;
    if (rule.endedBefore !== undefined && run.lastAt >= rule.endedBefore) continue;
    const why = kept.get(run);
    if (why === undefined) remove.push(run);
    else spared.push({ run, why });
  }
  return { remove, spared };
}

/** Several configs in one folder are studies of their own, and each has a newest run and a last good one. */
export function studiesIn(runs: readonly KeptRun[]): readonly (readonly KeptRun[])[] {
  const studies = new Map<string, KeptRun[]>();
  // A run that says no name goes with the one that came after it.
  let name = runs.find(({ state }) => state !== undefined)?.state?.name ?? '';
  for (const run of runs) {
    name = run.state?.name ?? name;
    const study = studies.get(name);
    if (study) study.push(run);
    else studies.set(name, [run]);
  }
  return [...studies.values()];
}

/** Why runs of one study stay, whatever the rule. */
function keptOf(study: readonly KeptRun[], tasks: Iterable<TaskId>): ReadonlyMap<KeptRun, KeepReason> {
  const inUse = runsInUse(study, tasks);
  const lastPassed = study.findIndex(({ state }) => state?.outcome === 'passed');
  const whyKept = (run: KeptRun, index: number): KeepReason | undefined => {
    if (index === 0) return 'newest';
    if (run.isUnsure) return 'unsure';
    if (index <= lastPassed) return 'last-passed';
    if (run.state?.outcome === 'waiting') return 'waiting';
    return inUse.has(run.id) ? 'in-use' : undefined;
  };
  return new Map(
    study.flatMap((run, index) => {
      const why = whyKept(run, index);
      return why === undefined ? [] : [[run, why] as const];
    }),
  );
}

function runsInUse(runs: readonly KeptRun[], tasks: Iterable<TaskId>): ReadonlySet<string> {
  const used = new Set<string>();
  for (const task of tasks) {
    const holder = runs.find(({ state }) => state?.tasks.get(task)?.product !== undefined);
    const maker = runs.find(({ state }) => state?.tasks.get(task)?.status === 'passed');
    for (const run of [holder, maker]) if (run) used.add(run.id);
  }
  return used;
}
