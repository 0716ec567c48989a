import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxLevel } from '../../src/adapters/sandbox/sandbox-level.js';
import { ended, Project } from '../support/project.js';

const { level } = await sandboxLevel(process.env);

function studyOf(script: string, more: object = {}): Project {
  const config = {
    name: 'study',
    sandbox: 'bwrap',
    protect: ['eval/**'],
    agents: { coder: { backend: 'command', run: './coder.sh', limits: { timeout: '120s' } } },
    stages: {
      work: { uses: 'agent', agent: 'coder', with: { instructions: 'x' }, outputs: ['src/a.py'], scope: ['src/**'] },
    },
    ...more,
  };
  const project = new Project({ 'autoresearch.config.json': JSON.stringify(config), 'eval/score.py': 'score = 0.5\n' });
  project.write('notes.md', 'mine\n');
  project.write(
    'coder.sh',
    `#!/bin/sh\n(${script}) > src/said 2>&1\ndate +%N > src/a.py\necho '{"outcome":"done","summary":"ok"}'\n`,
  );
  chmodSync(join(project.dir, 'coder.sh'), 0o755);
  return project;
}

const exec = (project: Project) => project.run('exec', '--reporter', 'plain');

describe.skipIf(level === 'none')('an agent inside bubblewrap', () => {
  it.each([
    ['a protected file', 'echo 1 > eval/score.py'],
    ['a protected folder', 'mv eval src/eval'],
    ['a new file in it', 'echo x > eval/__init__.py'],
    ['a file outside of its scope', 'echo x > notes.md'],
    ['a new file outside of its scope', 'echo x > new.txt'],
    ['the state of the runner', 'echo x >> .autoresearch/default/runs/1-*/journal.jsonl'],
    ['a file outside of the project', 'echo x > /opt/outside-$$'],
  ])('cannot write %s, so there is nothing to undo and it passes on its merits', async (_, trick) => {
    const project = studyOf(`${trick} && echo WROTE`);
    const { code, stdout } = await exec(project);
    expect(project.read('src/said')).not.toContain('WROTE');
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(project.read('notes.md')).toBe('mine\n');
    expect(stdout).toContain('✓ study passed');
    expect(code).toBe(0);
  });

  it('plan says that it is held in', async () => {
    const { stdout } = await studyOf('true').run('plan');
    expect(stdout).toContain('Protected:  eval/**.\nSandbox:    bubblewrap: agents can write only what they may.\n');
  });

  it('sees its prompt, and nothing else of the state', async () => {
    const project = studyOf('head -1 "$AUTORESEARCH_PROMPT_FILE"; find .autoresearch -name "journal*"');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('src/said')).toBe('Task "work" (implement).\n');
  });

  it('leaves nobody behind, wherever it has gone', async () => {
    const project = studyOf('env -i setsid sh -c "sleep 1; echo LATE > /tmp/late" & sleep 0.1');
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});

describe('a bubblewrap that does not work', () => {
  const run = (sandbox: string, command: string) => {
    const project = studyOf('mkdir -p src', { sandbox });
    project.write('src/keep', '');
    project.write('bin/bwrap', '#!/bin/sh\nexit 1\n');
    chmodSync(join(project.dir, 'bin/bwrap'), 0o755);
    const path = `${join(project.dir, 'bin')}:${process.env.PATH}`;
    return ended(project.start([command], { PATH: path }));
  };

  it('is refused where it is asked for, and plan says so', async () => {
    const { code, stderr } = await run('bwrap', 'exec');
    expect(stderr).toContain('AR329 agents are to be held in by bubblewrap, but');
    expect(code).toBe(2);
    const plan = await run('bwrap', 'plan');
    expect(plan.stdout + plan.stderr).toContain('AR329');
    expect(plan.stdout).toMatch(/^Sandbox: {4}none \(/m);
  });

  it('is done without where the config says auto', async () => {
    expect(await run('auto', 'exec')).toMatchObject({ code: 0 });
  });
});
