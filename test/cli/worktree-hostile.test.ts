import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };
const main = '"${PWD%%/.autoresearch/*}"';
const tree = (study: TreeStudy): string => join(study.trees, 'default-iter-1-a');
const who = '-c user.name=x -c user.email=x@y.z';
/** Leaves its process group and its environment behind, as who wants not to be found would. */
const late = (script: string): string => `env -i PATH="$PATH" setsid sh -c '${script}' > /dev/null 2>&1 &`;

/** Nothing of the task came into the branch of the person. */
function notMerged(study: TreeStudy): void {
  expect(study.events('worktree-merged')).toEqual([]);
  expect(study.events('task-finished')).toEqual([]);
  expect(study.filesOf('main')).not.toContain('a.txt');
}

describe('an agent in a worktree that writes in the checkout of the person', slow, () => {
  it.each([
    ['a tracked file', `echo x > ${main}/seen`, 'seen'],
    ['a new file', `mkdir -p ${main}/new; echo x > ${main}/new/file`, 'new/file'],
    ['an ignored file', `echo x > ${main}/junk`, 'junk'],
    ['a file that it deletes', `rm ${main}/seen`, 'seen'],
    ['its own output', `echo a > ${main}/a.txt`, 'a.txt'],
    ['a file with the time that it had', `echo y > ${main}/seen; touch -d @1 ${main}/seen`, 'seen'],
    ['a link', `ln -s /etc/passwd ${main}/link`, 'link'],
    [
      'what is called like our state',
      `mkdir -p ${main}/lib/.autoresearch; echo x > ${main}/lib/.autoresearch/y`,
      'lib/.autoresearch/y',
    ],
    [
      'a hook of another repository',
      `mkdir -p ${main}/lib/.git/hooks; echo x > ${main}/lib/.git/hooks/y`,
      'lib/.git/hooks/y',
    ],
  ])('%s: found, named, exit code 4, and nothing is merged', async (_, trick, file) => {
    const study = new TreeStudy({
      agents: { a: `echo a > a.txt; ${trick}` },
      files: { seen: 'x\n' },
      ignored: 'junk\n',
      stage: { retry: { attempts: 3 } },
    });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain(
      `✗ a  agent coder, or somebody else, wrote in your checkout instead of in its worktree: ${file}; nothing was put back`,
    );
    expect(stdout).toContain(
      '  → Look at these changes and put back what is not yours; while agents run, work in a clone of your own\n',
    );
    expect(code).toBe(4);
    expect(study.timesAsked()).toEqual(['a']);
    notMerged(study);
  });

  it.each([
    [
      'a commit',
      `git -C ${main} ${who} commit -q --allow-empty -m mine`,
      /refs\/heads\/main \w+ to refs\/heads\/main \w+/,
    ],
    ['another branch', `git -C ${main} checkout -q -b other`, /refs\/heads\/main \w+ to refs\/heads\/other \w+/],
    ['no branch', `git -C ${main} checkout -q --detach`, /refs\/heads\/main \w+ to detached \w+/],
    [
      'the branch moved from the worktree',
      `git ${who} commit -q --allow-empty -m m; git update-ref refs/heads/main HEAD`,
      /refs\/heads\/main \w+ to refs\/heads\/main \w+/,
    ],
  ])('%s is found, too', async (_, trick, words) => {
    const study = new TreeStudy({ agents: { a: `echo a > a.txt; ${trick}` } });
    const { code, stdout } = await study.exec();
    expect(stdout).toMatch(/wrote in your checkout instead of in its worktree: .*git went from /);
    expect(stdout).toMatch(words);
    expect(code).toBe(4);
    notMerged(study);
  });

  it.each([
    ['deletes a branch', 'git branch -qD spare', 'refs/heads/spare'],
    [
      'moves a branch',
      `git ${who} commit -q --allow-empty -m m; git update-ref refs/heads/spare HEAD`,
      'refs/heads/spare',
    ],
    ['deletes a tag', 'git tag -d v1', 'refs/tags/v1'],
    ['checks out another branch in a worktree of the person', `git -C ${main}.own checkout -q --detach`, 'worktrees/'],
  ])('who %s is found, and it is put back', async (_, trick, name) => {
    const study = new TreeStudy({ agents: { a: `echo a > a.txt; ${trick}` } });
    study.git('branch', 'spare');
    study.git('tag', 'v1');
    study.git('worktree', 'add', '-q', '-b', 'own', `${study.dir}.own`);
    const names = () => [
      study.git('for-each-ref', 'refs/heads/spare', 'refs/tags'),
      study.gitIn(`${study.dir}.own`, 'symbolic-ref', 'HEAD'),
    ];
    const before = names();
    const { code, stdout } = await study.exec();
    expect(stdout).toMatch(new RegExp(`agent coder changed what is protected: ${name}.*; it has been put back`));
    expect(code).toBe(4);
    expect(names()).toEqual(before);
    notMerged(study);
  });

  it('who moves or deletes the branch of another task does it no harm', async () => {
    const study = new TreeStudy({
      agents: {
        a: `while ! [ -e ${main}/.autoresearch/b-works ]; do sleep 0.05; done; git update-ref refs/heads/auto/default-iter-1-b HEAD~0; git branch -D auto/default-iter-1-b; touch ${main}/.autoresearch/a-done; echo a > a.txt`,
        b: `touch ${main}/.autoresearch/b-works; while ! [ -e ${main}/.autoresearch/a-done ]; do sleep 0.05; done; echo b > b.txt`,
      },
    });
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.filesOf('main')).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
  });

  it('who takes back what another task has merged is found', async () => {
    const study = new TreeStudy({
      agents: {
        a: `echo a > a.txt; while ! [ -e ${main}/b.txt ]; do sleep 0.05; done; sleep 0.5; git -C ${main} reset -q --hard HEAD~1`,
        b: 'echo b > b.txt',
      },
    });
    const { code, stdout } = await study.exec('--jobs', '2');
    expect(stdout).toContain('git went from refs/heads/main');
    expect(code).toBe(4);
  });

  it('the tests that it wrote are no better, also when they run for the second time', async () => {
    const study = new TreeStudy({
      agents: {
        a: `echo a > a.txt; echo '[ -e b.txt ] && echo x > ${main}/stray; true' > t.sh; while ! [ -e ${main}/b.txt ]; do sleep 0.05; done`,
        b: 'echo b > b.txt',
      },
      stages: {
        a: isolated({ with: { instructions: 'x', verify: 'sh t.sh' }, outputs: ['a.txt'] }),
        b: isolated({ outputs: ['b.txt'] }),
      },
    });
    const { code, stdout } = await study.exec('--jobs', '2');
    // Whether the other one was still at work is a matter of moments.
    expect(stdout).toMatch(/wrote in your checkout instead of in its worktree: stray( \(b worked there .*\))?;/);
    expect(code).toBe(4);
    expect(study.filesOf('main')).not.toContain('a.txt');
  });

  it('is not mistaken for other tasks that work there, or for the notes of the runner', async () => {
    const done = `while ! [ -e ${main}/out/done ]; do sleep 0.05; done`;
    const study = new TreeStudy({
      agents: { a: `${done}; echo a > a.txt`, b: `[ "$AUTORESEARCH_ATTEMPT" = 1 ] && exit 1; echo b > b.txt` },
      stages: {
        a: isolated({ outputs: ['a.txt'] }),
        b: isolated({ outputs: ['b.txt'], retry: { attempts: 2 } }),
        plain: {
          uses: 'command',
          with: { run: 'mkdir -p out; echo x > out/x; sleep 1; echo y > out/done' },
          outputs: ['out/*'],
        },
      },
    });
    const { code, stdout } = await study.exec('--jobs', '3');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.exists('logs/errors.log')).toBe(true);
    expect(study.left()).toEqual({ ...nothingLeft, status: '?? out/' });
  });
});

