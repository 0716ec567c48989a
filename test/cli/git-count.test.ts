import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { TreeStudy } from './tree-study.js';

const counted = (log: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${join(import.meta.dirname, '../crash/kill-at-git.cjs')}`,
  KILL_LOG: log,
});

const linesIn = (log: string): string[] => {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  rmSync(log);
  return lines;
};

/**
 * Each costs some milliseconds, and once they were most of what a short task took: a hundred of them, and ninety in each iteration. What
 * proves that objects are sound, and looks at all files each time, is in what is left.
 */
describe('gits that are started', { timeout: 60_000 }, () => {
  it('by a task in a worktree', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt' } });
    const log = `${study.home}.log`;
    expect((await ended(study.start(['exec', '--reporter', 'plain'], counted(log)))).code).toBe(0);
    const gits = linesIn(log);
    expect(gits.length, gits.join('\n')).toBeLessThanOrEqual(46);
  });

  it('by an iteration', async () => {
    const countOf = async (max: number): Promise<number> => {
      const project = new LoopProject(['0.9', '0.95', '0.8', '0.85'], { iterate: { max } });
      const log = join(project.stateHome, '..', `${Math.random()}.log`);
      expect((await ended(project.start(['exec', '--reporter', 'plain'], counted(log)))).code).toBe(0);
      return linesIn(log).length;
    };
    const [two, four] = [await countOf(2), await countOf(4)];
    // One that is kept, and one that is put back.
    expect(four - two).toBeLessThanOrEqual(92);
  });
});
