import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };

/** Waits until the other task is in the person's branch. */
const waitFor = (file: string): string => `while ! [ -e "\${PWD%%/.autoresearch/*}/${file}" ]; do sleep 0.05; done`;

describe('work that meets other changes', slow, () => {
  const conflict = (): TreeStudy =>
    new TreeStudy({
      agents: {
        a: `echo a > shared; echo a > a.txt; ${waitFor('b.txt')}`,
        b: 'echo b > shared; echo b > b.txt',
      },
      files: { shared: 'x\n' },
    });

  it('is a failure that keeps branch and worktree and names the files', async () => {
    const study = conflict();
    const { code, stdout } = await study.exec('--jobs', '2');
    const tree = join(study.trees, 'default-iter-1-a');
    expect(stdout).toContain(
      `✗ a  its work meets other changes in shared and cannot be merged; it is all in the branch auto/default-iter-1-a and in ${tree}`,
    );
    expect(stdout).toContain(
      '  → Merge it by hand with git merge auto/default-iter-1-a, then go on with autoresearch exec; or force the stage, which begins anew\n',
    );
    expect(code).toBe(1);
    expect(study.status()).toBe('');
    expect(study.read('shared')).toBe('b\n');
    expect(study.git('show', 'auto/default-iter-1-a:shared')).toBe('a');
    expect(readFileSync(join(tree, 'shared'), 'utf8')).toBe('a\n');
    expect(study.subjects('--first-parent')).toEqual(['Merge b: did b', 'first']);
  });

  it('is not asked for again when a person has merged it by hand', async () => {
    const study = conflict();
    await study.exec('--jobs', '2');
    expect(() => study.git('merge', 'auto/default-iter-1-a')).toThrow();
    study.write('shared', 'both\n');
    study.commit('merged by hand');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.timesAsked().toSorted()).toEqual(['a', 'b']);
    expect(study.read('shared')).toBe('both\n');
    // Nothing on top of what the person did.
    expect(study.subjects('--first-parent')).toEqual(['merged by hand', 'Merge b: did b', 'first']);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('goes on without asking again when the conflict is gone', async () => {
    const study = conflict();
    await study.exec('--jobs', '2');
    study.write('shared', 'x\n');
    study.commit('put back');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.timesAsked().toSorted()).toEqual(['a', 'b']);
    expect(study.read('shared')).toBe('a\n');
    expect(study.left()).toEqual(nothingLeft);
  });

  it.each([
    ['--force', ['--force', 'a']],
    ['--new', ['--new']],
  ])('begins anew with %s, from what is there now, and what was done stays under a name', async (_, args) => {
    const study = conflict();
    await study.exec('--jobs', '2');
    const old = study.git('rev-parse', 'auto/default-iter-1-a');
    study.put('late', 'x\n');
    study.commit('late');
    const { code, stdout } = await study.exec(...args);
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.timesAsked().toSorted()).toEqual(['a', 'a', 'b']);
    expect(study.read('shared')).toBe('a\n');
    expect(study.left()).toEqual({
      ...nothingLeft,
      refs: [`refs/autoresearch/kept/auto/default-iter-1-a/${old}`, 'refs/heads/main'],
    });
  });

  it('--force keeps also what was never committed', async () => {
    const study = new TreeStudy({ agents: { a: 'echo half > half; echo out > a.txt; exit 3' }, ignored: 'junk\n' });
    expect((await study.exec()).code).toBe(1);
    const tree = join(study.trees, 'default-iter-1-a');
    expect(readFileSync(join(tree, 'half'), 'utf8')).toBe('half\n');
    study.put(
      'coder.sh',
      '#!/bin/sh\n[ -e half ] && exit 4\necho a > a.txt\necho \'{"outcome":"done","summary":"x"}\'\n',
    );
    study.commit('another agent');
    const { code, stdout } = await study.exec('--force', 'a');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    const [kept] = study.refs().filter((ref) => ref.includes('/kept/'));
    expect(study.git('show', `${kept}:half`)).toBe('half');
    expect(existsSync(tree)).toBe(false);
  });
});

describe('work that passes alone and breaks together', slow, () => {
  /** Each of them may have one line in the list, but together they may not have two. */
  const verify = 'test "$(cat parts/* | wc -l)" -le 1';
  const together = (more: object, second: string): TreeStudy =>
    new TreeStudy({
      agents: {
        a: `if [ "$AUTORESEARCH_ATTEMPT" = 1 ]; then mkdir -p parts; echo a > parts/a; echo a > a.txt; ${waitFor('parts/b')}; else ${second}; fi`,
        b: 'mkdir -p parts; echo b > parts/b',
      },
      stages: {
        a: isolated({ with: { instructions: 'x', verify }, outputs: ['a.txt'], ...more }),
        b: isolated({ with: { instructions: 'x', verify }, outputs: ['parts/b'] }),
      },
    });
  const neverBroken = (study: TreeStudy): void => {
    for (const commit of study.git('rev-list', '--first-parent', 'HEAD').split('\n'))
      expect(study.filesOf(commit).filter((file) => file.startsWith('parts/')).length).toBeLessThanOrEqual(1);
  };

  it('is found before it is merged: the branch of the person never holds it', async () => {
    const study = together({}, 'true');
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(stdout).toContain('others have merged meanwhile: checked once more, together with their work');
    expect(stdout).toMatch(/✗ a {2}exited with code 1/);
    expect(code).toBe(1);
    expect(study.events('task-finished')).toMatchObject([{ task: 'b' }]);
    expect(study.exists('a.txt')).toBe(false);
    neverBroken(study);
  });

  it('is mended by a second attempt, which sees what the other did', async () => {
    const study = together({ retry: { attempts: 2 } }, 'test -e parts/b && rm parts/a && echo again > a.txt');
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('a.txt')).toBe('again\n');
    neverBroken(study);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('is mended by a fixer in the worktree', async () => {
    const run = 'pwd > fixed-in; rm parts/a; test -e parts/b';
    const study = together({ retry: { attempts: 2, fix: { run } } }, 'echo again > a.txt');
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('fixed-in')).toBe(`${join(study.trees, 'default-iter-1-a')}\n`);
    neverBroken(study);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('what the second check writes is not what is merged', async () => {
    const study = new TreeStudy({
      agents: { a: `echo a > a.txt; ${waitFor('b.txt')}`, b: 'echo b > b.txt' },
      stages: {
        a: isolated({ with: { instructions: 'x', verify: 'date +%N%N > a.txt' }, outputs: ['a.txt'] }),
        b: isolated({ outputs: ['b.txt'] }),
      },
    });
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    const [{ commit }] = study.events('worktree-committed').filter(({ task }) => task === 'a') as [{ commit: string }];
    expect(study.git('show', `${commit}:a.txt`)).toBe(study.read('a.txt').trim());
    expect(study.left()).toEqual(nothingLeft);
  });
});
