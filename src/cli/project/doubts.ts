import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fewSeeds } from '../../compile/rules/few-seeds.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { foldersOf, isGlob } from '../../model/glob.js';
import type { Plan } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';
import { nearest } from '../../source/did-you-mean.js';

/** What may well be meant, so `exec` does not refuse it, but is better asked about before hours are spent. */
export function doubts(plan: Plan, files: Files, root: string): readonly Diagnostic[] {
  return [...unmadeInputs(plan, files, root), ...fewSeeds(plan.tasks)];
}

/** An input of a later task that is not there: an earlier task may make it without saying so, or its name is misspelt. */
function unmadeInputs(plan: Plan, files: Files, root: string): Diagnostic[] {
  const written = new Set(plan.tasks.flatMap((task) => task.outputs.map((output) => output.replace(/\/$/, ''))));
  const isMade = (path: string): boolean =>
    isGlob(path) || written.has(path) || foldersOf(path).some((one) => written.has(one));
  const known = new Map<string, boolean>();
  // A thousand tasks of a matrix mostly read the same file.
  const isThere = (path: string): boolean => {
    const seen = known.get(path) ?? files.expand([path]).length > 0;
    known.set(path, seen);
    return seen;
  };
  const found = new Map<string, { readonly diagnostic: Diagnostic; count: number }>();
  for (const task of plan.tasks) {
    if (task.skip || task.needs.length === 0) continue;
    for (const [index, path] of task.inputs.entries()) {
      if (isMade(path) || isThere(path)) continue;
      const seen = found.get(task.stage);
      if (seen) seen.count++;
      else
        found.set(task.stage, {
          count: 0,
          diagnostic: unmade(path, {
            stage: task.stage,
            index,
            near: nearest(path, [...written]) ?? similarPath(root, path),
          }),
        });
    }
  }
  return [...found.values()].map(({ diagnostic, count }) =>
    count === 0 ? diagnostic : { ...diagnostic, message: `${diagnostic.message}; ${count} more of this stage` },
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
