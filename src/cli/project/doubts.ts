import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fewSeeds } from '../../compile/rules/few-seeds.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { foldersOf, globsMayMeet, isGlob } from '../../model/glob.js';
import type { Plan } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';
import { nearest } from '../../source/did-you-mean.js';

/** What may well be meant, so `exec` does not refuse it, but is better asked about before hours are spent. */
export function doubts(plan: Plan, files: Files, root: string): readonly Diagnostic[] {
  return [...unmadeInputs(plan, files, root), ...unmadeResults(plan), ...fewSeeds(plan.tasks)];
}

/** Somebody measures by a file that nobody says to make, and so waits for nobody: it may be read before it is written. */
function unmadeResults(plan: Plan): Diagnostic[] {
  const isMade = madeIn(plan);
  return perStage(
    plan.tasks.flatMap((task) => {
      if (task.skip || task.needs.length > 0) return [];
      return (task.description.mustBeNew ?? [])
        .filter((path) => !isMade(path) && !task.inputs.includes(path))
        .map((path) => ({ stage: task.stage, say: () => unmadeResult(path, task.stage) }));
    }),
  );
}

const unmadeResult = (path: string, stage: string): Diagnostic => ({
  code: 'AR515',
  message: `${stage} reads ${path}, and no stage has it as an output, so ${stage} waits for nobody to make it`,
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'with') },
  hint: 'Add it to the outputs of the stage that makes it; or, if it comes from elsewhere, to the inputs of this one',
});

/** The first of each stage, and how many more there are. */
function perStage(found: readonly { readonly stage: string; say(): Diagnostic }[]): Diagnostic[] {
  const stages = new Map<string, { readonly diagnostic: Diagnostic; count: number }>();
  for (const { stage, say } of found) {
    const seen = stages.get(stage);
    if (seen) seen.count++;
    else stages.set(stage, { diagnostic: say(), count: 0 });
  }
  return [...stages.values()].map(({ diagnostic, count }) =>
    count === 0 ? diagnostic : { ...diagnostic, message: `${diagnostic.message}; ${count} more of this stage` },
  );
}

function madeIn(plan: Plan): (path: string) => boolean {
  const written = writtenIn(plan);
  const globs = plan.tasks.flatMap(({ outputs }) => outputs.filter(isGlob));
  return (path) =>
    isGlob(path) ||
    written.has(path) ||
    foldersOf(path).some((one) => written.has(one)) ||
    globs.some((glob) => globsMayMeet(glob, path));
}

const writtenIn = (plan: Plan): ReadonlySet<string> =>
  new Set(plan.tasks.flatMap((task) => task.outputs.map((output) => output.replace(/\/$/, ''))));

/** An input of a later task that is not there: an earlier task may make it without saying so, or its name is misspelt. */
function unmadeInputs(plan: Plan, files: Files, root: string): Diagnostic[] {
  const written = writtenIn(plan);
  const isMade = madeIn(plan);
  const known = new Map<string, boolean>();
  // A thousand tasks of a matrix mostly read the same file.
  const isThere = (path: string): boolean => {
    const seen = known.get(path) ?? files.expand([path]).length > 0;
    known.set(path, seen);
    return seen;
  };
  return perStage(
    plan.tasks.flatMap((task) => {
      if (task.skip || task.needs.length === 0) return [];
      return [...task.inputs.entries()].flatMap(([index, path]) => {
        if (isMade(path) || isThere(path)) return [];
        const near = (): string | undefined => nearest(path, [...written]) ?? similarPath(root, path);
        return [{ stage: task.stage, say: () => unmade(path, { stage: task.stage, index, near: near() }) }];
      });
    }),
  );
}

const unmade = (
  path: string,
  { stage, index, near }: { readonly stage: string; readonly index: number; readonly near: string | undefined },
): Diagnostic => ({
  code: 'AR515',
  message: `${path} is not there, and no stage has it as an output${near === undefined ? '' : ` (did you mean "${near}"?)`}`,
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'inputs', index) },
  hint: 'Correct the path, or add it to the outputs of the stage that makes it',
});

/** The path that is really there, when each of its parts differs by a few letters at most. */
function similarPath(root: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    const folder = join(root, ...parts);
    const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
    const found = names.includes(part) ? part : nearest(part, names);
    if (found === undefined) return undefined;
    parts.push(found);
  }
  return parts.join('/');
}
