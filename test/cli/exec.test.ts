import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const three = configYaml(`
data: { uses: command, with: { run: 'echo 1 > data.txt' }, outputs: [data.txt] }
train: { uses: command, with: { run: 'cat data.txt > model.txt; echo trained' }, inputs: [data.txt], outputs: [model.txt] }
report: { uses: command, needs: [train], with: { run: 'cp model.txt report.txt' }, outputs: [report.txt] }`);

const types = (project: Project): unknown[] =>
  project.journal().map((event) => [event.type, event.task].filter(Boolean).join(' '));

describe('exec', () => {
  it('runs the stages in order and leaves a journal', async () => {
    const project = new Project({ 'autoresearch.config.yaml': three });
    const { code, stderr, stdout } = await project.run('exec');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('passed');
    expect(project.read('report.txt')).toBe('1\n');
    expect(types(project)).toEqual([
      'run-started',
      'task-started data',
      'task-finished data',
      'task-started train',
      'task-finished train',
      'task-started report',
      'task-finished report',
      'run-finished',
    ]);
  });

  it('leaves no folder for a task that was never tried', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'sleep 0.2; exit 1' } }
b: { uses: command, needs: [a], with: { run: 'true' } }`),
    });
    expect((await project.run('exec')).code).toBe(1);
    const run = String(project.journal()[0]!.run);
    expect(readdirSync(join(project.dir, '.autoresearch/default/runs', run, 'tasks'))).toEqual(['a']);
  });

  it('does nothing the second time, and says so', async () => {
    const project = new Project({ 'autoresearch.config.yaml': three });
    await project.run('exec');
    const journal = project.journal();
    const second = await project.run('exec');
    expect(second).toEqual({
      code: 0,
      stderr: '',
      stdout: `≡ study: nothing to do, all 3 tasks still hold (run ${journal[0]!.run}, just now)
  results  report.txt
  run      .autoresearch/default/runs/${journal[0]!.run}
`,
    });
    expect(project.journal()).toEqual(journal);
  });

  it('prints one event a line and nothing else with --json', async () => {
    const project = new Project({ 'autoresearch.config.yaml': three });
    const { stdout, stderr, code } = await project.run('exec', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(project.journal());
  });

  it('goes on with independent tasks, skips dependants naming why, and exits 1', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
bad: { uses: command, with: { run: 'echo reason >&2; exit 3' } }
after: { uses: command, needs: [bad], with: { run: 'true' } }
other: { uses: command, with: { run: 'echo ok > other.txt' }, outputs: [other.txt] }`),
    });
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(project.exists('other.txt')).toBe(true);
    expect(stdout).toContain('reason');
    expect(stdout).toContain('autoresearch logs bad');
    expect(project.journal().find((event) => event.type === 'task-skipped')).toMatchObject({
      task: 'after',
      because: ['bad'],
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    [
      'an output is missing',
      `{ uses: command, with: { run: 'true' }, outputs: [x] }`,
      { code: 'output-missing', outputs: ['x'] },
    ],
    [
      'an output is empty',
      `{ uses: command, with: { run: ': > x' }, outputs: [x] }`,
      { code: 'output-empty', outputs: ['x'] },
    ],
    [
      'a glob matches nothing',
      `{ uses: command, with: { run: 'true' }, outputs: ['out/*.json'] }`,
      { code: 'output-missing', outputs: ['out/*.json'] },
    ],
    [
      'the command is not found',
      `{ uses: command, with: { run: 'no-such-program --x' } }`,
      { code: 'command-not-found', command: 'no-such-program --x' },
    ],
    [
      'the program of a list is not found',
      `{ uses: command, with: { run: [no-such-program, --x] } }`,
      { code: 'command-not-found', command: 'no-such-program' },
    ],
    [
      'it takes too long',
      `{ uses: command, with: { run: 'sleep 60' }, timeout: 300ms }`,
      { code: 'timed-out', afterMs: 300 },
    ],
    [
      'it stays silent',
      `{ uses: command, with: { run: 'echo begun; sleep 60' }, idle: 400ms }`,
      { code: 'idle-timed-out', afterMs: 400 },
    ],
    [
      'it kills itself',
      `{ uses: command, with: { run: 'kill -9 $$' } }`,
      { code: 'command-killed', signal: 'SIGKILL' },
    ],
    [
      'its folder is missing',
      `{ uses: command, with: { run: 'true' }, cwd: nowhere }`,
      { code: 'command-not-started' },
    ],
  ])('fails when %s', async (_name, stage, failure) => {
    const project = new Project({ 'autoresearch.config.yaml': configYaml(`a: ${stage}`) });
    const { code } = await project.run('exec');
    expect(code).toBe(1);
    expect(project.journal().find((event) => event.type === 'task-failed')).toMatchObject({ failure });
  });

  it('checks an output against its schema', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'echo "{\\"loss\\": \\"low\\"}" > m.json' }, outputs: [m.json], schema: { m.json: m.schema.json } }`,
      ),
      'm.schema.json': JSON.stringify({ type: 'object', required: ['loss'], properties: { loss: { type: 'number' } } }),
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(project.journal().find((event) => event.type === 'task-failed')).toMatchObject({
      failure: { code: 'output-invalid', output: 'm.json' },
    });
  });

  it('keeps the whole output of a task, and shows it with logs', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, with: { run: 'seq 1 20000; echo end >&2' } }`),
    });
    await project.run('exec');
    const { stdout } = await project.run('logs', 'a');
    expect(stdout).toBe(`${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\nend\n`);
  });

  it('says once at its end what several tasks failed of alike, and each by itself while it runs', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, matrix: { seed: [1, 2, 3] }, with: { run: 'echo "Error: $([ {{matrix.seed}} = 3 ] && echo disk || echo shape)" >&2; exit 3' } }`,
      ),
    });
    const { code, stdout, stderr } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    const [live = '', end = ''] = `${stdout}${stderr}`.split(/^(?=✗ \S+ failed in)/m);
    expect(live.match(/^✗ a:seed=\d {2}exited with code 3/gm)).toHaveLength(3);
    expect(end.match(/exited with code 3/g)).toHaveLength(2);
    expect(end).toMatch(/^✗ a ×2 {2}exited with code 3\n.*shape\n {2}log: \S+\/a:seed=1\/1\n/m);
    expect(end).toContain('  tasks: a:seed=1 and a:seed=2 (the log is of the first)\n');
    // The same exit code after another error is another failure.
    expect(end).toMatch(/^✗ a:seed=3 {2}exited with code 3\n.*disk\n/m);
  });

  it('refuses to run what it cannot enforce', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, with: { run: 'touch ran' }, scope: [src/**] }`),
    });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('AR701');
    expect(project.exists('ran')).toBe(false);
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('runs only the plan that was saved', async () => {
    const project = new Project({ 'autoresearch.config.yaml': three });
    expect((await project.run('plan', '--out', 'plan.json')).code).toBe(0);
    expect((await project.run('exec', '--plan', 'plan.json')).code).toBe(0);
    project.write('autoresearch.config.yaml', three.replace('echo trained', 'echo other'));
    const { code, stderr } = await project.run('exec', '--plan', 'plan.json');
    expect(code).toBe(2);
    expect(stderr).toContain('train');
  });

  it('retries, and passes on the second attempt', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'test -e mark || { touch mark; exit 1; }' }, retry: { attempts: 2 } }`,
      ),
    });
    expect((await project.run('exec')).code).toBe(0);
    expect(types(project)).toEqual([
      'run-started',
      'task-started a',
      'task-failed a',
      'retry-scheduled a',
      'task-started a',
      'task-finished a',
      'run-finished',
    ]);
  });

  it('another live run holds the lock', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'echo on > begun; while ! test -e go; do sleep 0.05; done' } }`,
      ),
    });
    const first = project.start(['exec']);
    const end = ended(first);
    await until(() => project.exists('begun'));
    const second = await project.run('exec');
    expect(second.code).toBe(6);
    expect(second.stderr).toContain(`process ${first.pid}`);
    const apart = await project.run('exec', '--agent-id', 'other', '--dry-run');
    expect(apart.code).toBe(0);
    project.write('go', '');
    expect((await end).code).toBe(0);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the tree, exits %i, and the next exec goes on with the same run', async (signal, exit) => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