describe('protected files in a worktree', slow, () => {
  const studyOf = (script: string, more: object = {}): TreeStudy => {
    const study = new TreeStudy({
      agents: { a: `echo a > a.txt; ${script}` },
      more: { protect: ['eval/**', 'secret.bin', '**/notes.txt'], ...more },
      files: { 'eval/score.py': 'score = 0.5\n', 'eval/deep/x': 'x\n' },
      ignored: 'secret.bin\n',
      stage: { outputs: ['a.txt', 'notes.txt'].slice(0, 1) },
    });
    study.write('secret.bin', 'ignored and protected\n');
    return study;
  };

  it('are there, also those that are ignored', async () => {
    const study = studyOf('cat eval/score.py secret.bin > a.txt');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('a.txt')).toBe('score = 0.5\nignored and protected\n');
    expect(study.left()).toEqual(nothingLeft);
  });

  it.each([
    ['edited', 'echo 1 > eval/score.py'],
    ['edited though ignored', 'echo 1 > secret.bin'],
    ['deleted', 'rm eval/score.py'],
    ['deleted though ignored', 'rm secret.bin'],
    ['joined by another', 'echo x > eval/__init__.py'],
    ['in a folder that is a link now', 'mv eval real; ln -s real eval; echo 1 > real/score.py'],
    ['committed', `echo 1 > eval/score.py; git add -A; git ${who} commit -qm cheat`],
    [
      'committed, and put back in the folder',
      `echo 1 > eval/score.py; git add -A; git ${who} commit -qm cheat; echo 2 > eval/score.py`,
    ],
    ['overlooked', 'git update-index --assume-unchanged eval/score.py; echo 1 > eval/score.py'],
    ['taken out of the index', 'git rm -q --cached eval/score.py; echo 1 > eval/score.py'],
    ['hidden by a pattern', 'echo "eval/" >> .git/info/exclude 2>/dev/null; echo x > eval/new'],
  ])('that are %s: put back, exit code 4, in no commit of ours', async (_, trick) => {
    const study = studyOf(trick);
    const { code, stdout } = await study.exec();
    expect(stdout).toMatch(/agent coder changed what is protected: .*; (?:it has|they have) been put back/);
    expect(code).toBe(4);
    notMerged(study);
    expect(study.read('eval/score.py')).toBe('score = 0.5\n');
    expect(readFileSync(join(tree(study), 'eval/score.py'), 'utf8')).toBe('score = 0.5\n');
    expect(lstatSync(join(tree(study), 'eval')).isDirectory()).toBe(true);
    expect(readFileSync(join(tree(study), 'secret.bin'), 'utf8')).toBe('ignored and protected\n');
    expect(study.filesOf('refs/autoresearch/tips/auto/default-iter-1-a')).toEqual(study.filesOf('main'));
  });

  it('a commit of the agent that is put back in the folder merges nothing of it', async () => {
    const study = studyOf(
      `echo 1 > eval/score.py; git add -A; git ${who} commit -qm cheat; git checkout -q HEAD~1 -- eval; cp -p eval/score.py x; mv x eval/score.py`,
    );
    await study.exec();
    expect(study.git('show', 'main:eval/score.py')).toBe('score = 0.5');
  });

  it('that are changed after the reply are found before anything is merged', async () => {
    const script = `${late('touch ready; while ! [ -e checking ]; do sleep 0.05; done; echo 1 > eval/score.py; touch late')} while ! [ -e ready ]; do sleep 0.05; done`;
    const study = new TreeStudy({
      agents: { a: `echo a > a.txt; ${script}` },
      more: { protect: ['eval/**'] },
      files: { 'eval/score.py': 'score = 0.5\n' },
      stages: {
        a: isolated({
          outputs: ['a.txt'],
          with: { instructions: 'x', verify: 'touch checking; while ! [ -e late ]; do sleep 0.05; done' },
        }),
      },
    });
    const { code } = await study.exec();
    expect(code).toBe(4);
    notMerged(study);
    expect(readFileSync(join(tree(study), 'eval/score.py'), 'utf8')).toBe('score = 0.5\n');
  });

  it('onViolation: retry tries again in the same worktree, with everything put back', async () => {
    const study = studyOf('[ "$AUTORESEARCH_ATTEMPT" = 2 ] || echo 1 > eval/score.py; date +%N > a.txt', {
      onViolation: 'retry',
      stages: { a: isolated({ outputs: ['a.txt'], retry: { attempts: 2 } }) },
    });
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.events('protection-violated')).toHaveLength(1);
    expect(study.left()).toEqual(nothingLeft);
  });
});

