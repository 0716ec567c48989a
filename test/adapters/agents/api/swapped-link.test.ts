import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfinedFiles } from '../../../../src/adapters/agents/api/confined-files.js';
import { newFolder } from './api-rig.js';

/** Called once, at the moment between looking at a name and using it, which is too short to hit by chance. */
const moment = vi.hoisted(() => ({ after: 'nothing', swap: (): void => {} }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const lstatSync = (path: string, options?: { throwIfNoEntry: false }): unknown => {
    const stat = real.lstatSync(path, options);
    if (path.startsWith('/proc/self/fd/') && path.endsWith(moment.after)) {
      moment.after = 'nothing';
      moment.swap();
    }
    return stat;
  };
  return { ...real, lstatSync };
});

let cwd: string;
let away: string;
let files: ConfinedFiles;

beforeEach(() => {
  const root = newFolder();
  [cwd, away] = [join(root, 'work'), join(root, 'away')];
  mkdirSync(join(cwd, 'src'), { recursive: true });
  mkdirSync(away);
  writeFileSync(join(away, 'a.txt'), 'the crown jewels');
  writeFileSync(join(cwd, 'src/a.txt'), 'fine');
  files = new ConfinedFiles(cwd, { inScope: () => true, ownFolders: [], changing: () => {} });
});

/** What stands at `path` makes way for a link, right after it was looked at. */
function swapIn(path: string, target: string): { done: boolean } {
  const swapped = { done: false };
  moment.after = '/a.txt';
  moment.swap = () => {
    renameSync(join(cwd, path), join(cwd, 'aside'));
    symlinkSync(target, join(cwd, path));
    swapped.done = true;
  };
  return swapped;
}

describe.skipIf(process.platform !== 'linux')('a link swapped in between looking and doing', () => {
  it('for a file is not read through', () => {
    const swapped = swapIn('src/a.txt', join(away, 'a.txt'));
    expect(() => files.read('src/a.txt', 100)).toThrow(/ELOOP/);
    expect(swapped.done).toBe(true);
  });

  it('for a folder leads nowhere: the folder that was looked at is the one that is used', () => {
    const swapped = swapIn('src', away);
    expect(files.read('src/a.txt', 100).bytes.toString()).toBe('fine');
    expect(swapped.done).toBe(true);
  });

  it.each(['src/a.txt', 'src'])('for %s is not written through', (path) => {
    const swapped = swapIn(path, path === 'src' ? away : join(away, 'a.txt'));
    try {
      files.write('src/a.txt', 'x');
    } catch {
      // Refusing is as good as replacing the link.
    }
    expect(swapped.done).toBe(true);
    expect(readdirSync(away)).toEqual(['a.txt']);
    expect(readFileSync(join(away, 'a.txt'), 'utf8')).toBe('the crown jewels');
  });
});
