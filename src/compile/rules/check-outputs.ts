import type { Address, Diagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import { isGlob, isWithin } from '../../model/glob.js';
import { pointerOf } from '../../model/pointer.js';
import type { GlobMatch } from '../../source/glob.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Writer, Writers } from '../graph/writers.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';
import { normalPath } from './path-rules.js';

/** Two writers of one output would take turns, and nobody could say whose result it is. */
export function checkWriters(drafts: readonly Draft[], writers: Writers, problems: Problems): void {
  const position = new Map(drafts.map((draft, index) => [draft, index]));
  // A matrix that writes one file a thousand times asks the same question a thousand times.
  const known = new Map<string, readonly Writer[]>();
  for (const draft of drafts) {
    for (const path of draft.writes) {
      const others = known.get(path) ?? writers.surelyOf(path);
      known.set(path, others);
      const other = others.find(
        (writer) => position.get(writer.draft)! < position.get(draft)! && !areOne(writer.draft, draft),
      );
      if (other) problems.add(twoWriters(draft, path, other));
    }
  }
}

/** The outputs of a stage with a task file are what its tasks have made together. */
const areOne = (one: Draft, other: Draft): boolean =>
  one.task.part !== undefined && one.task.stage === other.task.stage && one.task.part.kind !== other.task.part?.kind;

function twoWriters(draft: Draft, path: string, other: Writer): Diagnostic {
  const same = other.path === path ? path : `${path} and ${other.path}`;
  const at = placeOf(draft, path);
  if (other.draft.task.stage !== draft.task.stage) {
    const related = [{ message: `${other.draft.task.stage} writes it here`, at: placeOf(other.draft, other.path) }];
    const message = `${draft.task.stage} and ${other.draft.task.stage} both write ${same}`;
    return { code: 'AR502', message, at, hint: 'Let each write a file of its own', related };
  }
  const axis = Object.keys(draft.task.matrix ?? {}).find(
    (name) => draft.task.matrix![name] !== other.draft.task.matrix?.[name],
  );
  return {
    code: 'AR502',
    message: `several tasks of ${draft.task.stage} write ${same}`,
    at,
    hint: `Put {{matrix.${axis}}} into the path`,
  };
}

/** Outputs that lie under a protected path could never be written. */
export function checkProtected(
  drafts: readonly Draft[],
  config: Config,
  { match, problems }: { match: GlobMatch; problems: Problems },
): void {
  const everywhere = (config.protect ?? []).map(normalPath);
  for (const draft of drafts) {
    if (everywhere.length === 0 && draft.config.protect === undefined) continue;
    const patterns = [...everywhere, ...(draft.config.protect ?? []).map(normalPath)];
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

/** The config says what the study is; a stage that makes it would decide what it has to do. */
export function checkOwnFiles(
  drafts: readonly Draft[],
  ownFiles: readonly string[],
  { match, problems }: { match: GlobMatch; problems: Problems },
): void {
  for (const draft of drafts) {
    for (const path of draft.writes) {
      const own = ownFiles.find((file) => path === file || (isGlob(path) && match(path, file)));
      if (own === undefined) continue;
      const message =
        path === own ? `${path} is a part of the config` : `${path} takes in ${own}, a part of the config`;
      problems.add({
        code: 'AR504',
        message,
        at: placeOf(draft, path),
        hint: path === own ? 'Write it elsewhere' : 'Name what is written more closely',
      });
    }
  }
}

/** Whether everything that `path` stands for is protected. A glob is tried with a name that no pattern has in mind. */
function covers(guard: string, path: string, match: GlobMatch): boolean {
  if (guard === path || guard === '.') return true;
  const file = isGlob(path) ? sampleOf(path, '\ue000') : path;
  return isGlob(guard) ? match(guard, file) : isWithin(file, guard);
}

const sampleOf = (glob: string, name: string): string =>
  glob.replaceAll('**', `${name}/${name}`).replace(/[@!+*?]?\([^()]*\)|\{[^{}]*\}|\[[^\]]+\]|[*?]/g, name);

/** What is protected has to be known before anything else; a template there would protect nothing. */
export function checkPlainProtect({ protect = [], stages }: Config, problems: Problems): void {
  const check = (patterns: readonly string[], at: readonly string[]): void =>
    patterns.forEach((pattern, index) => {
      if (!hasTemplate(pattern)) return;
      const place: Address = { kind: 'config', pointer: pointerOf(...at, index) };
      problems.add({
        code: 'AR407',
        message: 'a protected path cannot hold a template',
        at: place,
        hint: 'Write the path itself',
      });
    });
  check(protect, ['protect']);
  for (const name of Object.keys(stages)) {
    const own = stages[name]!.protect;
    if (own !== undefined) check(own, ['stages', name, 'protect']);
  }
}

/** Where the stage says that it writes this: in its outputs, or through its options. */
function placeOf(draft: Draft, path: string): Address {
  const index = draft.task.outputs.indexOf(path);
  const at = ['stages', draft.task.stage] as const;
  return { kind: 'config', pointer: index < 0 ? pointerOf(...at, 'with') : pointerOf(...at, 'outputs', index) };
}
