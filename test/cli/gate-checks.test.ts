import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const command = (run: string, more: object = {}): object => ({ uses: 'command', with: { run }, ...more });

function studyOf(run: string, checks: readonly unknown[], more: object = {}): Project {
  const stages = {
    train: command(run, { outputs: ['metrics.json'], gate: { kind: 'auto', checks, ...more } }),
    report: command('touch reported', { needs: ['train'] }),
  };
  return new Project({
    'autoresearch.config.json': JSON.stringify({ name: 'study', vars: { most: 0.1 }, stages }),
    'metrics.schema.json': JSON.stringify({
      type: 'object',
      required: ['loss'],
      properties: { loss: { type: 'number' } },
    }),
  });
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const good = `echo '{"loss": 0.05}' > metrics.json`;

describe('a gate of checks, with real commands and files', () => {
  it.each([
    ["tests.exists(t, t.name == 'loss falls' && t.status == 'passed')", 0, 'approved by its checks'],
    ["tests.exists(t, t.name == 'gpu' && t.status == 'passed')", 1, 'is false'],
    ["tests.all(t, t.status == 'passed')", 1, 'is false'],
  ])('reads the checklist that the task published: %s', async (check, code, words) => {
    const text = 'tests:\n  - { name: loss falls, status: passed }\n  - { name: gpu, status: skipped, detail: none }\n';
    const checks = [{ name: 'list', tests: 'tests.yaml' }];
    const stages = {
      make: command('cp kept.yaml tests.yaml', { outputs: ['tests.yaml'] }),
      list: { uses: 'assert', with: { checks }, gate: { kind: 'auto', checks: [check] } },
    };
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({ name: 'study', stages }),
      'kept.yaml': text,
    });
    const end = await exec(project);
    expect([end.code, end.stdout]).toEqual([code, expect.stringContaining(words)]);
  });

  it('whoever is asked sees how many tests passed and which did not, in the question, in gates and as JSON', async () => {
    const list = 'tests: [{ name: loss falls, status: passed }, { name: gpu, status: skipped, detail: none }]\n';
    const stages = {
      make: command('cp kept.yaml tests.yaml', { outputs: ['tests.yaml'] }),
      list: { uses: 'assert', with: { checks: [{ name: 'list', tests: 'tests.yaml' }] } },
      // It publishes nothing itself: what it waited for was checked.
      report: command('echo done > report.md', { outputs: ['report.md'], needs: ['list'], gate: 'human' }),
    };
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({ name: 'study', stages }),
      'kept.yaml': list,
    });
    const { code, stdout } = await exec(project);
    const shown =
      'waits at its gate for a person\n  look at  report.md\n  1 of 2 tests passed, 1 skipped\n    skipped gpu: none\n';
    expect([code, stdout]).toEqual([3, expect.stringContaining(shown)]);
    expect((await project.run('gates')).stdout).toContain(shown);
    expect(JSON.parse((await project.run('gates', '--json')).stdout).gates[0].tests).toEqual([
      { name: 'loss falls', status: 'passed' },
      { name: 'gpu', status: 'skipped', detail: 'none' },
    ]);
  });

  it.each([
    ["tests.exists(t, t.name == 'gpu' && t.status == 'skipped')", 0],
    ["tests.all(t, t.status == 'passed')", 1],
  ])('checks read what the task waited for, where it has published nothing: %s', async (check, code) => {
    const stages = {
      make: command('cp kept.yaml tests.yaml', { outputs: ['tests.yaml'] }),
      list: { uses: 'assert', with: { checks: [{ name: 'list', tests: 'tests.yaml' }] } },
      between: command('true', { needs: ['list'] }),
      report: command('echo done > report.md', {
        outputs: ['report.md'],
        needs: ['between'],
        gate: { kind: 'auto', checks: [check] },
      }),
    };
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({ name: 'study', stages }),
      'kept.yaml': 'tests: [{ name: loss falls, status: passed }, { name: gpu, status: skipped, detail: none }]\n',
    });
    expect((await exec(project)).code).toBe(code);
  });

  it('whoever is asked for instructions sees what failed', async () => {
    const checks = [
      { name: 'there', file: 'no.txt' },
      { name: 'runs', command: 'true' },
    ];
    const stages = { look: { uses: 'assert', with: { checks } } };
    const config = JSON.stringify({ name: 'study', escalate: ['instructions'], stages });
    const project = new Project({ 'autoresearch.config.json': config });
    expect(await exec(project)).toMatchObject({ code: 3 });
    const { stdout } = await project.run('gates');
    expect(stdout).toContain('\n  1 of 2 tests passed\n    failed there: ');
  });

  it('of a task that published none, nothing holds about tests', async () => {
    const { code, stdout } = await exec(studyOf(good, ["vars.most < 1.0 && tests.all(t, t.status == 'passed')"]));
    expect([code, stdout]).toEqual([1, expect.stringContaining('unknown name "tests"')]);
  });

  it('passes when all hold, and is decided by the checks', async () => {
    const checks = [
      'metrics.loss < vars.most',
      { file: 'metrics.json', schema: 'metrics.schema.json' },
      { command: 'test -s metrics.json && test "$AUTORESEARCH_TASK" = train' },
    ];
    const project = studyOf(good, checks);
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.journal().find(({ type }) => type === 'gate-decided')).toMatchObject({
      verdict: 'pass',
      by: { kind: 'checks' },
      reasons: ['3 checks hold'],
    });
    expect((await exec(project)).stdout).toContain('nothing to do');
  });

  it.each<[string, string, unknown, string]>([
    [
      'a metric that is too high',
      `echo '{"loss": 0.5}' > metrics.json`,
      'metrics.loss < 0.1',
      'metrics.loss < 0.1 is false',
    ],
    ['no such metric', good, 'metrics.accuracy > 0.9', 'unknown name "metrics.accuracy"'],
    ['NaN', 'echo "{\\"loss\\": NaN}" > metrics.json', 'metrics.loss < 0.1', 'cannot be read'],
    [
      'a file that does not fit',
      `echo '{"loss": "low"}' > metrics.json`,
      { file: 'metrics.json', schema: 'metrics.schema.json' },
      'does not satisfy metrics.schema.json',
    ],
    ['a schema that is not there', good, { file: 'metrics.json', schema: 'gone.json' }, 'gone.json'],
    [
      'a command that fails',
      good,
      { command: 'echo baseline is missing; exit 3' },
      'exited with code 3: baseline is missing',
    ],
    ['a command that is not there', good, { command: 'no-such-program' }, 'command not found'],
    ['a command that never ends', good, { command: 'sleep 60', timeout: '1s' }, 'timed out after 1'],
  ])('%s does not pass', async (_, run, check, said) => {
    const project = studyOf(run, ['vars.most < 1.0', check]);
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ train  rejected at its gate by its checks: ');
    expect(stdout).toContain(said);
    expect(project.exists('reported')).toBe(false);
  });

  it('a check that changes what it looks at is asked again, and never passes', async () => {
    const project = studyOf(good, ['vars.most < 1.0', { command: 'date +%N >> notes.txt' }], {
      evidence: ['notes.txt'],
    });
    project.write('notes.txt', 'first\n');
    const { code, stdout } = await exec(project);
    expect([code, stdout]).toEqual([1, expect.stringContaining('the evidence kept changing while it was looked at')]);
  });

  it('rework after a check that failed, told to a command by a variable', async () => {
    const run = `if [ -n "$AUTORESEARCH_FEEDBACK" ]; then echo '{"loss": 0.05}'; else echo '{"loss": 0.5}'; fi > metrics.json`;
    const project = studyOf(run, ['metrics.loss < vars.most'], { revise: { max: 1 } });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.journal().filter(({ type }) => type === 'revision-requested')).toMatchObject([
      { feedback: 'metrics.loss < vars.most is false', round: 1 },
    ]);
  });
});

it('the example of docs/gates.md is a study that can be planned', async () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/gates.md'), 'utf8');
  const config = /```yaml\n(name: parity-study\n[\s\S]*?)```/.exec(text)![1]!;
  const project = new Project({ 'autoresearch.config.yaml': config });
  const { stdout, stderr, code } = await project.run('plan', '--json');
  expect([code, stderr]).toEqual([0, '']);
  const { tasks } = JSON.parse(stdout);
  expect(tasks.map(({ gate }: { gate: { kind: string } }) => gate.kind)).toEqual(['auto-judge', 'auto', 'human']);
});
