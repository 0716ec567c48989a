import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };

describe('tasks in worktrees', slow, () => {
  it('side by side: each on a branch of its own, merged one after another, and nothing is left behind', async () => {
    const study = new TreeStudy({
      agents: {
        a: 'echo a > a.txt; rm gone; chmod +x mode; git branch --show-current > a.branch',
        b: 'echo b > b.txt; mkdir -p deep/er; echo x > "deep/er/na me"; git branch --show-current > b.branch',
      },
      files: { gone: 'x\n', mode: 'x\n' },
    });
    const { code, stdout, stderr } = await study.exec('--jobs', '2');
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^study: run \S+, 2 tasks, at most 2 at once\n✓ [ab] {2}.*did [ab]\n✓ [ab] {2}.*did [ab]\n✓ study passed in .*: 2 passed\n {2}results {2}a\.txt\n {11}b\.txt\n {2}run {6}\S+\n$/,
    );
    expect(code).toBe(0);
    expect(study.left()).toEqual(nothingLeft);
    expect(study.read('a.branch')).toBe('auto/default-iter-1-a\n');
    expect(study.read('b.branch')).toBe('auto/default-iter-1-b\n');
    expect(study.filesOf()).toEqual(
      expect.arrayContaining(['a.branch', 'a.txt', 'b.branch', 'b.txt', 'deep/er/na me', 'mode']),
    );
    expect(study.filesOf()).not.toContain('gone');
    expect(study.git('ls-files', '-s', 'mode')).toMatch(/^100755 /);
    const run = String(study.events('run-started')[0]!.run);
    // First parents only: what a person sees who reads the history of their branch.
    expect(study.subjects('--first-parent').toSorted()).toEqual(['Merge a: did a', 'Merge b: did b', 'first']);
    const made = study.git('log', '--no-merges', '--format=%an %B');
    expect(made).toContain(`Person a: did a\n\nautoresearch run ${run}, attempt 1, agent coder`);
    expect(study.events('worktree-committed').map(({ files }) => (files as string[]).toSorted())).toContainEqual([
      'b.branch',
      'b.txt',
      'deep/er/na me',
    ]);
    expect((await study.run('status')).stdout).toContain('✓ study passed');
    // Nothing to do, and nothing done.
    const head = study.git('rev-parse', 'HEAD');
    expect((await study.exec()).code).toBe(0);
    expect(study.git('rev-parse', 'HEAD')).toBe(head);
    expect(study.timesAsked()).toHaveLength(2);
  });

  it('plan says who works where; --verbose what was merged', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt' } });
    expect((await study.run('plan')).stdout).toContain(
      'Worktrees:  a: each task works in one of its own, and is merged into the branch\n            that is checked out.\n',
    );
    const { stdout } = await study.exec('--verbose');
    expect(stdout).toMatch(/\na {2}merged as [0-9a-f]{12}: 1 file\n/);
  });

  it('of a matrix, with a message from a template, several lines and secrets hidden', async () => {
    const commit =
      '{{stage.name}} {{matrix.lr}} of {{vars.model}} ({{name}})\n\n{{summary}}\n\nBy {{agent}} in {{attempt}}: {{task.id}} on {{branch}}';
    const study = new TreeStudy({
      agents: {
        'tune:lr=1': 'echo 1 > r1; summary="first line\\\\nused $TOKEN & <more>"',
        'tune:lr=0.5': 'echo 2 > r0.5',
      },
      stages: { tune: isolated({ matrix: { lr: [1, 0.5] }, outputs: ['r{{matrix.lr}}'], commit }) },
      more: {
        vars: { model: 'm&m' },
        secrets: ['TOKEN'],
        agents: { coder: { backend: 'command', run: './coder.sh', passEnv: ['TOKEN'] } },
      },
    });
    const env = { TOKEN: 'hush-hush-hush' };
    const { code, stdout } = await ended(study.start(['exec', '--reporter', 'plain', '--jobs', '2'], env));
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    const [one] = study.events('worktree-committed').filter(({ task }) => task === 'tune:lr=1');
    expect(study.git('show', '-s', '--format=%B', String(one!.commit))).toBe(
      'tune 1 of m&m (study)\n\nfirst line\nused [secret TOKEN] & <more>\n\nBy coder in 1: tune:lr=1 on auto/default-iter-1-tune-lr-1-'.concat(
        String(one!.branch).split('-').at(-1)!,
      ),
    );
    const branches = study.events('worktree-created').map(({ branch }) => branch);
    expect(new Set(branches).size).toBe(2);
    for (const branch of branches) expect(branch).toMatch(/^auto\/default-iter-1-tune-lr-[\w-]+$/);
    expect(readFileSync(join(study.dir, '.git/logs/HEAD'), 'utf8')).not.toContain('hush');
    expect(study.git('log', '--format=%B')).not.toContain('hush');
    expect(study.left()).toEqual(nothingLeft);
  });

  it('a message that speaks of what nobody knows is refused', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt' }, stage: { commit: 'work\n{{unknown}}' } });
    const { code, stderr } = await study.exec();
    expect(stderr).toMatch(/autoresearch\.config\.json:\d+:\d+ AR\d+ .*unknown/);
    expect(code).toBe(2);
    expect(study.timesAsked()).toEqual([]);
  });

  it('a later task begins with what an earlier one merged', async () => {
    const study = new TreeStudy({
      agents: { a: 'echo a > a.txt', b: 'cat a.txt > b.txt; echo b >> b.txt' },
      stages: {
        a: isolated({ outputs: ['a.txt'] }),
        b: isolated({ needs: ['a'], inputs: ['a.txt'], outputs: ['b.txt'] }),
      },
    });
    expect((await study.exec()).code).toBe(0);
    expect(study.read('b.txt')).toBe('a\nb\n');
    expect(study.left()).toEqual(nothingLeft);
  });

  it('eight at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const study = new TreeStudy({
      agents: Object.fromEntries(
        names.map((name) => [name, `echo ${name} > ${name}.txt; echo ${name} >> log-${name}`]),
      ),
    });
    const { code, stdout } = await study.exec('--jobs', '8');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    for (const name of names) expect(study.read(`${name}.txt`)).toBe(`${name}\n`);
    expect(study.subjects('--first-parent')).toHaveLength(9);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('of two agent ids on one checkout: separate branches, both merged, neither takes the other for a trespasser', async () => {
    const study = new TreeStudy({
      // The first waits until the second is merged.
      agents: {
        a: `name=$(basename "$PWD"); echo x > "$name.txt"; [ $name = two-iter-1-a ] || while ! [ -e "${'$'}{PWD%%/.autoresearch/*}/two-iter-1-a.txt" ]; do sleep 0.1; done`,
      },
      stage: { outputs: ['*-a.txt'] },
    });
    const first = study.exec('--agent-id', 'one');
    const second = study.exec('--agent-id', 'two');
    expect(await second).toMatchObject({ code: 0 });
    const { code, stdout } = await first;
    expect(stdout).toContain('✓ study passed');
    expect(code).toBe(0);
    expect(study.exists('one-iter-1-a.txt')).toBe(true);
    expect(study.exists('two-iter-1-a.txt')).toBe(true);
    expect(study.left()).toEqual(nothingLeft);
  });
});

