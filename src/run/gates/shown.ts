import { hash } from 'node:crypto';
import type { EvidenceFile, GateQuestion, Shown } from '../../model/gates/gate.js';
import { gateMap } from '../../model/gates/gate-words.js';
import { canonicalJson } from '../../model/json.js';
import type { Plan, Task, TaskAgent, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { howItAnswers } from '../agents/who-answers.js';
import { definitionDigests } from '../freshness/fingerprint.js';

export interface ShownTools {
  readonly plan: Plan;
  readonly files: Files;
}

/** What whoever decides at the gate of a task is shown now. */
export function shownNow(task: Task, product: string, { plan, files }: ShownTools): Shown {
  const evidence = evidenceOf(evidencePatterns(task), files);
  const parts = { product, evidence, gate: gateDigest(task), covers: coverOf(plan, task.id) };
  return { shown: digestOf(parts), ...parts };
}

/** The files that a gate is about: those that it names, or what the task makes. */
export const evidencePatterns = ({ gate, outputs }: Task): readonly string[] =>
  (typeof gate === 'object' ? gate.evidence : undefined) ?? outputs;

export const evidenceOf = (patterns: readonly string[], files: Files): readonly EvidenceFile[] =>
  patterns.length === 0 ? [] : files.expand(patterns).map((path) => ({ path, digest: files.digest(path) }));

/** What is changed for the eyes of a judge, and changed back, has other stamps. Checks may write what they print anew. */
export const stampsShown = ({ kind, evidence }: GateQuestion, files: Pick<Files, 'stamp'>): string =>
  kind === 'auto-judge' ? JSON.stringify(evidence.map(({ path }) => files.stamp(path) ?? null)) : '';

/** Another judge behind the same words is another gate. */
const gateDigest = ({ gate, judge }: Task): string => digestOf([gateMap(gate!), judge ? judgeFacts(judge) : null]);

/** A judge of whom the config says no more has the digest that it always had. */
export function judgeFacts(judge: TaskAgent): readonly unknown[] {
  const how = howItAnswers(judge);
  const facts = [judge.backend, judge.model, judge.family, judge.replayed];
  return Object.keys(how).length === 0 ? facts : [...facts, how];
}

/** The part of the plan that led to a task: its own definition, that of all it needs, and what is protected. */
export function coverOf(plan: Plan, id: TaskId): string {
  let known = covers.get(plan);
  if (!known) {
    known = allCovers(plan);
    covers.set(plan, known);
  }
  return known.get(id)!;
}

const covers = new WeakMap<Plan, ReadonlyMap<TaskId, string>>();

function allCovers({ tasks, waves, protect = [] }: Plan): ReadonlyMap<TaskId, string> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const found = new Map<TaskId, string>();
  for (const id of waves.flat()) {
    const task = byId.get(id)!;
    const { behaviour, inputs, needs, mirror, protect: own } = task;
    // The gate itself has a digest of its own; those before it are part of what led here.
    const before = needs.map((need) => [found.get(need), byId.get(need)!.gate]);
    found.set(id, digestOf([definitionDigests(task), behaviour, inputs, mirror, own, protect, before]));
  }
  return found;
}

const digestOf = (value: unknown): string => hash('sha256', canonicalJson(plainOf(value))).slice(0, 32);

/** Without what is undefined, of which JSON knows nothing. */
const plainOf = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;
