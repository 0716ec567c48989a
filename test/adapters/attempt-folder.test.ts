import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptFolders, openFixFolder } from '../../src/adapters/kept/attempt-folder.js';
import type { Task } from '../../src/model/plan.js';
import { planOf } from '../support/run-rig.js';

let run: string;
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'attempts-'));
});
afterEach(() => rmSync(run, { recursive: true, force: true }));

const [a, b] = planOf([{ id: 'a' }, { id: 'b' }]).tasks as readonly [Task, Task];

describe('folders of attempts', () => {
  it('that were made ahead are used, and those that nobody needed are gone at the end', () => {
    const folders = attemptFolders(run);
    folders.prepareAttempt(a, 1);
    folders.prepareAttempt(b, 1);
    const folder = folders.openAttempt(a, 1);
    folder.log('a line');
    folders.discardPrepared();
    expect(existsSync(join(run, 'tasks/a/1/stdout.log'))).toBe(true);
    expect(existsSync(join(run, 'tasks/b'))).toBe(false);
  });

  it('are made again when somebody took them away in between', () => {
    const folders = attemptFolders(run);
    folders.prepareAttempt(a, 1);
    rmSync(join(run, 'tasks'), { recursive: true });
    folders.openAttempt(a, 1).log('a line');
    expect(existsSync(join(run, 'tasks/a/1/stdout.log'))).toBe(true);
  });

  it('that hold something are never removed', () => {
    const folders = attemptFolders(run);
    folders.prepareAttempt(a, 1);
    mkdirSync(join(run, 'tasks/a/2'));
    writeFileSync(join(run, 'tasks/a/1/note'), '');
    folders.discardPrepared();
    expect(existsSync(join(run, 'tasks/a/1/note'))).toBe(true);
    expect(existsSync(join(run, 'tasks/a/2'))).toBe(true);
  });

  it('that cannot be made ahead are told of when they are needed', () => {
    writeFileSync(join(run, 'tasks'), 'in the way');
    const folders = attemptFolders(run);
    folders.prepareAttempt(a, 1);
    expect(() => folders.openAttempt(a, 1)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'not-writable' }) }),
    );
  });

  it('of a call are kept for good: whoever is asked anew gets the next number', () => {
    const open = (name: string): string => {
      const folder = openFixFolder(run, a, { attempt: 1, name });
      folder.log(name);
      return folder.dir.slice(run.length + 1);
    };
    expect([open('judge-1'), open('judge-2'), open('judge-1')]).toEqual([1, 2, 3].map((n) => `tasks/a/1/judge-${n}`));
    // A check is known by its place in the list; what it printed before is moved aside.
    expect([open('check-1'), open('check-1')]).toEqual(['tasks/a/1/check-1', 'tasks/a/1/check-1']);
    expect(existsSync(join(run, 'tasks/a/1/check-1.found/stdout.log'))).toBe(true);
  });
});
