import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

interface Sketch {
  readonly stage?: object;
  readonly more?: object;
  readonly stages?: object;
}

/** A project whose evaluation is protected, and an agent that does what the script says. */
function studyOf(script: string, { stage, more, stages }: Sketch = {}): Project {
  const config = {
    name: 'study',
    protect: ['eval/**', 'metrics.yaml'],
    agents: { coder: { backend: 'command', run: './coder.sh', limits: { usd: 1, timeout: '120s' } } },
    stages: {
      work: { uses: 'agent', agent: 'coder', with: { instructions: 'x' }, outputs: ['src/a.py'], ...stage },
      ...stages,
    },
    ...more,
  };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify(config),
    'eval/score.py': 'score = 0.5\n',
    'eval/data/x.bin': '\u0000\u0001\u0002',
    'metrics.yaml': 'accuracy: max\n',
  });
  project.write(
    'coder.sh',
    `#!/bin/sh\nmkdir -p src; date +%N > src/a.py\n${script}\necho '{"outcome":"done","summary":"ok"}'\n`,
  );
  chmodSync(join(project.dir, 'coder.sh'), 0o755);
  return project;
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);

/** Everything about the protected part that matters. */
const stateOf = (project: Project) =>
  ['eval', 'eval/score.py', 'eval/data', 'eval/data/x.bin', 'metrics.yaml'].map((path) => {
    const file = join(project.dir, path);
    const { mode, nlink } = lstatSync(file);
    const isFile = lstatSync(file).isFile();
    return [path, mode, isFile ? nlink : 0, isFile ? readFileSync(file, 'latin1') : readdirSync(file).sort()];
  });

