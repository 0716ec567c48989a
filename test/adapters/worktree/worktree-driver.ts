import { rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { openWorktrees } from '../../../src/adapters/worktree/worktrees.js';

/** Carries out a list of steps in a process of its own, which can be killed; prints one line of JSON for each. */
export type DriverStep =
  | { readonly op: 'create' | 'commit' | 'update' | 'catch-up' | 'merge' | 'remove' | 'shelve'; readonly name: string }
  | { readonly op: 'write'; readonly name: string; readonly files: Readonly<Record<string, string>> };

const { root, dir, mutexFile, steps } = JSON.parse(process.argv[2]!) as {
  root: string;
  dir: string;
  mutexFile: string;
  steps: DriverStep[];
};
const trees = await openWorktrees({ root, dir, mutexFile, clock: systemClock });
// Never ahead of the moment that the commits of a test bear.
const at = 1_700_000_000_000;

for (const step of steps) console.log(JSON.stringify((await carryOut(step)) ?? null));

async function carryOut(step: DriverStep): Promise<unknown> {
  const branch = `auto/${step.name}`;
  if (step.op === 'write') return write(step.name, step.files);
  if (step.op === 'create') return trees.create({ branch, base: 'main', path: step.name });
  if (step.op === 'shelve') return trees.shelve({ branch, path: step.name });
  if (step.op === 'update') return trees.update({ path: step.name, from: 'main' });
  if (step.op === 'catch-up') await trees.settle(step.name);
  if (step.op === 'catch-up') return trees.update({ path: step.name, from: 'main' });
  if (step.op === 'remove') return trees.remove({ branch, path: step.name });
  if (step.op === 'merge') return trees.merge({ branch, into: 'main', message: `merge ${step.name}` });
  return trees.commit({ path: step.name, message: step.name, at, allow: () => true });
}

/** No text: no file. */
async function write(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(dir, name, file);
    if (text === '') rmSync(path, { force: true });
    else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }
}
