import { type Failure, isOfResult } from '../../model/failure.js';
import { changedMeanwhile, type Fingerprint, sameStamp } from '../../model/fingerprint.js';
import { isGlob } from '../../model/glob.js';
import type { Decision, Reason, Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import type { TaskState } from '../../model/state/run-state.js';
import { inputDigests } from './fingerprint.js';
import { envChanges, optionChanges } from './option-changes.js';

/** What is known about the last time a task was tried. */
export interface PastResult {
  readonly state: TaskState;
  /** The run that tells of it; absent: the one that goes on now. */
  readonly run?: string | undefined;
  /** The task as it was planned then, when that is still known; says which option changed. */
  readonly task?: Task | undefined;
}

/** A task whose past result still holds is cached; any other runs, and every difference is a reason. */
export function decide(task: Task, past: PastResult | undefined, now: Present): Decision {
  if (task.skip) return { action: 'skip', reasons: [task.skip] };
  const { reasons, maybe } = past ? staleReasons(task, past, now) : { reasons: [neverRan] };
  if (reasons.length > 0) return { action: 'run', reasons, ...(maybe ? { maybe } : {}) };
  return { action: 'cached', reasons: [{ code: 'unchanged', detail: 'nothing it depends on has changed' }] };
}

/** How things are now. The fingerprint is only worked out when there is one to compare it with. */
export interface Present {
  readonly files: Files;
  fingerprint(): Fingerprint;
  /** What happened, in one line. */
  failureWords?: ((failure: Failure) => string) | undefined;
}

const neverRan: Reason = { code: 'never-ran', detail: 'no earlier result' };

type Stale = Pick<Decision, 'reasons' | 'maybe'>;

const surely = (code: Reason['code'], detail: string): Stale => ({ reasons: [{ code, detail }] });

function staleReasons(task: Task, past: PastResult, now: Present): Stale {
  const { state } = past;
  // What its gate said of it is asked at the gate, and what was changed is seen below.
  const failed = state.status === 'failed' && !isOfResult(state.failure);
  if (failed || state.status === 'retrying') {
    const { failure } = state;
    const words = failure && (now.failureWords?.(failure) ?? failure.code);
    return surely('failed-before', `the last attempt failed${words === undefined ? '' : `: ${words}`}`);
  }
  if (state.status === 'running' || state.status === 'cancelled') {
    return surely('incomplete', 'the last attempt did not end');
  }
  if (!state.fingerprint) return { reasons: [neverRan] };
  if (!task.cache) {
    const why = task.description.always ? `${task.uses} looks anew each time` : 'the stage says cache: false';
    return surely('not-cached', why);
  }
  const fingerprint = now.fingerprint();
  if (state.fingerprint.v !== fingerprint.v) {
    const detail = `its result was recorded in format ${state.fingerprint.v}, and this version knows ${fingerprint.v}`;
    return surely('format-changed', detail);
  }
  const made = [
    ...definitionReasons(task, past, fingerprint),
    ...inputReasons(state.fingerprint.inputs, fingerprint.inputs),
  ];
  const outputs = outputReasons(state, now.files);
  const nothingElse = made.length + outputs.length === 0;
  const upstream = upstreamReasons(state.fingerprint.upstream, fingerprint.upstream, nothingElse);
  return { ...upstream, reasons: [...made, ...upstream.reasons, ...outputs] };
}

/**
 * Whether the files that a result names are still as it says, whatever the plan says. True is not enough: what a pattern matches by now is
 * not asked. Needs no plan, so it is asked first.
 */
export const holdsAsRecorded = (state: TaskState, files: Files): boolean =>
  Object.entries(state.fingerprint?.inputs ?? {}).every(
    ([path, digest]) => files.stamp(path) !== undefined && files.digest(path) === digest,
  ) && outputReasons(state, files).length === 0;

/** Whether the files are still as the result says. Enough to ask when plan and needs are those that it was made for. */
export const holdsOnDisk = (task: Task, state: TaskState, files: Files): boolean =>
  state.fingerprint?.v === 1 &&
  (plainInputsHold(task, state.fingerprint.inputs, files) ||
    inputReasons(state.fingerprint.inputs, inputDigests(task, files)).length === 0) &&
  outputReasons(state, files).length === 0;

/**
 * The short way for the most frequent case: inputs that are named one by one, each a file that is still the same. False says
 * nothing; then all of it is worked out. A run with nothing to do asks this of every task, and of nothing else.
 */
function plainInputsHold(task: Task, then: Fingerprint['inputs'], files: Files): boolean {
  const { inputs, outputs, part, schema, description } = task;
  if (part || description.reads?.length || hasAny(schema)) return false;
  let count = 0;
  for (const path of inputs) {
    if (!Object.hasOwn(then, path) || isGlob(path) || outputs.includes(path) || !files.stamp(path)) return false;
    if (files.digest(path) !== then[path]) return false;
    count += 1;
  }
  // As many as there were, and each of them was there: none is named twice, and none is gone.
  return count === Object.keys(then).length && (count < 2 || new Set(inputs).size === count);
}

function hasAny(record: object): boolean {
  for (const _key in record) return true;
  return false;
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
    else if (then[path] === changedMeanwhile)
      reasons.push({ code: 'input-changed', detail: `${path} was changed while it ran` });
    else if (then[path] !== now[path]) reasons.push({ code: 'input-changed', detail: `${path} changed` });
  }
  for (const path of Object.keys(then)) {
    if (!Object.hasOwn(now, path)) reasons.push({ code: 'input-changed', detail: `${path} is gone` });
  }
  return reasons;
}

