import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const yaml = (text: string): Project => new Project({ 'autoresearch.config.yaml': `name: study\n${text}` });

/** What the journal tells so far; another process may just be making or writing it. */
function types(project: Project): readonly unknown[] {
  try {
    return project.journal().map(({ type }) => type);
  } catch {
    return [];
  }
}

/** A time of day some hours ahead, as a service would write it. */
const inHours = (hours: number): string =>
  `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)} UTC`;

describe('status of a live run', () => {
  it('says when a quota is tried again; when the runner has died, the run was stopped', async () => {
    const project = yaml(`stages:
  a: { uses: command, with: { run: 'echo "usage limit reached, try again at ${inHours(3)}" >&2; exit 1' } }
  b: { uses: command, needs: [a], with: { run: 'true' } }`);
    const child = project.start(['exec']);
    try {
      await until(() => types(project).includes('retry-scheduled'));
      const { stdout } = await project.run('status');
      expect(stdout).toContain('  2 tasks: 1 trying again, 1 not started\n');
      expect(stdout).toMatch(
        /\n {2}↻ a {2}exited with code 1, class quota, 1 try so far, next try at \d\d:\d\d:\d\d \(in (?:2 h \d+ m|3 h)\)\n/,
      );
      const { tasks } = JSON.parse((await project.run('status', '--json')).stdout);
      expect(tasks[0]).toMatchObject({ status: 'retrying', errorClass: 'quota', attempts: 1 });
      expect(Date.parse(tasks[0].dueAt)).toBeGreaterThan(Date.now() + 2.9 * 3_600_000);
      expect(tasks[1]).toMatchObject({ status: 'waiting', dueAt: null });
    } finally {
      child.kill('SIGKILL');
      await ended(child);
    }
    const { stdout } = await project.run('status', '--cwd', '.', '--config', 'autoresearch.config.yaml');
    expect(stdout).toContain('study was stopped');
    expect(stdout).toContain('\nNext: autoresearch exec --config autoresearch.config.yaml --cwd .\n');
    expect((await project.run('runs')).stdout).toMatch(/\n\S+ {2}stopped {2}/);
  });

  it('says that a command mends', async () => {
    const project = yaml(`stages:
  a:
    uses: command
    with: { run: 'exit 3' }
    retry: { attempts: 2, fix: { run: 'touch mending; while ! test -e go; do sleep 0.02; done' } }`);
    const run = ended(project.start(['exec']));
    await until(() => project.exists('mending'));
    const { stdout } = await project.run('status');
    project.write('go', '');
    await run;
    expect(stdout).toMatch(/\n {2}↻ a {2}exited with code 3, class [^\n]+, 1 try so far, being mended by a command\n/);
  });
});

describe('status after the end', () => {
  it('of a run that waits for a person offers to go on, with the options that were given', async () => {
    const project = yaml(`escalate: [human]
stages: { a: { uses: command, with: { run: 'exit 3' } } }`);
    expect((await project.run('exec', '--agent-id', 'night')).code).toBe(3);
    const { stdout } = await project.run('status', '--agent-id', 'night');
    expect(stdout).toContain('study waits for a person');
    expect(stdout).toContain(
      '\nNext: autoresearch logs a --agent-id night   or   autoresearch exec --agent-id night\n',
    );
  });
});

describe('what differs', () => {
  const project = yaml(`vars: { word: one }
stages:
  a: { uses: command, with: { run: 'cat in.txt > a.txt' }, inputs: [in.txt], outputs: [a.txt] }
  b: { uses: command, with: { run: 'echo {{vars.word}} > b.txt' }, outputs: [b.txt] }
  c: { uses: command, with: { run: 'cat a.txt b.txt > c.txt' }, inputs: [a.txt, b.txt], outputs: [c.txt] }`);
  const shown = async (...args: string[]): Promise<string> =>
    (await project.run('status', ...args)).stdout
      .replace(/run \S+, started .*/, 'RUN')
      .replace(/^ {2}\.autoresearch.*\n/m, '');

  it('is listed by status, task by task, and with --verbose why each of them ran', async () => {
    project.write('in.txt', 'one');
    expect((await project.run('exec', '--set', 'word=two words')).code).toBe(0);
    expect(await shown('--set', 'word=two words')).toBe(`✓ study passed · RUN
  3 tasks: 3 passed
  with --set 'word=two words'

Next: autoresearch plan --set 'word=two words'
`);
    project.write('in.txt', 'two');
    const stale = `
▶ 3 results no longer hold:
  a
      input: in.txt changed
  b
      option: run changed "echo 'two words' > b.txt" → "echo one > b.txt"
  c
      upstream: a will run; spared if that makes the same as before
      upstream: b will run; spared if that makes the same as before

Next: autoresearch exec
`;
    expect(await shown()).toBe(`✓ study passed · RUN
  3 tasks: 3 passed
  with --set 'word=two words'
${stale}`);
    expect(await shown('--verbose')).toBe(`✓ study passed · RUN
  3 tasks: 3 passed
  with --set 'word=two words'

  ✓ a  passed
      never ran
  ✓ b  passed
      never ran
  ✓ c  passed
      never ran
${stale}`);
    const json = JSON.parse((await project.run('status', '--json')).stdout);
    expect(json.set).toEqual(['word=two words']);
    expect(json.stale[0]).toEqual({ id: 'a', reasons: [{ code: 'input-changed', detail: 'in.txt changed' }] });
  });

  it('is not what merely looks anew each time, before anything has changed', async () => {
    // What Python code says can change without any file that is known of, so such a check looks anew each time.
    const project = new Project({
      'autoresearch.config.yaml': `name: study
parity: { same: { arms: { a: a.py, b: b.py }, params: [LR] } }
stages:
  train: { uses: command, with: { run: 'echo 1 > o.txt' }, inputs: [in.txt], outputs: [o.txt] }`,
      'a.py': 'LR = 1\n',
      'b.py': 'LR = 1\n',
      'in.txt': '1\n',
    });
    expect((await project.run('exec')).code).toBe(0);
    expect((await project.run('status')).stdout).not.toContain('no longer hold');
    project.write('in.txt', '2\n');
    expect((await project.run('status')).stdout).toContain('no longer hold:\n');
  });

  it('is not known of a config with mistakes in it, and nobody complains', async () => {
    project.write('autoresearch.config.yaml', 'name: study\nstages: {}\n');
    expect(await project.run('status')).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await project.run('status', '--json')).stdout).stale).toBe(null);
  });
});

describe('runs', () => {
  it('shows a run whose journal was changed without a date', async () => {
    const project = yaml(`stages: { a: { uses: command, with: { run: 'true' } } }`);
    await project.run('exec');
    const file = `.autoresearch/default/runs/${project.journal()[0]!.run}/journal.jsonl`;
    project.write(file, project.read(file).replace('"study"', '"other"'));
    const { code, stdout } = await project.run('runs');
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n\S+ {2}violated {2}\? {8}-\n$/);
  });
});
