import { hash } from 'node:crypto';
import type { Measure } from '../../model/events/iteration-event.js';
import type { IterateMetric } from '../../model/generated/config.js';
import { canonicalJson } from '../../model/json.js';
import type { Plan, Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { definitionDigests } from '../freshness/fingerprint.js';

export interface MeasuredBy {
  readonly metric: IterateMetric;
  /** Paths and globs that nobody may change, without the goal: that one only says what is wanted. */
  readonly protect: readonly string[];
  readonly files: Pick<Files, 'expand' | 'digest'>;
  readonly match: (pattern: string, path: string) => boolean;
}

/**
 * What decides about the number of an iteration. `plan` is the same for all of them: made for an iteration that there is
 * none of, because commands may name theirs. Files that the loop is about, or that tasks make, are what is measured.
 */
export function measureOf(plan: Plan, { metric, protect, files, match }: MeasuredBy): Measure {
  const tasks = measuring(plan, metric);
  const made = plan.tasks.flatMap(({ outputs, description }) => [...outputs, ...(description.writes ?? [])]);
  const scopes = plan.tasks.flatMap(({ scope = [] }) => scope);
  // Where files are put back, those that are only in a scope are nobody's to change.
  const own = [...(plan.iterate?.files ?? scopes), ...made];
  const isOwn = (path: string): boolean => own.some((pattern) => match(pattern, path));
  const content = (pattern: string, counts: (path: string) => boolean): string =>
    digestOf(
      files
        .expand([pattern])
        .filter(counts)
        .map((path) => [path, files.digest(path)]),
    );
  // Where everything stays that anybody changes, what is read is what is measured.
  const read = plan.iterate?.files
    ? tasks.flatMap(({ inputs, description, schema }) => [
        ...inputs,
        ...(description.reads ?? []),
        ...Object.values(schema),
      ])
    : [];
  return {
    metric: `${metric.name} of ${metric.stage}, ${metric.better} is better`,
    ...Object.fromEntries(tasks.map((task) => [`task ${task.id}`, definitionOf(task)])),
    ...Object.fromEntries(read.map((pattern) => [`file ${pattern}`, content(pattern, (path) => !isOwn(path))])),
    ...Object.fromEntries(protect.map((pattern) => [`file ${pattern}`, content(pattern, () => true)])),
  };
}

/** What differs, in words; nothing where two numbers can be compared. */
export function measureChanges(then: Measure, now: Measure): readonly string[] {
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return keys.flatMap((key) => {
    if (then[key] === now[key]) return [];
    if (key === 'metric') return [`the metric (was ${then.metric}; is ${now.metric})`];
    const name = key.slice(key.indexOf(' ') + 1);
    return [key.startsWith('task ') ? `what ${name} does` : name];
  });
}

/** The baseline; without one, what comes before the number and asks nobody. */
function measuring({ tasks, iterate }: Plan, { stage }: IterateMetric): readonly Task[] {
  const { baseline } = iterate ?? {};
  if (baseline) return tasks.filter(({ id }) => baseline.includes(id));
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const found = new Set<Task>();
  const open = tasks.filter((task) => task.stage === stage);
  for (let task = open.pop(); task; task = open.pop()) {
    if (found.has(task)) continue;
    found.add(task);
    open.push(...task.needs.flatMap((id) => byId.get(id) ?? []));
  }
  return tasks.filter((task) => found.has(task) && !task.agent);
}

/** Time is a part of it: who has more of it gets further. */
const definitionOf = (task: Task): string =>
  digestOf([task.behaviour, definitionDigests(task), task.timeoutMs ?? null, task.idleMs ?? null, task.on ?? null]);

const digestOf = (value: unknown): string => hash('sha256', canonicalJson(value));