done: { uses: command, with: { run: 'echo x >> count' } }
slow: { uses: command, needs: [done], with: { run: 'test -e go && exit 0; echo on > begun; sleep 600' } }`),
    });
    const child = project.start(['exec']);
    const end = ended(child);
    await until(() => project.exists('begun'));
    child.kill(signal);
    expect((await end).code).toBe(exit);
    expect(JSON.parse((await project.run('status', '--json')).stdout)).toMatchObject({ outcome: 'cancelled' });
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('count')).toBe('x\n');
    expect(project.journal().filter((event) => event.type === 'run-started')).toMatchObject([
      {},
      { resumed: { changes: [] } },
    ]);
  });

  it('a SIGKILLed run leaves no children and goes on afterwards', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
done: { uses: command, with: { run: 'echo x >> count' } }
slow: { uses: command, needs: [done], with: { run: 'test -e go && exit 0; echo $$ > pid; sleep 600' } }`),
    });
    const child = project.start(['exec']);
    const end = ended(child);
    await until(() => project.exists('pid') && project.read('pid') !== '');
    const pid = Number(project.read('pid'));
    child.kill('SIGKILL');
    await end;
    await until(() => !isRunning(pid));
    expect(JSON.parse((await project.run('status', '--json')).stdout)).toMatchObject({ outcome: 'cancelled' });
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('count')).toBe('x\n');
  });

  it('a command that removes the state folder does not pass', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'rm -rf .autoresearch; echo 1 > o' }, outputs: [o] }