describe('files that are in no commit', slow, () => {
  it('are lent where a stage reads them, and never committed', async () => {
    const study = new TreeStudy({
      agents: { a: 'cat data/x.bin made.txt prompt.md > a.txt; echo more > b.txt' },
      stages: {
        make: { uses: 'command', with: { run: 'echo made > made.txt' }, outputs: ['made.txt'] },
        a: isolated({ needs: ['make'], inputs: ['data/*.bin', 'made.txt', 'prompt.md'], outputs: ['a.txt'] }),
      },
      ignored: 'data/\n',
      files: { 'prompt.md': 'prompt\n' },
    });
    study.write('data/x.bin', 'bin\n');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('a.txt')).toBe('bin\nmade\nprompt\n');
    expect(study.filesOf()).not.toContain('made.txt');
    expect(study.filesOf()).not.toContain('data/x.bin');
    expect(study.read('made.txt')).toBe('made\n');
    expect(study.left()).toEqual({ ...nothingLeft, status: '?? made.txt' });
  });

  it('ignored outputs are brought back to the byte, mode included', async () => {
    const study = new TreeStudy({
      agents: { a: "mkdir -p out/deep; printf '\\000\\377\\n' > out/deep/m.bin; echo run > out/run; chmod +x out/run" },
      stage: { outputs: ['out/**'] },
      ignored: 'out/\n',
    });
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(readFileSync(join(study.dir, 'out/deep/m.bin'))).toEqual(Buffer.from([0, 255, 10]));
    expect(study.events('worktree-merged')).toMatchObject([{ files: [], brought: ['out/deep/m.bin', 'out/run'] }]);
    expect(study.left()).toEqual(nothingLeft);
  });

  it('an output that git changes on the way in is what git makes of it, before anybody checks it', async () => {
    const study = new TreeStudy({
      agents: { a: "printf 'a\\r\\n' > a.txt" },
      files: { '.gitattributes': '*.txt text eol=lf\n' },
    });
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect([study.get('a.txt'), study.left()]).toEqual(['a\n', nothingLeft]);
  });

  it('one that a check writes so, or a command that nobody checks, is a failure, not a result', async () => {
    const crlf = "printf 'a\\r\\n' > a.txt";
    for (const a of [
      isolated({ outputs: ['a.txt'], with: { instructions: 'x', verify: crlf } }),
      {
        uses: 'command',
        isolation: 'worktree',
        outputs: ['a.txt'],
        with: { run: crlf },
        retry: { attempts: 2, fix: 'coder' },
      },
    ]) {
      const files = { '.gitattributes': '*.txt text eol=lf\n' };
      const study = new TreeStudy({ agents: { a: 'echo a > a.txt' }, stages: { a }, files });
      const { code, stdout } = await study.exec();
      expect(stdout).toContain('what is in the project after the merge is not what was checked');
      expect([code, study.events('task-finished')]).toEqual([1, []]);
    }
  });

  it('what nobody asked for stays in its worktree, and that is told', async () => {
    const study = new TreeStudy({ agents: { a: 'echo a > a.txt; mkdir junk; echo j > junk/j' }, ignored: 'junk/\n' });
    const { code, stdout } = await study.exec();
    expect(stdout).toContain(
      `a  its worktree stays: ${join(study.trees, 'default-iter-1-a')} has ignored files that are nowhere else: junk/j\n`,
    );
    expect(code).toBe(0);
    expect(readFileSync(join(study.trees, 'default-iter-1-a/junk/j'), 'utf8')).toBe('j\n');
  });
});

describe('commit without a worktree', slow, () => {
  const make = {
    uses: 'command',
    with: { run: 'echo a > a.txt; echo b > other.txt' },
    outputs: ['a.txt'],
    commit: 'made {{task.id}}',
  };

  it('commits the outputs and nothing else', async () => {
    const study = new TreeStudy({ agents: {}, stages: { make }, more: { agents: undefined } });
    study.write('staged', 'x\n');
    study.git('add', 'staged');
    const { code, stdout } = await study.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.subjects()).toEqual(['made make', 'first']);
    expect(study.git('show', '--format=', '--name-only', 'HEAD')).toBe('a.txt');
    expect(study.status()).toBe('A  staged\n?? other.txt');
  });

  it('needs a repository, which is said before anything runs', async () => {
    const study = new TreeStudy({ agents: {}, stages: { make }, more: { agents: undefined } });
    study.git('checkout', '-q', '--detach');
    const { code, stderr } = await study.exec();
    expect(stderr).toMatch(/AR509 a commit is checked out without a branch/);
    expect(code).toBe(2);
    expect(study.exists('a.txt')).toBe(false);
  });
});
