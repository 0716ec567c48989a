import type { Failure } from '../../model/failure.js';
import { type FileStamp, type OutputRecord, sameStamp } from '../../model/fingerprint.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';

/** The outputs as they were before an attempt, so that a file left over from an older run is not taken for its result. */
export type OutputsBefore = ReadonlyMap<string, FileStamp & { readonly digest?: string }>;

/**
 * What lay where the outputs go before the first attempt of a task of which nothing has come yet; filled by that attempt. An agent that leaves
 * it as it was has done nothing, at whichever try; one that does its work again after it has passed may well come to the same.
 */
export interface Leftovers {
  digests?: ReadonlyMap<string, string>;
}

export function outputsBefore(task: Task, files: Files, leftovers?: Leftovers): OutputsBefore {
  const stamps = new Map<string, FileStamp & { readonly digest?: string }>();
  // What the tasks of a file have made is there when all of it is looked at.
  if (task.part?.kind === 'whole') return stamps;
  const paths = files.expand(task.outputs);
  if (leftovers && task.agent) leftovers.digests ??= new Map(paths.map((path) => [path, files.digest(path)]));
  const old = leftovers?.digests ?? new Map<string, string>();
  // Taken away by an earlier attempt, it may be put there again.
  for (const [path, digest] of old) stamps.set(path, { ...gone, digest });
  for (const path of paths) {
    const [stamp, digest] = [files.stamp(path), old.get(path)];
    if (stamp) stamps.set(path, digest === undefined ? stamp : { ...stamp, digest });
  }
  return stamps;
}

/** A stamp that no file has. */
const gone: FileStamp = { size: -1, mtimeNs: '', ctimeNs: '', ino: '' };

export type OutputsAfter =
  | { readonly ok: true; readonly outputs: readonly OutputRecord[] }
  | { readonly ok: false; readonly failure: Failure };

/** What tells an old file from a new one besides its stamp. */
export interface OldFiles {
  /** Declared outputs whose old files are out of the way. */
  readonly aside: ReadonlySet<string>;
  /** Whether a file was elsewhere before, and is here by a link or under another name. */
  isBrought(path: string, stamp: FileStamp): boolean;
}

/** Every declared output has to be there, to hold something, and to have been written by this attempt. */
export function outputsAfter(
  task: Task,
  files: Files,
  before: OutputsBefore,
  { aside, isBrought }: OldFiles = nothingOld,
): OutputsAfter {
  const missing: string[] = [];
  const empty: string[] = [];
  const untouched: string[] = [];
  const found = new Map<string, FileStamp & { readonly older?: true }>();
  for (const output of task.outputs) {
    const matches = stampsOf(files, output, isBrought);
    for (const [path, stamp] of matches) found.set(path, stamp);
    if (matches.length === 0) (aside.has(output) ? untouched : missing).push(output);
    else if (matches.every(([, stamp]) => stamp.size === 0)) empty.push(output);
    else if (matches.every(([path, stamp]) => isOld(before.get(path), stamp, () => files.digest(path))))
      untouched.push(output);
  }
  if (missing.length > 0) return { ok: false, failure: { code: 'output-missing', outputs: missing } };
  if (empty.length > 0) return { ok: false, failure: { code: 'output-empty', outputs: empty } };
  if (untouched.length > 0) return { ok: false, failure: { code: 'output-not-written', outputs: untouched } };
  return { ok: true, outputs: [...found].map(([path, stamp]) => ({ path, digest: files.digest(path), ...stamp })) };
}

const nothingOld: OldFiles = { aside: new Set(), isBrought: () => false };

type Found = FileStamp & { readonly older?: true };

function stampsOf(files: Files, output: string, isBrought: OldFiles['isBrought']): (readonly [string, Found])[] {
  return files.expand([output]).flatMap((path) => {
    const stamp = files.stamp(path);
    if (!stamp) return [];
    return [[path, isBrought(path, stamp) ? { ...stamp, older: true as const } : stamp] as const];
  });
}

const isOld = (
  before: (FileStamp & { readonly digest?: string }) | undefined,
  after: Found,
  digest: () => string,
): boolean =>
  after.older === true ||
  (before !== undefined && (isUnwritten(before, after) || (before.digest !== undefined && before.digest === digest())));

/** Another owner, another mode or one more name changes no more than the ctime. */
const isUnwritten = (before: FileStamp, after: FileStamp): boolean =>
  sameStamp({ ...before, ctimeNs: after.ctimeNs }, after);