describe('a scope in a worktree', slow, () => {
  it.each([
    ['a new file', 'echo x > stray', 'stray'],
    ['a changed file', 'echo y > seen', 'seen'],
    ['a file of another folder', 'mkdir other; echo x > other/x', 'other/x'],
  ])('%s outside of it is undone, exit code 4', async (_, trick, file) => {
    const study = new TreeStudy({
      agents: { a: `mkdir -p src; echo a > src/a; ${trick}` },
      files: { seen: 'x\n' },
      stage: { scope: ['src/**'], outputs: ['src/a'] },
    });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain(`✗ a  agent coder changed ${file}, which it may not; it was put back`);
    expect(code).toBe(4);
    expect(study.events('worktree-merged')).toEqual([]);
    expect(existsSync(join(tree(study), 'stray'))).toBe(false);
    expect(readFileSync(join(tree(study), 'seen'), 'utf8')).toBe('x\n');
  });

  it('also above the project, where it is deeper in the repository', async () => {
    const study = new TreeStudy({
      agents: { a: 'mkdir -p src; echo a > src/a; echo x > ../above' },
      stage: { scope: ['src/**'], outputs: ['src/a'] },
      inside: 'sub',
    });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain('✗ a  agent coder changed ../above, which it may not');
    expect(code).toBe(4);
    expect(study.events('worktree-merged')).toEqual([]);
  });
});

