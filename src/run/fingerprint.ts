import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/json.js';
import type { Fingerprint, OutputRecord } from '../model/fingerprint.js';
import type { Task, TaskId } from '../model/plan.js';
import type { Files } from '../model/ports.js';

/** What the task would be made from if it ran now. `productOf` gives what each needed task produced. */
export function fingerprintOf(task: Task, files: Files, productOf: (id: TaskId) => string): Fingerprint {
  const inputs: Record<string, string> = {};
  const read = [...task.inputs, ...(task.description.reads ?? []), ...Object.values(task.schema)];
  // What a task makes does not make it stale, also when it lies among its inputs.
  const own = read.length > 0 ? new Set(files.expand(task.outputs)) : undefined;
  for (const path of files.expand(read)) if (!own?.has(path)) inputs[path] = files.digest(path);
  const upstream: Record<string, string> = {};
  for (const need of task.needs) upstream[need] = productOf(need);
  return { v: 1, behaviour: task.behaviour, options: optionsDigest(task), env: digestOf(task.env), inputs, upstream };
}

export const optionsDigest = (task: Task): string =>
  digestOf({ options: task.options, cwd: task.cwd, outputs: task.outputs, schema: task.schema });

/** One digest for all that a task produced. A task without outputs produces something new whenever it runs. */
export const productDigest = (outputs: readonly OutputRecord[], occasion: string): string =>
  digestOf(outputs.length > 0 ? outputs.map(({ path, digest }) => [path, digest]) : occasion);

/** Half of a sha256: no accident makes two alike, and a journal of many tasks stays small. */
const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
