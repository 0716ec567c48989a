import { type Fingerprint, sameStamp } from '../model/fingerprint.js';
import type { Decision, Reason, Task } from '../model/plan.js';
import type { Files } from '../model/ports.js';
import type { TaskState } from '../model/run-state.js';
import { envChanges, optionChanges } from './option-changes.js';

/** What is known about the last time a task was tried. */
export interface PastResult {
  readonly state: TaskState;
  /** The task as it was planned then; says which option changed, when there. */
  readonly task?: Task;
}

/** A task whose past result still holds is cached; any other runs, and every difference is a reason. */
export function decide(task: Task, past: PastResult | undefined, now: Present): Decision {
  if (task.skip) return { action: 'skip', reasons: [task.skip] };
  const reasons = past ? staleReasons(task, past, now) : [neverRan];
  if (reasons.length > 0) return { action: 'run', reasons };
  return { action: 'cached', reasons: [{ code: 'unchanged', detail: 'nothing it depends on has changed' }] };
}

/** How things are now. The fingerprint is only worked out when there is one to compare it with. */
export interface Present {
  readonly files: Files;
  fingerprint(): Fingerprint;
}

const neverRan: Reason = { code: 'never-ran', detail: 'no earlier result' };

function staleReasons(task: Task, past: PastResult, now: Present): Reason[] {
  const { state } = past;
  if (state.status === 'failed' || state.status === 'retrying') {
    return [{ code: 'failed-before', detail: `the last attempt failed: ${state.failure?.code ?? 'unknown'}` }];
  }
  if (state.status === 'running' || state.status === 'cancelled') {
    return [{ code: 'incomplete', detail: 'the last attempt did not end' }];
  }
  if (!state.fingerprint) return [neverRan];
  if (!task.cache) return [{ code: 'not-cached', detail: 'the stage says cache: false' }];
  const fingerprint = now.fingerprint();
  if (state.fingerprint.v !== fingerprint.v) {
    return [{ code: 'behaviour-changed', detail: 'the fingerprint format is another one' }];
  }
  return [
    ...definitionReasons(task, past, fingerprint),
    ...inputReasons(state.fingerprint.inputs, fingerprint.inputs),
    ...upstreamReasons(state.fingerprint.upstream, fingerprint.upstream),
    ...outputReasons(state, now.files),
  ];
}

function definitionReasons(task: Task, past: PastResult, now: Fingerprint): Reason[] {
  const then = past.state.fingerprint!;
  const reasons: Reason[] = [];
  if (then.behaviour !== now.behaviour) reasons.push({ code: 'behaviour-changed', detail: behaviourWords(task) });
  if (then.options !== now.options) reasons.push({ code: 'option-changed', detail: optionChanges(past.task, task) });
  if (then.env !== now.env) reasons.push({ code: 'env-changed', detail: envChanges(past.task, task) });
  return reasons;
}

/** Built-in behaviours go by their version, others by their code. */
const behaviourWords = ({ uses, behaviour }: Task): string =>
  behaviour.startsWith(`${uses}@`) ? `${uses} is another version` : `the code of ${uses} changed`;

function inputReasons(then: Fingerprint['inputs'], now: Fingerprint['inputs']): Reason[] {
  const reasons: Reason[] = [];
  for (const path of Object.keys(now)) {
    if (!Object.hasOwn(then, path)) reasons.push({ code: 'input-changed', detail: `${path} is new` });
    else if (then[path] !== now[path]) reasons.push({ code: 'input-changed', detail: `${path} changed` });
  }
  for (const path of Object.keys(then)) {
    if (!Object.hasOwn(now, path)) reasons.push({ code: 'input-changed', detail: `${path} is gone` });
  }
  return reasons;
}

function upstreamReasons(then: Fingerprint['upstream'], now: Fingerprint['upstream']): Reason[] {
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names]
    .filter((name) => then[name] !== now[name])
    .map((name) => ({ code: 'upstream-stale', detail: upstreamWords(name, then, now) }));
}

function upstreamWords(name: string, then: Fingerprint['upstream'], now: Fingerprint['upstream']): string {
  if (!Object.hasOwn(then, name)) return `${name} is needed now`;
  if (!Object.hasOwn(now, name)) return `${name} is no longer needed`;
  if (now[name] === willRun) return `${name} will run`;
  if (now[name] === leftOut) return `${name} is left out`;
  return then[name] === leftOut ? `${name} was left out` : `${name} produced something else`;
}

/** Stands for the product of a task whose stage is switched off. */
export const leftOut = 'skipped';

/** Stands for the product of a task that has yet to run; equal to no digest. */
export const willRun = 'will-run';

function outputReasons(state: TaskState, files: Files): Reason[] {
  const reasons: Reason[] = [];
  for (const output of state.outputs ?? []) {
    const stamp = files.stamp(output.path);
    if (!stamp) reasons.push({ code: 'output-missing', detail: `${output.path} is gone` });
    else if (!sameStamp(stamp, output) && files.digest(output.path) !== output.digest) {
      reasons.push({ code: 'output-changed', detail: `${output.path} was changed after the task wrote it` });
    }
  }
  return reasons;
}
