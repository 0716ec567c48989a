import type { Address } from '../model/diagnostic.js';
import type { Config } from '../model/generated/config.js';
import { globBase, isGlob } from '../model/glob.js';
import { pointerOf } from '../model/pointer.js';
import type { GlobMatch } from '../source/glob.js';
import type { Draft } from './draft.js';
import type { Problems } from './problems.js';
import type { Writer, Writers } from './writers.js';

/** Two writers of one output would take turns, and nobody could say whose result it is. */
export function checkWriters(drafts: readonly Draft[], writers: Writers, problems: Problems): void {
  const position = new Map(drafts.map((draft, index) => [draft, index]));
  for (const draft of drafts) {
    for (const path of draft.writes) {
      const other = writers.of(path).find((writer) => isCertain(writer, path) && position.get(writer.draft)! < position.get(draft)!);
      if (other) problems.add(twoWriters(draft, path, other));
    }
  }
}

/** Two different globs may or may not meet; only what is sure to is reported. */
const isCertain = (writer: Writer, path: string): boolean => writer.path === path || !(isGlob(writer.path) && isGlob(path));

function twoWriters(draft: Draft, path: string, other: Writer): Parameters<Problems['add']>[0] {
  const siblings = other.draft.task.stage === draft.task.stage;
  const axis = Object.keys(draft.task.matrix ?? {})[0];
  const same = other.path === path ? path : `${path} and ${other.path}`;
  return {
    code: 'AR502',
    message: siblings ? `all tasks of ${draft.task.stage} write ${same}` : `${draft.task.stage} and ${other.draft.task.stage} both write ${same}`,
    at: placeOf(draft, path),
    hint: siblings && axis ? `Put {{matrix.${axis}}} into the path` : 'Let each write a file of its own',
    ...(siblings ? {} : { related: [{ message: `${other.draft.task.stage} writes it here`, at: placeOf(other.draft, other.path) }] }),
  };
}

/** Outputs that lie under a protected path could never be written. */
export function checkProtected(drafts: readonly Draft[], config: Config, { match, problems }: { match: GlobMatch; problems: Problems }): void {
  const everywhere = config.protect ?? [];
  for (const draft of drafts) {
    const patterns = [...everywhere, ...(draft.config.protect ?? [])];
    if (patterns.length === 0) continue;
    for (const path of draft.writes) {
      const guard = patterns.find((pattern) => covers(pattern, path, match));
      if (guard === undefined) continue;
      problems.add({
        code: 'AR503',
        message: `${path} lies under the protected path ${guard}`,
        at: placeOf(draft, path),
        hint: 'Write it elsewhere, or take it out of "protect"',
      });
    }
  }
}

/** Whether everything that `path` stands for is protected. */
function covers(guard: string, path: string, match: GlobMatch): boolean {
  const file = isGlob(path) ? `${globBase(path)}/x`.replace(/^\//, '') : path;
  return isGlob(guard) ? match(guard, file) : file === guard || file.startsWith(`${guard.replace(/\/$/, '')}/`);
}

/** Where the stage says that it writes this: in its outputs, or through its options. */
function placeOf(draft: Draft, path: string): Address {
  const index = draft.task.outputs.indexOf(path);
  const at = ['stages', draft.task.stage] as const;
  return { kind: 'config', pointer: index < 0 ? pointerOf(...at, 'with') : pointerOf(...at, 'outputs', index) };
}