describe('protected files', () => {
  it('stay as they are when nobody touches them, and the journal says what was protected', async () => {
    const project = studyOf('');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(events(project, 'protection-recorded')).toMatchObject([
      {
        files: expect.any(Number),
        patterns: ['eval/**', 'metrics.yaml'],
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(events(project, 'protection-violated')).toEqual([]);
  });

  it.each([
    ['edited', 'echo "score = 1.0" > eval/score.py'],
    ['appended to', 'echo "# x" >> eval/score.py'],
    [
      'edited in place, with its old time',
      'touch -r eval/score.py /tmp/ref.$$; printf "score = 0.9\\n" > eval/score.py; touch -r /tmp/ref.$$ eval/score.py; rm /tmp/ref.$$',
    ],
    ['deleted', 'rm metrics.yaml'],
    ['renamed', 'mv eval/score.py eval/old.py'],
    ['replaced by a link', 'cp eval/score.py src/fake.py; rm eval/score.py; ln -s ../src/fake.py eval/score.py'],
    [
      'in a folder that was swapped',
      'cp -r eval src/eval; echo "score = 1" > src/eval/score.py; mv eval src/real; ln -s src/eval eval',
    ],
    ['shadowed by a new file', 'echo "score = 1" > eval/__init__.py'],
    ['given another mode', 'chmod 777 eval/score.py'],
    ['locked away', 'chmod 000 eval'],
    ['written through a hard link', 'ln eval/score.py src/link; echo "score = 1" > src/link'],
    ['replaced by a pipe', 'rm eval/score.py; mkfifo eval/score.py'],
    ['joined by a deep new folder', 'mkdir -p eval/a/b; echo x > eval/a/b/c'],
  ])('that are %s: put back exactly, exit code 4, and the task does not pass', async (_, trick) => {
    const project = studyOf(trick, { stage: { retry: { attempts: 3 } } });
    const before = stateOf(project);
    const { code, stdout } = await exec(project);
    expect(stdout).toMatch(/agent coder changed what is protected: .*; (?:it has|they have) been put back/);
    expect(code).toBe(4);
    expect(stateOf(project)).toEqual(before);
    expect(events(project, 'task-finished')).toEqual([]);
    const [violated] = events(project, 'protection-violated');
    expect(violated).toMatchObject({ task: 'work' });
    expect(existsSync(join(String(violated!.evidence), 'changes.diff'))).toBe(true);
    expect(events(project, 'agent-invoked')).toHaveLength(1);
    const [refused] = events(project, 'agent-validation-failed');
    expect(refused).toMatchObject({ task: 'work', again: false, violated: violated!.files });
  });

  it('are put back after a command, too, and what it was is kept for people', async () => {
    const project = studyOf('', {
      stages: { bad: { uses: 'command', needs: ['work'], with: { run: 'echo 1.0 > eval/score.py' } } },
    });
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('something changed what is protected: eval/score.py; it has been put back');
    expect(code).toBe(4);
    const [{ evidence }] = events(project, 'protection-violated') as [{ evidence: string }];
    expect(readFileSync(join(evidence, 'changes.diff'), 'utf8')).toMatch(/-score = 0\.5\n\+1\.0/);
  });

  it('that are changed after the reply are found before anything builds on it', async () => {
    const project = studyOf('', {
      stages: {
        late: {
          uses: 'command',
          needs: ['work'],
          with: {
            // It goes on only when the other one has left its group.
            run: 'env -i sh -c "setsid sh -c \'touch left; sleep 0.7; echo 1 > eval/score.py\'" > /dev/null 2>&1 & until [ -e left ]; do sleep 0.01; done',
          },
        },
        wait: {
          uses: 'command',
          needs: ['late'],
          with: { run: 'until grep -qx 1 eval/score.py; do sleep 0.05; done' },
        },
        next: { uses: 'command', needs: ['wait'], with: { run: 'cp eval/score.py used.txt' }, outputs: ['used.txt'] },
      },
    });
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.exists('used.txt')).toBe(false);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it('that are changed between two attempts are found before the next one', async () => {
    const hidden = 'env -i sh -c "setsid sh -c \'touch left; sleep 0.4; echo 1 > eval/score.py\'" > /dev/null 2>&1 &';
    const run = `if [ -e second ]; then cp eval/score.py used.txt; else touch second; ${hidden} until [ -e left ]; do sleep 0.01; done; exit 1; fi`;
    const late = { uses: 'command', needs: ['work'], with: { run }, retry: { attempts: 2, backoff: '2s' } };
    const project = studyOf('', { stages: { late } });
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.exists('used.txt')).toBe(false);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it('onViolation: retry tries again with everything put back, and says what happened', async () => {
    const project = studyOf('[ -e src/once ] || { touch src/once; echo 1 > eval/score.py; }', {
      stage: { retry: { attempts: 2 } },
      more: { onViolation: 'retry' },
    });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(events(project, 'protection-violated')).toHaveLength(1);
    expect(events(project, 'task-failed')).toMatchObject([{ errorClass: 'protect-violated', retrying: true }]);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it.each([
    ['a file', 'touch'],
    ['a link', 'ln -s /tmp'],
  ])("%s where the runner keeps its findings is in nobody's way", async (_, plant) => {
    const run = '.autoresearch/default/runs/$AUTORESEARCH_RUN';
    const project = studyOf(
      `${plant} ${run}/violations; ${plant} ${run}/tasks/work/1/violation; echo 1 > eval/score.py`,
    );
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it('onViolation: retry that never succeeds is still exit code 4', async () => {
    const project = studyOf('echo 1 > eval/score.py', {
      stage: { retry: { attempts: 2 } },
      more: { onViolation: 'retry' },
    });
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(events(project, 'protection-violated')).toHaveLength(2);
  });

  it('what its tests do is found, also when they do more than one thing', async () => {
    const project = studyOf("printf 'echo x > stray.txt; echo bad > eval/score.py' > src/t.sh", {
      stage: { scope: ['src/**'], with: { instructions: 'x', verify: 'sh src/t.sh' } },
    });
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.exists('stray.txt')).toBe(false);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it('are not disturbed by what Python leaves beside a module that is merely used', async () => {
    const project = studyOf('', {
      stages: { use: { uses: 'command', needs: ['work'], with: { run: 'python3 -c "import eval.score"' } } },
    });
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it.each<[string, string, Sketch]>([
    [
      'the agent',
      'cp -p eval/score.py old; echo 1 > eval/score.py; cat old > eval/score.py; touch -r old eval/score.py',
      {},
    ],
    [
      'what it wrote, when that is run as a test',
      `echo 'mv eval/score.py old; echo 1 > eval/score.py; cat eval/score.py; cp old eval/score.py' > src/test.sh`,
      { stage: { with: { instructions: 'x', verify: 'sh src/test.sh' } } },
    ],
  ])(
    'that are changed and put back again before anybody looks, by %s: told with the result',
    async (_, script, sketch) => {
      const project = studyOf(script, sketch);
      const { code, stdout } = await exec(project);
      const warning =
        'eval/score.py is protected, and was written or touched while it ran: the content is the same as before, but may have been another one meanwhile';
      expect(stdout).toContain(`  ⚠ work  ${warning}\n`);
      expect(code).toBe(0);
      expect(events(project, 'task-finished')).toMatchObject([{ task: 'work', warnings: [warning] }]);
      expect(project.read('logs/errors.log')).toContain(warning);
    },
  );

  it('that are only read, or are looked at by others, are no reason for that', async () => {
    const project = studyOf('cat eval/* > /dev/null 2>&1; cp -r eval copy', {
      stages: { beside: { uses: 'command', with: { run: 'cat eval/score.py' } } },
    });
    const { code, stdout } = await exec(project, '--jobs', '2');
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(stdout).not.toContain('⚠');
  });

  it('of one stage are protected while it runs', async () => {
    const project = studyOf('echo x > notes.txt', { stage: { protect: ['notes.txt'] }, more: { protect: undefined } });
    project.write('notes.txt', 'mine\n');
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(project.read('notes.txt')).toBe('mine\n');
  });

  it('that were changed while a killed run was not watched are refused, and --new takes them as they are', async () => {
    const project = studyOf('[ -e go ] || sleep 1000');
    const child = project.start(['exec', '--reporter', 'silent']);
    const end = ended(child);
    await until(() => project.exists('src/a.py'));
    child.kill('SIGKILL');
    await end;
    project.write('go', '');
    project.write('eval/score.py', 'score = 0.7\n');
    const { code, stderr } = await exec(project);
    expect(stderr).toContain('changed what is protected: eval/score.py; nothing was put back');
    expect(stderr).toContain('exec --new');
    expect(code).toBe(4);
    expect(await exec(project, '--new')).toMatchObject({ code: 0 });
    expect(project.read('eval/score.py')).toBe('score = 0.7\n');
  });

  it('copies are held outside of the project, for nobody else to read', async () => {
    const project = studyOf('');
    const home = join(project.dir, '..', `home-${project.dir.split('/').at(-1)}`);
    const env = { HOME: home, XDG_STATE_HOME: '' };
    expect(await ended(project.start(['exec', '--reporter', 'silent'], env))).toMatchObject({ code: 0 });
    const vaults = join(home, '.local/state/autoresearch/vaults');
    expect(readdirSync(vaults)).toHaveLength(1);
    expect(statSync(join(vaults, readdirSync(vaults)[0]!)).mode & 0o777).toBe(0o700);
  });
});

describe("git's own files, where something is protected", () => {
  const inRepository = (script: string, stage: object = {}, more: object = {}): Project => {
    const project = studyOf(script, { stage: { retry: { attempts: 3 }, ...stage }, more });
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: project.dir,
        env: { PATH: process.env.PATH, HOME: project.dir },
        stdio: 'ignore',
      });
    git('init', '-q', '-b', 'main');
    project.write('.gitignore', '.autoresearch/\nlogs/\n');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
    return project;
  };

  it.each([
    [
      'a hook',
      "printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit",
      '.git/hooks/post-commit',
    ],
    ['the settings', 'git config core.hooksPath /tmp/evil', '.git/config'],
    ['a flag that hides changes', 'git update-index --assume-unchanged eval/score.py', 'eval/score.py'],
  ])('%s is put back, exit code 4', async (_, trick, file) => {
    const project = inRepository(trick);
    const config = project.read('.git/config');
    const { code, stdout } = await exec(project);
    expect(stdout).toContain(`agent coder changed what is protected: ${file}; it has been put back`);
    expect(code).toBe(4);
    expect(project.read('.git/config')).toBe(config);
    expect(project.exists('.git/hooks/post-commit')).toBe(false);
    const flags = execFileSync('git', ['ls-files', '-v', 'eval/score.py'], { cwd: project.dir, encoding: 'utf8' });
    expect(flags).toBe('H eval/score.py\n');
  });

  it.each([
    ['a pattern that begins anywhere', {}, { protect: ['**/score.py'] }, 'eval/score.py'],
    ['nothing but a scope', { scope: ['src/**'] }, { protect: undefined }, 'metrics.yaml'],
    ['a scope, on a file in it', { scope: ['src/**', 'eval/**'] }, { protect: undefined }, 'eval/score.py'],
  ])('flags that hide changes are put back where there is %s', async (_, stage, more, file) => {
    for (const flag of ['assume-unchanged', 'skip-worktree']) {
      const project = inRepository(`git update-index --${flag} ${file}`, stage, more);
      const { code, stdout } = await exec(project);
      expect(stdout).toContain(`agent coder changed what is protected: ${file}; it has been put back`);
      expect(code).toBe(4);
      const flags = execFileSync('git', ['ls-files', '-v', file], { cwd: project.dir, encoding: 'utf8' });
      expect(flags).toBe(`H ${file}\n`);
    }
  });

  it('but whoever announces a file of its scope to git hides nothing', async () => {
    const project = inRepository('git add -N src', { scope: ['src/**'] }, { protect: undefined });
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it('also where only a stage protects something', async () => {
    const trick = 'echo h > .git/hooks/pre-commit; git config core.fsmonitor /bin/true';
    const project = inRepository(trick, { protect: ['eval/**'] }, { protect: [] });
    const config = project.read('.git/config');
    const { code } = await exec(project);
    expect(code).toBe(4);
    expect(project.exists('.git/hooks/pre-commit')).toBe(false);
    expect(project.read('.git/config')).toBe(config);
  });

  it('nor does one violation hide another: all are put back, whichever is named', async () => {
    const tricks =
      'echo t > README; echo h > .git/hooks/pre-commit; git config core.fsmonitor /bin/true; echo 1 > eval/score.py';
    const project = inRepository(tricks, { scope: ['src/**'] }, { onViolation: 'retry' });
    const config = project.read('.git/config');
    const { code } = await exec(project);
    expect(code).toBe(4);
    expect(project.exists('README')).toBe(false);
    expect(project.exists('.git/hooks/pre-commit')).toBe(false);
    expect(project.read('.git/config')).toBe(config);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
  });

  it('a commit of an honest agent is none of their business', async () => {
    const project = inRepository('git add src && git -c user.name=a -c user.email=a@b.c commit -qm work');
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it.each([
    ['every copy', 'find "$PWD.state" -type f -path "*/copies/*" -delete'],
    ['the whole vault', 'rm -rf "$PWD.state/autoresearch/vaults"'],
    ['everything that is kept', 'rm -rf "$PWD.state/autoresearch"'],
  ])('whoever deletes %s is told of, as far as anybody knows, with exit code 4', async (_, trick) => {
    const project = inRepository(`echo 1 > eval/score.py; ${trick}`, { scope: ['src/**'] }, { onViolation: 'retry' });
    const { code, stdout, stderr } = await exec(project);
    expect(stdout).toContain("what git's settings, hooks and flags were like is not known any more");
    expect(stderr).not.toContain('a bug in autoresearch');
    expect(code).toBe(4);
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(project.journal().at(-1)).toMatchObject({ type: 'run-finished', outcome: 'violated' });
  });
});

describe('a protected name', () => {
  const outside = (project: Project): string => {
    const folder = `${project.dir}.state/outside`;
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    writeFileSync(join(folder, 'deep/er/conftest.py'), 'x\n');
    return folder;
  };

  it.each([
    ['an agent', 'work', {}],
    ['a command', 'bad', { stages: { bad: { uses: 'command', needs: ['work'], with: { run: 'sh trick.sh' } } } }],
  ])(
    'that %s brings along behind a new link to a folder is found, and the link moved away',
    async (_, task, sketch) => {
      const project = studyOf(task === 'work' ? 'sh trick.sh' : '', {
        ...sketch,
        more: { protect: ['**/conftest.py'] },
      });
      project.write('trick.sh', `mkdir -p src; ln -s ${outside(project)} src/t\n`);
      const { code, stdout } = await exec(project);
      expect(stdout).toContain('changed what is protected: src/t; it has been put back');
      expect(code).toBe(4);
      expect(lstatSync(join(project.dir, 'src/t'), { throwIfNoEntry: false })).toBeUndefined();
    },
  );

  it('behind a link that was made to lead elsewhere is found, and the link leads where it led', async () => {
    const project = studyOf('ln -sfn "$PWD.state/outside" data', { more: { protect: ['**/conftest.py'] } });
    outside(project);
    symlinkSync('coder.sh', join(project.dir, 'data'));
    expect(await exec(project)).toMatchObject({ code: 4 });
    expect(readlinkSync(join(project.dir, 'data'))).toBe('coder.sh');
  });

  it.each([
    ['was there before', '', true],
    ['leads to something else', 'ln -s "$PWD/eval" src/e; ln -s /nowhere src/n; ln -s . src/self', false],
  ])('is not looked for behind a link that %s', async (_, trick, isBefore) => {
    const project = studyOf(trick, { more: { protect: ['**/conftest.py'] } });
    if (isBefore) symlinkSync(outside(project), join(project.dir, 'mine'));
    const { code, stdout } = await exec(project);
    expect(`${code} ${stdout}`).toMatch(/^0 /);
  });

  it('that is no UTF-8 is put back like any other, and nobody says that it was not', async () => {
    const name = `"$(printf 'eval/bad\\377.txt')"`;
    const project = studyOf(`echo evil > ${name}`, { stage: { scope: ['src/**'] } });
    execFileSync('sh', ['-c', `echo good > ${name}`], { cwd: project.dir });
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('eval/bad%ff.txt, which it may not; it was put back');
    expect(stdout).not.toContain('there is no copy of it');
    expect(code).toBe(4);
    expect(execFileSync('sh', ['-c', `cat ${name}`], { cwd: project.dir, encoding: 'utf8' })).toBe('good\n');
  });
});
