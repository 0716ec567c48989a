import type { ChangedFile, Failure } from '../../model/failure.js';
import { sameStamp } from '../../model/fingerprint.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Clock, Files } from '../../model/ports.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { loadGlobMatch } from '../../source/glob.js';
import { type Claims, writtenBy } from '../protect/claims.js';
import type { DeciderInput } from './decider.js';

export interface ResultTools {
  plan(): Plan;
  state(): RunState;
  readonly files: Files;
  readonly gateOf?: DeciderInput['gateOf'];
  readonly clock: Clock;
  readonly claims: Claims;
}

/** A task whose result is not what was recorded of it. */
export interface ChangedResult {
  readonly maker: TaskId;
  readonly failure: Extract<Failure, { code: 'result-changed' }>;
}

/**
 * Compares what tasks of this run have made, and what their gates were passed with, with what is there, before anybody
 * builds on it. By stamps: only what was touched is read.
 */
export class StandingResults {
  readonly #tools: ResultTools;
  readonly #looks = new Map<TaskId, Look>();
  #gated: { readonly plan: Plan; readonly above: ReadonlyMap<TaskId, readonly Task[]> } | undefined;

  constructor(tools: ResultTools) {
    this.#tools = tools;
  }

  /** What a task needs, and all gates that led to it. `files`: what was looked at a moment ago need not be again. */
  changedBefore(task: Task, files: Files = this.#tools.files): readonly ChangedResult[] {
    const found: ChangedResult[] = [];
    const { plan, state, gateOf } = this.#tools;
    const { tasks } = state();
    for (const need of task.needs) {
      const made = tasks.get(need);
      const count = made?.outputs?.length ?? 0;
      if (count === 0 || !stands(made)) continue;
      // Not worth measuring how long it takes.
      const changed = count < few ? this.#changeOf(made, undefined, files) : undefined;
      if (changed) found.push(changed);
      else if (count >= few) this.#look(made, { files, found });
    }
    if (!gateOf) return found;
    if (this.#gated?.plan !== plan()) this.#gated = { plan: plan(), above: gatesAbove(plan()) };
    for (const gated of this.#gated.above.get(task.id) ?? []) {
      const made = tasks.get(gated.id);
      if (stands(made) && found.every(({ maker }) => maker !== gated.id)) this.#look(made, { files, found, gated });
    }
    return found;
  }

  /** All of it; asked when nothing runs any more. */
  allChanged(): readonly ChangedResult[] {
    const { tasks } = this.#tools.state();
    return this.#tools.plan().tasks.flatMap((task) => {
      const made = tasks.get(task.id);
      return (stands(made) && this.#changeOf(made, task.gate && task)) || [];
    });
  }

  /** Without what somebody else who is at work may be writing by right: that is looked at when they have ended. */
  async unexplained(task: Task, changed: readonly ChangedResult[]): Promise<readonly ChangedResult[]> {
    const others = this.#tools.claims.atWork(task.id);
    if (others.length === 0) return changed;
    const matches = await loadGlobMatch();
    const mayWrite = (one: Task, path: string): boolean =>
      isFree(one) || writtenBy(one).some((pattern) => matches(pattern, path));
    return changed.filter(
      ({ failure: { files } }) =>
        files.length === 0 || files.some(({ path }) => !others.some((one) => mayWrite(one, path))),
    );
  }

  /** Many may build at once on what takes long to look at: once that has cost a second, it is looked at a tenth of the time. */
  #look(made: TaskState, { gated, files, found }: Looking): void {
    const { clock } = this.#tools;
    const startedAt = clock.now();
    const key = gated ? `gate of ${made.id}` : made.id;
    const last = this.#looks.get(key);
    if (last?.state === made && last.spentMs > 1000 && startedAt - last.at < 10 * last.tookMs) return;
    const changed = this.#changeOf(made, gated, files);
    if (changed) found.push(changed);
    const tookMs = clock.now() - startedAt;
    if (tookMs > 0)
      this.#looks.set(key, { at: startedAt, tookMs, spentMs: (last?.spentMs ?? 0) + tookMs, state: made });
  }

  #changeOf(made: TaskState, gated: Task | undefined, files = this.#tools.files): ChangedResult | undefined {
    const { gateOf, plan } = this.#tools;
    const outputs = changedOutputs(made, files);
    const standing = gated && made.gate?.decided ? gateOf?.(gated, made, plan()) : undefined;
    const isVoid = standing !== undefined && standing.kind !== 'passed';
    if (outputs.length === 0 && !isVoid) return undefined;
    const shown = isVoid ? changedEvidence(made, standing.kind === 'open' ? standing.shown.evidence : []) : [];
    const paths = new Set(outputs.map(({ path }) => path));
    return {
      maker: made.id,
      failure: {
        code: 'result-changed',
        files: [...outputs, ...shown.filter(({ path }) => !paths.has(path))],
        ...(isVoid ? { gate: { by: made.gate!.decided!.by, why: standing.reason.detail } } : {}),
      },
    };
  }
}

const few = 32;

interface Looking {
  readonly files: Files;
  readonly found: ChangedResult[];
  readonly gated?: Task;
}

interface Look {
  readonly at: number;
  readonly tookMs: number;
  /** All looks together. */
  readonly spentMs: number;
  readonly state: TaskState;
}

export const stands = (task: TaskState | undefined): task is TaskState =>
  task?.status === 'passed' || task?.status === 'cached';

/** Whom nothing holds to what they declared. */
const isFree = ({ agent, retry, scope }: Task): boolean => !scope && (agent !== undefined || retry.fix !== undefined);

export function changedOutputs(made: TaskState, files: Files): readonly ChangedFile[] {
  const changed: ChangedFile[] = [];
  for (const output of made.amended ? outputsNow(made) : (made.outputs ?? [])) {
    const { path, digest } = output;
    const stamp = files.stamp(path);
    if (stamp && sameStamp(stamp, output)) continue;
    const now = stamp && digestOf(path, files);
    if (now !== digest) changed.push({ path, was: digest, ...(now === undefined ? {} : { is: now }) });
  }
  return changed;
}

/** What cannot be read any more is as good as gone. */
function digestOf(path: string, files: Files): string | undefined {
  try {
    return files.digest(path);
  } catch {
    return undefined;
  }
}

function changedEvidence({ gate }: TaskState, evidence: readonly { path: string; digest: string }[]): ChangedFile[] {
  const before = new Map((gate?.opened?.evidence ?? []).map(({ path, digest }) => [path, digest]));
  const after = new Map(evidence.map(({ path, digest }) => [path, digest]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    return [{ path, ...(was === undefined ? {} : { was }), ...(is === undefined ? {} : { is }) }];
  });
}

/** The tasks with a gate that each task comes after, however far. */
function gatesAbove({ tasks, waves }: Plan): ReadonlyMap<TaskId, readonly Task[]> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const above = new Map<TaskId, readonly Task[]>();
  for (const id of waves.flat()) {
    const found = new Set<Task>();
    for (const need of byId.get(id)!.needs) {
      for (const task of above.get(need) ?? []) found.add(task);
      if (byId.get(need)!.gate) found.add(byId.get(need)!);
    }
    above.set(id, found.size === 0 ? [] : [...found]);
  }
  return above;
}
