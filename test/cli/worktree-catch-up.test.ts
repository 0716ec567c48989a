import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };
const tree = (study: TreeStudy): string => join(study.trees, 'default-iter-1-a');

/** A check that is broken at first. The agent adds a line each time that it is asked. */
function study({
  agent = 'true',
  check = 'exit 7',
  ...stage
}: {
  agent?: string;
  check?: string;
  [option: string]: unknown;
}): TreeStudy {
  const made = new TreeStudy({
    agents: { a: `echo "$AUTORESEARCH_ATTEMPT" >> a.txt; ${agent}` },
    stages: { a: isolated({ with: { instructions: 'x', verify: 'sh check.sh' }, outputs: ['a.txt'], ...stage }) },
    files: { 'check.sh': `${check}\n`, 'eval/score.sh': 'echo 1\n', 'shared.txt': 'one\n' },
  });
  return made;
}

function mend(of: TreeStudy, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) of.put(path, text);
  of.commit('mended');
}

describe('what a person has mended and committed', slow, () => {
  it('reaches the worktree of a task that has failed, and its work so far stays', async () => {
    const own = study({});
    expect(await own.exec()).toMatchObject({ code: 1 });
    mend(own, { 'check.sh': 'exit 0\n', 'new/helper': 'x\n' });
    const { code, stdout } = await own.exec();
    const into = own.events('worktree-updated')[0]!;
    expect(stdout).toContain(`a  goes on with what is in main by now (${String(into.commit).slice(0, 12)})`);
    expect(code).toBe(0);
    // What the first attempt wrote is there as well: nobody began anew.
    expect(own.read('a.txt')).toBe('1\n2\n');
    expect(own.left()).toEqual(nothingLeft);
  });

  it('also the next attempt of the same run', async () => {
    const main = '"${PWD%%/.autoresearch/*}"';
    const own = study({
      agent: 'test "$AUTORESEARCH_ATTEMPT" = 1 || cp check.sh seen-by-the-second',
      retry: { attempts: 2, fix: { run: `cd ${main} && echo exit 0 > check.sh && git commit -qam mended` } },
    });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.read('seen-by-the-second')).toBe('exit 0\n');
  });

  it('is not mixed with what the task has changed itself: the files are named, and nothing is lost', async () => {
    const own = study({ agent: 'echo mine >> shared.txt' });
    expect(await own.exec()).toMatchObject({ code: 1 });
    mend(own, { 'check.sh': 'exit 0\n', 'shared.txt': 'two\n' });
    const before = readFileSync(join(tree(own), 'shared.txt'), 'utf8');
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(
      'a  goes on without what is in main by now: shared.txt changed there and in its worktree; they are brought together when it is merged, or begin anew with --force a\n',
    );
    expect(own.events('worktree-behind')).toMatchObject([{ task: 'a', into: 'main', files: ['shared.txt'] }]);
    expect(code).toBe(1);
    expect(readFileSync(join(tree(own), 'shared.txt'), 'utf8')).toBe(`${before}mine\n`);
    // Begun anew, what stood there has a name.
    expect((await own.exec('--force', 'a')).code).toBe(0);
    expect(own.read('shared.txt')).toBe('two\nmine\n');
    const kept = own.refs().filter((ref) => ref.startsWith('refs/autoresearch/kept/'));
    expect(kept.map((ref) => own.git('show', `${ref}:shared.txt`))).toContain('one\nmine\nmine');
  });

  it('reaches it whatever the agent has done with git there', async () => {
    const who = '-c user.name=x -c user.email=x@y.z';
    const own = study({
      agent: `git update-index --skip-worktree check.sh; git ${who} commit -qam mine; git checkout -q --detach; touch "$(git rev-parse --git-dir)/index.lock"`,
    });
    expect(await own.exec()).toMatchObject({ code: 1 });
    mend(own, { 'check.sh': 'exit 0\n' });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.read('a.txt')).toBe('1\n2\n');
  });

  it('may be protected by the stage: what was committed counts', async () => {
    const own = study({ protect: ['eval/**'], check: 'test "$(sh eval/score.sh)" = 2' });
    expect(await own.exec()).toMatchObject({ code: 1 });
    mend(own, { 'eval/score.sh': 'echo 2\n', 'eval/more/data': 'x\n' });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.left()).toEqual(nothingLeft);
  });

  it.each([
    ['that nobody has committed', 'eval/data.txt'],
    ['in place of what was committed', 'eval/score.sh'],
  ])('but a change of what is protected %s is found, and put back', async (_, file) => {
    const own = study({ protect: ['eval/**'], check: 'test "$(sh eval/score.sh)" = 2' });
    own.put('eval/data.txt', 'data\n');
    own.commit('data');
    expect(await own.exec()).toMatchObject({ code: 1 });
    mend(own, { 'eval/score.sh': 'echo 3\n' });
    // As somebody would who was left behind.
    writeFileSync(join(tree(own), file), 'echo 2\n');
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(`agent coder changed what is protected: ${file}; it has been put back`);
    expect(code).toBe(4);
    expect(own.events('worktree-merged')).toEqual([]);
  });

  it('brings along what is lent, as it is now', async () => {
    const own = study({ inputs: ['data/in.txt'], check: 'grep -q new data/in.txt' });
    own.write('.gitignore', '.autoresearch/\nlogs/\ndata/\n');
    own.commit('ignored');
    own.put('data/in.txt', 'old\n');
    chmodSync(join(own.root, 'data/in.txt'), 0o644);
    expect(await own.exec()).toMatchObject({ code: 1 });
    own.put('data/in.txt', 'new\n');
    mend(own, { 'shared.txt': 'two\n' });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.filesOf('main')).not.toContain('data/in.txt');
    expect(own.left()).toEqual(nothingLeft);
  });
});
