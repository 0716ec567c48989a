import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProjectFiles } from '../../src/adapters/disk/project-files.js';
import type { Task } from '../../src/model/plan.js';
import type { TaskState } from '../../src/model/state/run-state.js';
import { fingerprintOf } from '../../src/run/freshness/fingerprint.js';
import { holdsOnDisk } from '../../src/run/freshness/freshness.js';
import { planOf } from '../support/run-rig.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holds-'));
  mkdirSync(join(root, 'folder'));
  for (const path of ['a', 'b', '*.txt', 'folder/c']) writeFileSync(join(root, path), path);
});
afterEach(() => rmSync(root, { recursive: true }));

const taskWith = (inputs: readonly string[], outputs: readonly string[] = []): Task =>
  planOf([{ id: 'task', inputs: [...inputs], outputs: [...outputs] }]).tasks[0]!;

/** Whether what was made from these inputs still holds after something has happened. */
async function holdsAfter(task: Task, happen: () => void, then: Task = task): Promise<boolean> {
  const made = fingerprintOf(then, await openProjectFiles(root, { globs: true }), () => '');
  happen();
  const state = { id: 'task', status: 'passed', attempts: 1, reasons: [], fingerprint: made, outputs: [] };
  return holdsOnDisk(task, state as unknown as TaskState, (await openProjectFiles(root, { globs: true })).still());
}

const write = (path: string, text: string) => (): void => writeFileSync(join(root, path), text);
const nothing = (): void => {};

describe('whether files are still as a result says', () => {
  it.each([
    ['files that are named', ['a', 'b']],
    ['a folder', ['folder']],
    ['a pattern', ['*']],
    ['nothing', []],
    ['one that is named twice', ['a', 'a']],
  ])('%s: they are', async (_what, inputs) => {
    expect(await holdsAfter(taskWith(inputs), nothing)).toBe(true);
  });

  it('what a task makes itself does not count, also among its inputs', async () => {
    expect(await holdsAfter(taskWith(['a', 'b'], ['b']), write('b', 'new'))).toBe(true);
  });

  it.each([
    ['one has other content', ['a', 'b'], write('b', 'x')],
    ['one is gone', ['a', 'b'], () => rmSync(join(root, 'b'))],
    ['a folder has one more', ['folder'], write('folder/new', 'x')],
    ['one is a folder now', ['a'], () => [rmSync(join(root, 'a')), mkdirSync(join(root, 'a'))]],
    // A file of that very name was the only one that the pattern found.
    ['a pattern that is a name too finds one more', ['*.txt'], write('new.txt', 'x')],
  ])('%s: they are not', async (_what, inputs, happen) => {
    expect(await holdsAfter(taskWith(inputs), happen as () => void)).toBe(false);
  });

  it('as many files as before, but one of them twice: they are not', async () => {
    expect(await holdsAfter(taskWith(['a', 'a']), nothing, taskWith(['a', 'b']))).toBe(false);
  });
});