function upstreamReasons(then: Fingerprint['upstream'], now: Fingerprint['upstream'], nothingElse: boolean): Stale {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].filter((name) => then[name] !== now[name]);
  // Early cut-off: who only waits for others is left alone when all of them make what they made before.
  const maybe = nothingElse && names.every((name) => Object.hasOwn(then, name) && now[name] === willRun);
  const reasons = names.map(
    (name): Reason => ({
      code: 'upstream-stale',
      detail: `${upstreamWords(name, then, now)}${maybe ? '; spared if that makes the same as before' : ''}`,
    }),
  );
  return { reasons, ...(maybe && names.length > 0 ? { maybe } : {}) };
}

function upstreamWords(name: string, then: Fingerprint['upstream'], now: Fingerprint['upstream']): string {
  if (!Object.hasOwn(then, name)) return `${name} is needed now`;
  if (!Object.hasOwn(now, name)) return `${name} is no longer needed`;
  if (now[name] === willRun || now[name] === willMakeAnew) return `${name} will run`;
  if (now[name] === willBeAsked) return `${name} has to pass its gate`;
  if (now[name] === leftOut) return `${name} is left out`;
  return then[name] === leftOut ? `${name} was left out` : `${name} produced something else`;
}

/** Stands for the product of a task whose stage is switched off. */
export const leftOut = 'skipped';

/** Stands for the product of a task that has yet to run; equal to no digest. */
export const willRun = 'will-run';

/** The same for a task without outputs: nobody can tell that it made the same again. */
export const willMakeAnew = 'will-make-anew';

/** The same for a task whose gate is not decided. */
export const willBeAsked = 'will-be-asked';

function outputReasons(state: TaskState, files: Files): Reason[] {
  const reasons: Reason[] = [];
  for (const output of outputsNow(state)) {
    const stamp = files.stamp(output.path);
    if (!stamp) reasons.push({ code: 'output-missing', detail: `${output.path} is gone` });
    else if (!sameStamp(stamp, output) && files.digest(output.path) !== output.digest) {
      reasons.push({ code: 'output-changed', detail: `${output.path} was changed after the task wrote it` });
    }
  }
  return reasons;
}
