import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** Attacks on what says what the study is, and on the runner's patience. Each is done for real. */
const done = `echo x >> src/a.py; echo '{"outcome":"done","summary":"ok"}'`;

function studyOf(agent: string, stage: object = {}, more: object = {}): Project {
  const config = {
    name: 'study',
    agents: { coder: { backend: 'command', run: './agent.sh', limits: { timeout: '120s' } } },
    stages: {
      work: { uses: 'agent', agent: 'coder', with: { instructions: 'x' }, outputs: ['src/a.py'], ...stage },
      next: { uses: 'command', needs: ['work'], with: { run: 'cp eval/score.py used' }, outputs: ['used'] },
    },
    ...more,
  };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify(config),
    'eval/score.py': 'score = 0.5\n',
    'src/keep': 'x\n',
    'agent.sh': `#!/bin/sh\n${agent}\n`,
  });
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  return project;
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);

describe('what says what the study is', () => {
  const behaviour = `import { defineStage } from 'autoresearch';
export default defineStage({ name: 'mine', version: '1', summary: 'm', options: { type: 'object', properties: {}, additionalProperties: false },
  describe: () => ({ summary: 'x' }), run: (_, context) => context.command({ run: 'echo honest > mine.txt' }) });
`;
  const judged = {
    stages: {
      work: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'x', verify: 'sh src/t.sh' },
        outputs: ['src/a.json'],
        schema: { 'src/a.json': 'a.schema.json' },
        gate: {
          kind: 'auto-judge',
          agent: 'judge',
          criteria: ['good'],
          calibrate: { good: ['samples/good'], bad: ['samples/b*'] },
        },
      },
      mine: { uses: './stages/mine.ts', needs: ['work'], outputs: ['mine.txt'] },
    },
    agents: {
      coder: { backend: 'command', run: './agent.sh', family: 'a', limits: { timeout: '120s' } },
      judge: { backend: 'command', run: 'false', family: 'b' },
    },
    extends: ['./lab.json'],
  };

  it.each([
    ['the config', `sed -i 's/"gate"/"xgate"/' autoresearch.config.json`, 'autoresearch.config.json'],
    ['a preset', 'echo "{}" > lab.json', 'lab.json'],
    ['a behaviour', 'sed -i s/honest/cheat/ stages/mine.ts', 'stages/mine.ts'],
    ['a schema', 'echo "{}" > a.schema.json', 'a.schema.json'],
    ['a sample of the judge', 'echo plainly bad > samples/bad', 'samples/bad'],
    ['the samples, by another one', 'echo plainly bad > samples/b2', 'samples/b2'],
    ['the config, by its tests', 'echo "rm autoresearch.config.json" > src/t.sh', 'autoresearch.config.json'],
  ])('cannot be changed by an agent that may write everything: %s', async (_, trick, file) => {
    const project = studyOf(`${trick}; ${done}`, {}, judged);
    project.write('src/t.sh', 'true\n');
    project.write('lab.json', '{ "vars": {} }');
    project.write('stages/mine.ts', behaviour);
    project.write('a.schema.json', '{ "type": "object" }');
    project.write('samples/good', 'fine\n');
    project.write('samples/bad', 'subtly bad\n');
    const before = project.exists(file) ? project.read(file) : undefined;
    const { code, stdout } = await exec(project);
    expect(stdout).toContain(`agent coder changed ${file}, which it may not; it was put back`);
    expect(stdout).toContain(
      `${file} says what the study is or how it is judged, so no scope covers it: if it was right`,
    );
    expect(stdout).not.toContain('to scope of the stage');
    expect(code).toBe(4);
    expect(project.exists(file) ? project.read(file) : undefined).toBe(before);
  });

  it('may be changed by a stage that makes it', async () => {
    const stage = { outputs: ['src/a.py', 'a.schema.json'], schema: { 'src/a.py': 'a.schema.json' } };
    const project = studyOf(
      `echo '{}' > a.schema.json; echo '{}' > src/a.py; echo '{"outcome":"done","summary":"ok"}'`,
      {
        ...stage,
      },
    );
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});

describe('protected files, while nobody watches', () => {
  const guarded = { protect: ['eval/**'] };

  it.each([
    ['waits for a person', { gate: 'human' }, 3],
    ['has failed', { outputs: ['src/a.py', 'src/none'], retry: { attempts: 1 } }, 1],
  ])('cannot be changed while a run %s, not even when the list loses them', async (_, stage, code) => {
    const project = studyOf(done, stage, guarded);
    expect(await exec(project)).toMatchObject({ code });
    project.write('eval/score.py', 'score = 1.0\n');
    if (code === 3) await project.run('approve', 'work');
    const refused = await exec(project);
    expect(refused).toMatchObject({
      code: 4,
      stderr: `something changed what is protected: eval/score.py; nothing was put back
If you have changed it yourself, start afresh with autoresearch exec --new; if not, put it back first
`,
    });
    const config = project.read('autoresearch.config.json');
    project.write('autoresearch.config.json', config.replace('"protect":["eval/**"]', '"protect":[]'));
    expect(await exec(project)).toMatchObject({ code: 4 });
    project.write('autoresearch.config.json', config);
    project.write('eval/score.py', 'score = 0.5\n');
    expect((await exec(project)).code).toBe(code === 3 ? 0 : 1);
  });
});

describe('an agent that is bound by a scope', () => {
  it('does not change what its tests run by changing installed packages', async () => {
    const project = studyOf(`echo 'exit 0' > node_modules/.bin/pytest; mkdir -p node_modules/.cache/x; ${done}`, {
      scope: ['src/**'],
    });
    project.write('node_modules/.bin/pytest', 'exit 1\n');
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('agent coder changed node_modules/.bin/pytest, which it may not; it was put back');
    expect(code).toBe(4);
    expect(project.read('node_modules/.bin/pytest')).toBe('exit 1\n');
  });
});

describe('an agent that wants the runner to wait', () => {
  it.each([
    ['a pipe among its outputs', 'mkfifo src/pipe', { outputs: ['src'] }, 0],
    ['a link to a device among its outputs', 'ln -s /dev/zero src/zero', { outputs: ['src/*'] }, 0],
    ['a pipe among the evidence', 'mkfifo src/pipe', { gate: { kind: 'human', evidence: ['src'] } }, 3],
    ['a terabyte out of its scope', 'truncate -s 1T huge', { scope: ['src/**'] }, 4],
    ['a terabyte in a protected file', 'truncate -s 1T eval/score.py', { protect: ['eval/**'] }, 4],
  ])('does not succeed by %s', async (_, trick, stage, code) => {
    const project = studyOf(`${trick}; ${done}`, stage);
    expect(await exec(project)).toMatchObject({ code });
    expect(project.read('eval/score.py')).toBe('score = 0.5\n');
    expect(readdirSync(project.dir)).not.toContain('huge');
  });
});
