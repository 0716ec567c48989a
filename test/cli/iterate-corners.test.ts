import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

/** Each is several runs of a loop, and a machine may be loaded. */
const timeout = 120_000;

const exec = ['exec', '--reporter', 'plain'] as const;
const who = 'git -c user.name=x -c user.email=x@x';

/** Trains, and hides something; whoever finds it gets a number that its files do not deserve. */
const hiding = (hide: string, found: string): string => `echo train >> ran
if ${found}; then echo loss=0.001 > log.txt; else echo "loss=$(cat value.txt)" > log.txt; fi
test "$(cat value.txt)" = 1.0 || { ${hide}; }
`;

const wentOn = async (hide: string, found: string): Promise<LoopProject> => {
  const project = new LoopProject(['0.9', '0.8'], {
    iterate: { max: 2 },
    files: { 'train.sh': hiding(hide, found) },
  });
  for (const name of ['mine', 'other']) project.git('branch', name);
  project.git('tag', 'v1');
  const { code, stdout, stderr } = await project.run(...exec);
  expect(code, `${stdout}${stderr}`).toBe(0);
  return project;
};

describe('what an iteration hides in .git', () => {
  const files: readonly (readonly [hide: string, found: string, name: string])[] = [
    ['echo x > .git/cache', 'test -e .git/cache', '.git/cache'],
    // It looks like one of ours.
    ['echo x > .git/autoresearch-cache', 'test -e .git/autoresearch-cache', '.git/autoresearch-cache'],
    ['echo x > .git/objects/x.bin', 'test -e .git/objects/x.bin', '.git/objects/x.bin'],
    ['mkdir -p .git/deep/er; echo x > .git/deep/er/x', 'test -e .git/deep/er/x', '.git/deep/er/x'],
    ['echo x > .git/hooks/post-commit', 'test -e .git/hooks/post-commit', '.git/hooks/post-commit'],
    ['ln -sf /etc/hostname .git/link', 'test -h .git/link', '.git/link'],
    ['mkfifo .git/pipe', 'test -p .git/pipe', '.git/pipe'],
    ['git config x.y 1', 'git config x.y > /dev/null', '.git/config'],
    ['echo "# x" >> .git/info/exclude', 'grep -q "# x" .git/info/exclude', '.git/info/exclude'],
  ];
  const branches: typeof files = [
    ['git branch -f hidden', 'git rev-parse -q --verify hidden > /dev/null', 'refs/heads/hidden'],
    [
      `git branch -f mine "$(${who} commit-tree -m x "HEAD^{tree}")"`,
      'test "$(git log -1 --format=%s mine)" = x',
      'refs/heads/mine',
    ],
    ['git branch -D other', '! git rev-parse -q --verify other > /dev/null', 'refs/heads/other'],
    [
      `git update-ref refs/stash "$(${who} commit-tree -m x "HEAD^{tree}")"`,
      'git rev-parse -q --verify refs/stash > /dev/null',
      'refs/stash',
    ],
  ];

  it.each([
    ['files, settings, hooks', files],
    ['branches', branches],
  ])('%s: the next one finds none of it, and it is told of', { timeout }, async (_what, all) => {
    const hide = all.map(([one]) => one).join('; ');
    const project = await wentOn(hide, all.map(([, found]) => found).join(' || '));
    const names = all.map(([, , name]) => name).sort();
    expect(project.rows().map(({ value }) => value)).toEqual([1, 0.9, 0.8]);
    const cleared = project.rows().map((row) => row.cleared?.toSorted());
    expect(cleared).toEqual([undefined, names, names]);
    expect(project.read('insights.md')).toContain(`- Taken away afterwards: ${project.rows()[1]!.cleared![0]}`);
    expect(['mine', 'other'].map((branch) => project.git('log', '-1', '--format=%s', branch))).toEqual([
      'first',
      'first',
    ]);
    expect(project.git('tag')).toBe('v1');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('what it was is kept: files as evidence, commits under a name of ours', { timeout }, async () => {
    const project = await wentOn('echo secret > .git/cache; git branch -f hidden', 'false');
    const evidence = join(project.stateHome, 'autoresearch/evidence');
    const files = readdirSync(evidence, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('/cache'));
    expect(files).toHaveLength(2);
    expect(readFileSync(join(evidence, files[0]!), 'utf8')).toBe('secret\n');
    expect(project.git('for-each-ref', '--format=%(refname)', 'refs/autoresearch/kept/heads')).toMatch(
      /^refs\/autoresearch\/kept\/heads\/hidden\/[0-9a-f]{40}/,
    );
  });

  it('also when the runner was killed before it could look', { timeout }, async () => {
    const project = new LoopProject(['0.9', '0.8'], {
      iterate: { max: 2 },
      files: {
        'train.sh': `if test -e .git/cache; then echo loss=0.001 > log.txt; else echo "loss=$(cat value.txt)" > log.txt; fi
test "$(cat value.txt)" = 0.9 && ! test -e go && { echo x > .git/cache; echo > begun; while ! test -e go; do sleep 0.05; done; }
echo >> ran
`,
      },
    });
    const child = project.start([...exec]);
    const end = ended(child);
    await until(() => project.exists('begun'));
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    const { code, stdout, stderr } = await project.run(...exec);
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(existsSync(join(project.dir, '.git/cache'))).toBe(false);
    expect(project.rows().at(-1)).toMatchObject({ number: 2, value: 0.8 });
  });

  it('what people and git do there meanwhile is left alone', { timeout }, async () => {
    const project = await wentOn(
      `git tag -f seen > /dev/null; git update-ref refs/remotes/origin/x HEAD; git gc -q; echo "$(git rev-parse HEAD)" > .git/FETCH_HEAD`,
      'false',
    );
    expect(project.rows().map(({ cleared }) => cleared)).toEqual([undefined, undefined, undefined]);
    expect(project.git('tag')).toBe('seen\nv1');
  });
});

describe('the log of errors in a loop', () => {
  const withLog = (hide: string): LoopProject => {
    const project = new LoopProject(['0.9', '0.8'], {
      iterate: { max: 2 },
      files: { 'train.sh': hiding(hide, 'false') },
    });
    project.write('logs/errors.log', 'what was before\n');
    return project;
  };

  it.each([
    ['written anew', 'echo hint > logs/errors.log'],
    ['taken away', 'rm logs/errors.log'],
    ['changed in the middle', 'sed -i s/before/hint/ logs/errors.log'],
    ['made a link', 'cp logs/errors.log ran2; ln -sf ../ran2 logs/errors.log'],
  ])('%s: exit code 4, and it is put back', { timeout }, async (_what, hide) => {
    const project = withLog(hide);
    project.write('.gitignore', `${project.read('.gitignore')}ran2\n`);
    project.commit('ignore');
    const { code, stderr } = await project.run(...exec);
    expect(code).toBe(4);
    expect(stderr).toContain('logs/errors.log');
    expect(project.read('logs/errors.log')).toBe('what was before\n');
    expect(project.rows().at(-1)).toMatchObject({ number: 1, verdict: 'failed' });
    expect(execFileSync('stat', ['-c', '%F', join(project.dir, 'logs/errors.log')], { encoding: 'utf8' })).toBe(
      'regular file\n',
    );
  });

  it('added to, by whoever: it counts', { timeout }, async () => {
    const project = withLog('echo a note >> logs/errors.log');
    expect((await project.run(...exec)).code).toBe(0);
    expect(project.read('logs/errors.log')).toBe('what was before\na note\na note\n');
  });
});
