import { hash } from 'node:crypto';
import { isOwnList } from '../../model/agents/task-item.js';
import type { FileStamp, Fingerprint, OutputRecord } from '../../model/fingerprint.js';
import { canonicalJson } from '../../model/json.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { whoAnswers } from '../agents/who-answers.js';

/** What the task would be made from if it ran now. `productOf` gives what each needed task produced. */
export function fingerprintOf(task: Task, files: Files, productOf: (id: TaskId) => string): Fingerprint {
  const inputs = inputDigests(task, files);
  const upstream = noNames();
  for (const need of task.needs) if (!isOwnList(task, need)) upstream[need] = productOf(need);
  const { behaviour } = task;
  const made: Fingerprint = {
    v: 1,
    behaviour,
    ...definitionDigests(task),
    inputs,
    upstream,
  };
  return withStamps(made, Object.keys(inputs), files);
}

export function inputDigests(task: Task, files: Files): Record<string, string> {
  const inputs = noNames();
  const read = [...task.inputs, ...(task.description.reads ?? []), ...Object.values(task.schema)];
  if (read.length === 0) return inputs;
  // What a task makes does not make it stale, also when it lies among its inputs.
  const own = new Set(files.expand(task.outputs));
  // Another task in the same file is another task.
  if (task.part?.kind === 'item') own.add(task.part.item.file);
  for (const path of files.expand(read)) if (!own.has(path)) inputs[path] = files.digest(path);
  return inputs;
}

/** Names that no other task has: what has no shape of its own is filled in a third of the time. */
const noNames = (): Record<string, string> => Object.create(null);

/** Notes the large ones of these files, which were read just now, so that the next run need not read them. */
export function withStamps(fingerprint: Fingerprint, paths: readonly string[], files: Files): Fingerprint {
  let stamps: Record<string, FileStamp> | undefined;
  for (const path of paths) {
    const stamp = files.lastingStamp?.(path);
    if (!stamp) continue;
    stamps ??= { ...fingerprint.stamps };
    stamps[path] = stamp;
  }
  return stamps ? { ...fingerprint, stamps } : fingerprint;
}

/** What follows from the plan alone; worked out once, and ahead of time where there is time. */
export function definitionDigests(task: Task): Pick<Fingerprint, 'options' | 'env'> {
  let known = definitions.get(task);
  if (!known) {
    const { options, cwd, outputs, schema, scope } = task;
    // Absent, it leaves the digest as it was.
    const agent = task.agent && whoAnswers(task.agent);
    const part = partOf(task);
    known = {
      options: digestOf({ options, cwd, outputs, schema, agent, scope, part }),
      env: envDigest(task),
    };
    definitions.set(task, known);
  }
  return known;
}

/** What a task file says of one of its tasks is part of that task alone; of the list its files are inputs. */
const partOf = ({ part }: Task): unknown => (part?.kind === 'list' ? undefined : part);

/** Which variables are passed on is part of what a task is; their values are not, because nothing may be known of them. */
const variablesOf = ({ env, passEnv }: Task): unknown => (passEnv === undefined ? env : { env, passEnv });

/** Most tasks state no variables, or the same ones. */
function envDigest(task: Task): string {
  const text = canonicalJson(variablesOf(task));
  if (text !== lastEnv.text) lastEnv = { text, digest: digestOfText(text) };
  return lastEnv.digest;
}

let lastEnv = { text: '', digest: '' };

const definitions = new WeakMap<Task, Pick<Fingerprint, 'options' | 'env'>>();

/** One digest for all that a task produced. A task without outputs produces something new whenever it runs. */
export const productDigest = (outputs: readonly OutputRecord[], occasion: string): string =>
  digestOf(outputs.length > 0 ? outputs.map(({ path, digest }) => [path, digest]) : occasion);

/** Half of a sha256: no accident makes two alike, and a journal of many tasks stays small. */
const digestOf = (value: unknown): string => digestOfText(canonicalJson(value));

const digestOfText = (text: string): string => hash('sha256', text).slice(0, 32);

/** Only work in a worktree can be done without being a result yet. Stamps say nothing of what it is made from. */
export const madeFrom = (
  { isolation }: Task,
  { stamps: _stamps, ...made }: Fingerprint,
): { readonly fingerprint?: string } => (isolation ? { fingerprint: digestOf(made) } : {});