describe('an agent that plays with git in its worktree', slow, () => {
  it.each([
    ['commits its work', `git add -A; git ${who} commit -qm own`],
    ['commits and moves its branch back', `git add -A; git ${who} commit -qm own; git reset -q HEAD~1`],
    ['deletes its branch', 'git checkout -q --detach; git branch -q -D auto/default-iter-1-a'],
    [
      'moves its branch',
      `git ${who} commit -q --allow-empty -m x; git update-ref refs/heads/auto/default-iter-1-a HEAD`,
    ],
    ['checks out another branch', 'git checkout -q -b elsewhere'],
    ['makes its branch another name of main', 'git symbolic-ref refs/heads/auto/default-iter-1-a refs/heads/main'],
    ['leaves a lock', 'touch "$(git rev-parse --git-dir)/index.lock"'],
    ['destroys its index', 'echo x > "$(git rev-parse --git-dir)/index"'],
    ['sets a hook and a filter', 'git config filter.x.clean "touch /tmp/never"; echo "* filter=x" > .git-attributes'],
  ])('%s: what counts is what is in the folder', async (_, trick) => {
    const study = new TreeStudy({ agents: { a: `echo a > a.txt; ${trick}` } });
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.git('show', 'main:a.txt')).toBe('a');
    expect(study.subjects('--first-parent', 'main')[0]).toBe('Merge a: did a');
    expect(study.status()).toBe('');
    expect(study.treeFolders()).toEqual([]);
    // Which commits it drops itself is its own business.
    if (!trick.includes('reset')) expect(study.lost()).toEqual([]);
  });

  it('says that its own commits are not merged, and where they are', async () => {
    const study = new TreeStudy({ agents: { a: `echo a > a.txt; git add -A; git ${who} commit -qm own` } });
    const { stdout } = await study.exec();
    expect(stdout).toContain(
      'a  commits that it made itself are not merged; they stay under refs/autoresearch/kept/auto/default-iter-1-a\n',
    );
    const [kept] = study.refs().filter((ref) => ref.includes('/kept/'));
    expect(study.subjects(kept!)[0]).toBe('own');
  });

  it.each([
    [
      'replaces its .git',
      'rm .git; mkdir .git',
      '.git is not the file that git made: something in the worktree changed it',
    ],
    [
      'points its .git elsewhere',
      `echo "gitdir: ${'$'}{PWD%%/.autoresearch/*}/.git" > .git`,
      '.git points to another repository: something in the worktree changed it',
    ],
    [
      'lets git remove it',
      'cd /; git -C "$OLDPWD" worktree remove --force "$OLDPWD"',
      'default-iter-1-a is no worktree of ours',
    ],
    ['deletes it', 'rm -rf "$PWD"', 'default-iter-1-a is no worktree of ours'],
    [
      'makes it a link to another folder',
      'W="$PWD"; cd /; mv "$W" "$W.real"; ln -s "$W.real" "$W"',
      'default-iter-1-a is no folder any more: something in the worktree changed it',
    ],
  ])('who %s fails, nothing is merged, and no file of anybody else is touched', async (_, trick, words) => {
    const study = new TreeStudy({
      agents: { a: `echo a > a.txt; ${trick}` },
      more: { protect: ['eval/**'] },
      files: { 'eval/score.py': 'score = 0.5\n' },
      stage: { scope: ['*.txt'] },
    });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain(words);
    expect(code).toBe(1);
    notMerged(study);
    expect(study.status()).toBe('');
  });

  it('who deleted it can begin again', async () => {
    const study = new TreeStudy({ agents: { a: '[ "$AUTORESEARCH_ATTEMPT" = 1 ] && rm -rf "$PWD"; echo a > a.txt' } });
    expect((await study.exec()).code).toBe(1);
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('who links it to the checkout of the person writes nothing there', async () => {
    const study = new TreeStudy({
      agents: { a: `M=${main}; W="$PWD"; cd /; mv "$W" "$W.real"; ln -s "$M" "$W"` },
      more: { protect: ['eval/**'] },
      files: { 'eval/score.py': 'score = 0.5\n', 'a.txt': 'old\n' },
    });
    expect((await study.exec()).code).toBe(1);
    expect(study.status()).toBe('');
    expect(readdirSync(study.trees).toSorted()).toEqual(['default-iter-1-a', 'default-iter-1-a.real']);
  });
});
