import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };
const state = '"${PWD%%/.autoresearch/*}"/.autoresearch';
const waitFor = (file: string): string => `while ! [ -e ${state}/${file} ]; do sleep 0.05; done`;
const theirs = '../default-iter-1-b';

/**
 * `c` meets the work of `d` when it is merged, and is checked again while `b`, which has passed, waits for its turn; then `a` writes where `b` has worked.
 */
const study = (trick: string): TreeStudy =>
  new TreeStudy({
    agents: {
      a: `echo a > a.txt; while ! grep -s '"worktree-committed"' ${state}/default/runs/*/journal.jsonl | grep -q '"task":"b"'; do sleep 0.05; done; ${trick}; touch ${state}/go`,
      b: `${waitFor('rechecks')}; mkdir -p src build; echo b > b.txt; echo b > src/b; echo b > build/out`,
      c: `touch ${state}/begun; echo c > c.txt; while ! [ -e ${state}/../d.txt ]; do sleep 0.05; done`,
      d: `${waitFor('begun')}; echo d > d.txt`,
    },
    stages: {
      a: isolated({ outputs: ['a.txt'] }),
      b: isolated({ outputs: ['b.txt', 'build/out'] }),
      c: isolated({
        with: { instructions: 'x', verify: `[ ! -e d.txt ] || { touch ${state}/rechecks; ${waitFor('go')}; }` },
        outputs: ['c.txt'],
      }),
      d: isolated({ outputs: ['d.txt'] }),
    },
    ignored: 'build/\n',
  });

describe('an agent that writes in the worktree of another task', slow, () => {
  it.each([
    ['an output', `echo evil > ${theirs}/b.txt`, 'b.txt'],
    ['an output that git ignores', `echo evil > ${theirs}/build/out`, 'build/out'],
    ['a file with the time that it had', `echo e > ${theirs}/src/b; touch -r ${theirs}/b.txt ${theirs}/src/b`, 'src/b'],
    ['a new file', `mkdir -p ${theirs}/__pycache__; echo evil > ${theirs}/__pycache__/b.pyc`, '__pycache__/b.pyc'],
    ['one that it takes away', `rm ${theirs}/src/b`, 'src/b'],
  ])('%s, while that waits to be merged: found, exit code 4, and nothing of it is merged', async (_, trick, file) => {
    const own = study(trick);
    const { code, stdout } = await own.exec('--jobs', '4');
    const path = join(own.trees, 'default-iter-1-b');
    expect(stdout).toMatch(
      new RegExp(
        `\n✗ b  somebody else wrote in its worktree while it was not at work there: ${file}( \\(.* worked at the same time\\))?; nothing is merged, and all of it stays in ${path}\n`,
      ),
    );
    expect(stdout).toContain(
      '  → Find out who wrote there (sandbox: bwrap keeps agents from it), then go on with autoresearch exec, which begins the task anew\n',
    );
    expect(stdout).toContain(`b  its worktree stays: ${path} holds what others wrote\n`);
    expect(code).toBe(4);
    expect(own.filesOf('main')).not.toContain('b.txt');
    expect(own.has('build/out')).toBe(false);
    // What the agent made is not asked back from what was spoilt.
    const again = await own.exec('--jobs', '4');
    expect(`${again.code} ${again.stdout}`).toMatch(/^0 /);
    expect(own.timesAsked().filter((task) => task === 'b')).toEqual(['b', 'b']);
    expect(own.read('b.txt')).toBe('b\n');
    expect(own.read('src/b')).toBe('b\n');
    expect(readFileSync(join(own.root, 'build/out'), 'utf8')).toBe('b\n');
  });
});
