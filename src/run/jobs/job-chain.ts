import { resolve } from 'node:path';
import type { JsonObject } from '../../model/json.js';
import type { ParameterSet } from '../../model/parameters.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { Behaviour } from '../../model/stage.js';
import type { JobState } from '../../model/state/job-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { outputsBefore } from '../attempt/outputs.js';
import { taskVariables } from '../attempt/task-variables.js';
import { inputDigests } from '../freshness/fingerprint.js';
import type { JobErrand } from './job-errand.js';
import { orderDigest } from './job-names.js';

/** A job that is handed over before its task can begin: its scheduler holds it back until others have ended well. */
export type ChainedErrand = Omit<JobErrand, 'folder'> & {
  readonly after: { readonly ids: readonly string[]; readonly tags: readonly string[] };
};

export interface ChainTools {
  readonly run: string;
  readonly root: string;
  readonly files: Files;
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  plan(): Plan;
  state(): RunState;
  isChosen(task: Task): boolean;
  /** Something came of it before: it may not have to run at all. */
  hasResult(id: TaskId): boolean;
  passedTo(task: Task): { readonly [name: string]: string };
  parametersOf(task: Task): ParameterSet;
}

/**
 * The tasks that wait for nothing but jobs of the same cluster, this one among them. Only where one job is all that a task
 * does, and where nothing has to be looked at in between: no gate, no lock, no limit on how many are at work.
 */
export function chainedTo(by: Task, tools: ChainTools): ChainedErrand[] {
  return dependants(tools.plan(), by.id).flatMap((task) => errandOf(task, by.on!.cluster, tools) ?? []);
}

function errandOf(task: Task, cluster: string, tools: ChainTools): ChainedErrand | undefined {
  const { state, files, run, root } = tools;
  const wish = onlyJob(task, tools.behaviours);
  if (!wish || task.on?.cluster !== cluster || !isFree(task) || !tools.isChosen(task)) return undefined;
  if (tools.hasResult(task.id) || state().tasks.has(task.id)) return undefined;
  const jobs = [...state().jobs.values()];
  if (jobs.some((job) => job.task === task.id)) return undefined;
  const byId = new Map(tools.plan().tasks.map((each) => [each.id, each]));
  const after: JobState[] = [];
  for (const need of task.needs) {
    const parent = byId.get(need)!;
    const known = state().tasks.get(need);
    if (parent.gate) return undefined;
    if (known?.status === 'passed' || known?.status === 'cached') continue;
    const job = jobs.findLast((each) => each.task === need);
    if (!job || job.id === undefined || job.end || job.cluster !== cluster || !onlyJob(parent, tools.behaviours))
      return undefined;
    after.push(job);
  }
  if (after.length === 0) return undefined;
  const made = new Set(after.flatMap((job) => files.expand(byId.get(job.task)!.outputs)));
  const set = task.description.jobs ? tools.parametersOf(task) : {};
  return {
    task,
    attempt: 0,
    job: 0,
    run: wish.run,
    cwd: resolve(root, task.cwd),
    env: { ...taskVariables(task, { run, attempt: 1, root }), ...set },
    passed: tools.passedTo(task),
    cluster,
    resources: task.on.resources,
    inputs: Object.fromEntries(Object.entries(inputDigests(task, files)).filter(([path]) => !made.has(path))),
    before: Object.fromEntries(outputsBefore(task, files)),
    ...(Object.keys(set).length > 0 ? { set } : {}),
    after: { ids: after.map(({ id }) => id!), tags: after.map(({ tag }) => tag) },
  };
}

const isFree = ({ skip, agent, isolation, locks, parallel }: Task): boolean =>
  !(skip ?? agent ?? isolation ?? locks ?? parallel);

const onlyJob = (task: Task, behaviours: ReadonlyMap<string, Behaviour>) =>
  behaviours.get(task.uses)?.submits?.(task.options as JsonObject);

/** What its task reads is known only when those before it are done; the rest of the order is compared by itself. */
export const chainDigest = (errand: JobErrand | ChainedErrand): string => orderDigest({ ...errand, inputs: {} });

/**
 * Whether a job that was handed over ahead is the one that is wanted now: the same order, the same inputs, and those that it
 * waited for are the very jobs that its task goes on from.
 */
export function isWanted(job: JobState, errand: JobErrand, { jobs, tasks }: RunState): boolean {
  if (!job.after || errand.job !== 0 || job.order !== chainDigest(errand)) return false;
  const all = [...jobs.values()];
  const parents = job.after.map((tag) => jobs.get(tag)!);
  const isLast = (parent: JobState): boolean =>
    parent.end?.how === 'completed' && all.findLast(({ task }) => task === parent.task) === parent;
  if (!parents.every(isLast)) return false;
  const made = new Set(parents.flatMap(({ task }) => tasks.get(task)?.outputs?.map(({ path }) => path) ?? []));
  const known = job.inputs ?? {};
  return (
    Object.keys(known).every((path) => Object.hasOwn(errand.inputs, path)) &&
    Object.entries(errand.inputs).every(([path, digest]) =>
      Object.hasOwn(known, path) ? known[path] === digest : made.has(path),
    )
  );
}

/** All that was handed over to come after one of these, and after those. */
export function behind(tags: readonly string[], jobs: ReadonlyMap<string, JobState>): JobState[] {
  const found = new Map<string, JobState>();
  const open = new Set(tags);
  for (const job of jobs.values()) {
    if (!job.after?.some((tag) => open.has(tag))) continue;
    open.add(job.tag);
    found.set(job.tag, job);
  }
  return [...found.values()];
}

const known = new WeakMap<Plan, ReadonlyMap<TaskId, readonly Task[]>>();

function dependants(plan: Plan, id: TaskId): readonly Task[] {
  let all = known.get(plan);
  if (!all) {
    const made = new Map<TaskId, Task[]>();
    for (const task of plan.tasks)
      for (const need of task.needs) {
        const list = made.get(need);
        if (list) list.push(task);
        else made.set(need, [task]);
      }
    all = made;
    known.set(plan, all);
  }
  return all.get(id) ?? [];
}
