import type { Failure } from '../model/failure.js';
import { type FileStamp, type OutputRecord, sameStamp } from '../model/fingerprint.js';
import type { Task } from '../model/plan.js';
import type { Files } from '../model/ports.js';

/** The outputs as they were before an attempt, so that a file left over from an older run is not taken for its result. */
export type OutputsBefore = ReadonlyMap<string, FileStamp>;

export function outputsBefore(task: Task, files: Files): OutputsBefore {
  const stamps = new Map<string, FileStamp>();
  for (const path of files.expand(task.outputs)) {
    const stamp = files.stamp(path);
    if (stamp) stamps.set(path, stamp);
  }
  return stamps;
}

export type OutputsAfter =
  | { readonly ok: true; readonly outputs: readonly OutputRecord[] }
  | { readonly ok: false; readonly failure: Failure };

/** Every declared output has to be there, to hold something, and to have been written by this attempt. */
export function outputsAfter(task: Task, files: Files, before: OutputsBefore): OutputsAfter {
  const missing: string[] = [];
  const empty: string[] = [];
  const untouched: string[] = [];
  const found = new Map<string, FileStamp>();
  for (const output of task.outputs) {
    const matches = stampsOf(files, output);
    for (const [path, stamp] of matches) found.set(path, stamp);
    if (matches.length === 0) missing.push(output);
    else if (matches.every(([, stamp]) => stamp.size === 0)) empty.push(output);
    else if (matches.every(([path, stamp]) => isSame(before.get(path), stamp))) untouched.push(output);
  }
  if (missing.length > 0) return { ok: false, failure: { code: 'output-missing', outputs: missing } };
  if (empty.length > 0) return { ok: false, failure: { code: 'output-empty', outputs: empty } };
  if (untouched.length > 0) return { ok: false, failure: { code: 'output-not-written', outputs: untouched } };
  return { ok: true, outputs: [...found].map(([path, stamp]) => ({ path, digest: files.digest(path), ...stamp })) };
}

function stampsOf(files: Files, output: string): (readonly [string, FileStamp])[] {
  return files.expand([output]).flatMap((path) => {
    const stamp = files.stamp(path);
    return stamp ? [[path, stamp] as const] : [];
  });
}

const isSame = (before: FileStamp | undefined, after: FileStamp): boolean =>
  before !== undefined && sameStamp(before, after);