b: { uses: command, needs: [a], with: { run: 'touch b-ran' } }`),
    });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(4);
    expect(stderr).toContain('it was removed or replaced while the run went on');
    expect(project.exists('b-ran')).toBe(false);
  });

  it('a reader that goes away does not end the run', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'true' } }
b: { uses: command, needs: [a], with: { run: 'echo 1 > b.txt' }, outputs: [b.txt] }`),
    });
    const child = project.start(['exec']);
    child.stdout!.destroy();
    child.stderr!.destroy();
    expect((await ended(child)).code).toBe(0);
    expect(project.exists('b.txt')).toBe(true);
  });

  it('an output larger than Node reads at once is fine', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'truncate -s 2200M big.bin' }, outputs: [big.bin] }`,
      ),
    });
    expect((await project.run('exec')).code).toBe(0);
  });

  it('an output that is a link to itself is one that is not there', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, with: { run: 'ln -sf o o' }, outputs: [o] }`),
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(project.journal().find((event) => event.type === 'task-failed')).toMatchObject({
      failure: { code: 'output-missing' },
    });
  });

  it.each(['data/*.csv', 'data/**', 'data'])('sees a file behind a link through %s', async (input) => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'cat data/* > out.txt' }, inputs: ['${input}'], outputs: [out.txt] }`,
      ),
      'real/y.csv': '10\n',
      'data/x.csv': '1\n',
    });
    symlinkSync('../real/y.csv', join(project.dir, 'data/y.csv'));
    await project.run('exec');
    project.write('real/y.csv', '99\n');
    await project.run('exec');
    expect(project.read('out.txt')).toBe('1\n99\n');
  });

  it('a tampered journal is exit 4', async () => {
    const project = new Project({ 'autoresearch.config.yaml': three });
    await project.run('exec');
    const run = JSON.parse((await project.run('status', '--json')).stdout).run as string;
    const file = `.autoresearch/default/runs/${run}/journal.jsonl`;
    project.write(file, project.read(file).replace('"outcome":"passed"', '"outcome":"failed"'));
    const { code, stderr } = await project.run('status');
    expect(code).toBe(4);
    expect(stderr).toContain('journal.jsonl');
  });
});

describe('nothing changes', () => {
  it.each([
    [['plan']],
    [['plan', '--json']],
    [['plan', '--graph', 'mermaid']],
    [['exec', '--dry-run', '--force', 'data']],
    [['config', '--resolved']],
    [['config', '--origin']],
    [['status']],
    [['runs']],
    [['logs']],
    [['why', 'train']],
  ])('%s is byte-identical when repeated and touches no file', async (args) => {
    const project = new Project({ 'autoresearch.config.yaml': three, 'sub/keep.txt': 'x' });
    await project.run('exec');
    const before = project.snapshot();
    const first = await project.run(...args);
    const second = await project.run(...args);
    expect(first.code).toBe(0);
    expect(first).toEqual(second);
    expect(first.stdout).not.toBe('');
    expect(project.snapshot()).toEqual(before);
  });
});

/** A zombie has ended; only its parent has not looked yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
