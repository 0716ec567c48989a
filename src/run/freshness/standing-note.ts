import type { ConfigSource } from '../../model/events/event.js';
import type { NotedFile, StandingFacts, StandingNote } from '../../model/files/standing-note.js';
import { type FileStamp, type OutputRecord, sameStamp } from '../../model/fingerprint.js';
import { isGlob } from '../../model/glob.js';
import type { Plan, Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';

interface NoteInput {
  readonly source: ConfigSource;
  readonly journal: FileStamp;
  readonly said: StandingFacts;
}

/**
 * Of a run that was found to stand. Undefined where more than named files decides that it does: patterns and folders, of which there may be more
 * tomorrow, and whatever else a task reads.
 */
export function standingNote(
  plan: Plan,
  state: RunState,
  { source, journal, said }: NoteInput,
): StandingNote | undefined {
  const files = new Map<string, NotedFile>();
  for (const task of plan.tasks) {
    if (task.skip) continue;
    const known = state.tasks.get(task.id);
    if (!known || !isPlain(task, known)) return undefined;
    for (const output of outputsNow(known)) files.set(output.path, byStamp(output));
    const { inputs = {}, stamps = {} } = known.fingerprint ?? {};
    for (const [path, digest] of Object.entries(inputs)) {
      const stamp = stamps[path];
      if (!files.has(path)) files.set(path, stamp ? byStamp({ path, ...stamp }) : [path, digest]);
    }
  }
  return { version: 1, run: state.run, source, journal, files: [...files.values()], said };
}

/** Whether every file is what the note says. */
export function holdsAsNoted({ files: noted }: StandingNote, files: Files): boolean {
  for (const file of noted) {
    const now = files.stamp(file[0]);
    if (!now) return false;
    if (file.length === 2) {
      if (files.digest(file[0]) !== file[1]) return false;
    } else if (!sameStamp(now, stampIn(file))) return false;
  }
  return true;
}

/** A file that tasks wrote may be what others read; written last, it is in the note as it was then. */
const byStamp = ({ path, size, mtimeNs, ctimeNs, ino }: Pick<OutputRecord, keyof FileStamp | 'path'>): NotedFile => [
  path,
  size,
  mtimeNs,
  ctimeNs,
  ino,
];

const stampIn = ([, size, mtimeNs, ctimeNs, ino]: Extract<NotedFile, { length: 5 }>): FileStamp => ({
  size,
  mtimeNs,
  ctimeNs,
  ino,
});

/** Each input and output is named, and is a file. */
function isPlain({ inputs, outputs, part, schema, gate, description }: Task, state: TaskState): boolean {
  if (part || gate || description.reads?.length || description.always || Object.keys(schema).length > 0) return false;
  const read = state.fingerprint?.inputs ?? {};
  const written = new Set(state.outputs?.map(({ path }) => path));
  return (
    [...inputs, ...outputs].every((path) => !isGlob(path)) &&
    inputs.every((path) => Object.hasOwn(read, path) || written.has(path)) &&
    outputs.every((path) => written.has(path))
  );
}
