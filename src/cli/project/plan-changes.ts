import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import { redact } from '../../model/secrets/redact.js';
import { listed } from '../../report/words/phrase.js';

/**
 * What differs between two plans, in the words of the config: `train ×30: timeout 2m → 5m`. Used for a saved plan and
 * when an unfinished run goes on with an edited config.
 */
export function planChanges(then: readonly Task[], now: readonly Task[]): string[] {
  const before = new Map(then.map((task) => [task.id, task]));
  const after = new Set(now.map((task) => task.id));
  const changed = now.flatMap((task): Changed[] => {
    const old = before.get(task.id);
    const changes = old ? changesOf(old, task) : [];
    return changes.length > 0 ? [{ task, changes }] : [];
  });
  return [
    ...folded(
      now.filter((task) => !before.has(task.id)),
      'is new',
    ),
    ...folded(
      then.filter((task) => !after.has(task.id)),
      'is gone',
    ),
    ...changedLines(changed, now),
  ];
}

/** One value of the config that is another now. */
interface Change {
  readonly name: string;
  /** `2m → 5m`, where both are short. */
  readonly values?: string;
}

interface Changed {
  readonly task: Task;
  readonly changes: readonly Change[];
}

/** `train ×2 is gone: train:seed=4 and train:seed=5`. */
const folded = (tasks: readonly Task[], what: string): string[] =>
  [...grouped(tasks, ({ stage }) => stage).values()].map((group) =>
    group.length === 1 ? `${group[0]!.id} ${what}` : `${many(group)} ${what}: ${idsOf(group)}`,
  );

const many = (group: readonly Task[]): string => `${group[0]!.stage} ×${group.length}`;

const idsOf = (group: readonly Task[]): string =>
  listed(
    group.map(({ id }) => id),
    mostNamed,
  );

const mostNamed = 4;

/** All tasks of a stage are told by its name; of some of them one wants to know which. */
const nameOf = (group: readonly Task[], all: readonly Task[]): string =>
  group.length === 1
    ? group[0]!.id
    : all.filter(({ stage }) => stage === group[0]!.stage).length === group.length
      ? many(group)
      : `${many(group)} (${idsOf(group)})`;

/** Tasks of one stage in which the same things changed share a line; values are shown where they are the same for all. */
function changedLines(changed: readonly Changed[], all: readonly Task[]): string[] {
  const groups = grouped(changed, ({ task, changes }) =>
    canonicalJson([task.stage, ...changes.map(({ name }) => name)]),
  );
  return [...groups.values()].map((group) => {
    const words = group[0]!.changes.map(({ name, values }, index) =>
      values !== undefined && group.every(({ changes }) => changes[index]!.values === values)
        ? `${name} ${values}`
        : name,
    );
    const name = nameOf(
      group.map(({ task }) => task),
      all,
    );
    return `${name}: ${words.join(', ')}`;
  });
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Fields of a task by the name that they have in a config. Total on purpose: a new field needs a name. */
const configName: Readonly<Record<keyof Task, string>> = {
  id: 'name',
  stage: 'stage',
  uses: 'uses',
  behaviour: 'code of the behaviour',
  matrix: 'matrix',
  options: 'with',
  needs: 'needs',
  inferred: 'needs',
  inputs: 'inputs',
  outputs: 'outputs',
  outputPatterns: 'outputs',
  schema: 'schema',
  env: 'env',
  passEnv: 'passEnv',
  cwd: 'cwd',
  timeoutMs: 'timeout',
  idleMs: 'idle',
  retry: 'retry',
  gate: 'gate',
  judge: 'gate',
  agent: 'agent',
  scope: 'scope',
  protect: 'protect',
  locks: 'locks',
  isolation: 'isolation',
  part: 'task file',
  commit: 'commit',
  mirror: 'mirror',
  on: 'on and resources',
  cache: 'cache',
  parallel: 'parallel',
  description: 'description',
  skip: 'when',
  rawShell: 'with',
};

/** What follows from another change is told only when nothing else is: a description from options, edges from files. */
const impliedBy: Partial<Record<keyof Task, readonly (keyof Task)[]>> = {
  description: ['options', 'uses', 'behaviour', 'inputs', 'outputs', 'env', 'cwd', 'matrix'],
  behaviour: ['uses'],
  inferred: ['inputs', 'outputs', 'needs'],
  rawShell: ['options', 'env'],
  outputPatterns: ['outputs'],
};

function changesOf(then: Task, now: Task): Change[] {
  const all = [...new Set([...Object.keys(then), ...Object.keys(now)])] as (keyof Task)[];
  const fields = all.filter((field) => canonicalJson(fieldOf(then, field)) !== canonicalJson(fieldOf(now, field)));
  const told = fields.filter((field) => !impliedBy[field]?.some((other) => fields.includes(other)));
  const changes = told.flatMap((field) => changesIn(field, fieldOf(then, field), fieldOf(now, field)));
  return [...new Map(changes.map((change) => [change.name, change])).values()];
}

const fieldOf = (task: Task, field: keyof Task): Json => (task[field] ?? null) as Json;

function changesIn(field: keyof Task, then: Json, now: Json): Change[] {
  // A plan that another version saved may have fields that this one does not know.
  const name = configName[field] ?? field;
  if (!isJsonObject(then) || !isJsonObject(now) || !opened.has(field)) return [changeOf(name, then, now)];
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return keys
    .map((key) => [key, then[key] ?? null, now[key] ?? null] as const)
    .filter(([, one, other]) => canonicalJson(one) !== canonicalJson(other))
    .map(([key, one, other]) => changeOf(`${name}.${key}`, one, other));
}

/** Maps of which the changed entries are named. */
const opened: ReadonlySet<keyof Task> = new Set(['options', 'retry', 'env', 'matrix', 'schema']);

function changeOf(name: string, then: Json, now: Json): Change {
  const [one, other] = [shown(name, then), shown(name, now)];
  return one === undefined || other === undefined ? { name } : { name, values: `${one} → ${other}` };
}

const longest = 24;

/** A short value as it would be written. Undefined: it is not worth, or not fit, to be shown. */
function shown(name: string, value: Json): string | undefined {
  if (value === null) return 'none';
  if ((name === configName.timeoutMs || name === configName.idleMs) && typeof value === 'number')
    return durationText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.length > longest || name === configName.behaviour) return undefined;
  // It goes into the journal and stays there.
  const line = `${name}=${value}`;
  return redact(line) === line ? JSON.stringify(value).slice(1, -1) : undefined;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** As a config has it: 120000 is `2m`. */
function durationText(ms: number): string {
  const unit = units.find(([, size]) => ms > 0 && ms % size === 0);
  return unit ? `${ms / unit[1]}${unit[0]}` : `${ms}ms`;
}
