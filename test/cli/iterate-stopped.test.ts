import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

/** Where nobody looks who watches an iteration. */
const [begun, go] = ['.autoresearch/begun', '.autoresearch/go'];

/** A loop whose first iteration waits in this stage until it may go on. The number is the first line of value.txt. */
const waiting = (stage: 'edit' | 'train', { baseline = false } = {}): LoopProject => {
  const wait = `test -e ${go} || ${baseline ? '' : 'test "$1" = 0 || '}{ touch ${begun}; while ! test -e ${go}; do sleep 0.05; done; }`;
  return new LoopProject([], {
    iterate: { max: 1, files: ['value.txt', 'src/**'] },
    files: { 'src/a.sh': 'true\n', 'src/b.sh': 'true\n', 'wait.sh': `${wait}\n` },
    stages: {
      edit: {
        uses: 'command',
        with: { run: `echo 0.5 > value.txt; ${stage === 'edit' ? 'sh wait.sh' : 'true'} {{iteration.number}}` },
        outputs: ['value.txt'],
      },
      train: {
        uses: 'command',
        needs: ['edit'],
        with: {
          run: `${stage === 'train' ? 'sh wait.sh {{iteration.number}}; ' : ''}echo "loss=$(head -n 1 value.txt)" > log.txt`,
        },
        outputs: ['log.txt'],
      },
    },
  });
};

/** Stops it while it waits, lets somebody do something, and goes on. */
async function stopped(project: LoopProject, signal: 'SIGINT' | 'SIGKILL', meanwhile: () => void) {
  const child = project.start([...plain]);
  const end = ended(child);
  await until(() => project.exists(begun) || child.exitCode !== null);
  child.kill(signal);
  const { code } = await end;
  if (signal === 'SIGINT') expect(code).toBe(130);
  rmSync(join(project.dir, begun));
  meanwhile();
  project.write(go, '');
  return project.run(...plain);
}

const editedIn = (project: LoopProject) => project.rows().at(-1)!.edited;
const words = (files: string, it = 'It is') =>
  `Edited by a person while iteration 1 was stopped: ${files}. ${it} measured as a part of iteration 1, and kept or put back with it.\n`;

describe('an edit while an iteration is stopped', () => {
  it('is said, and stands in insights.md, in the table and on the page', async () => {
    const project = waiting('edit');
    const { code, stdout } = await stopped(project, 'SIGINT', () => {
      project.write('src/a.sh', 'false\n');
      rmSync(join(project.dir, 'src/b.sh'));
      project.write('src/new7.sh', 'true\n');
    });
    const files = ['src/a.sh', 'src/b.sh', 'src/new7.sh'];
    expect(stdout).toContain(words('src/a.sh, src/b.sh and src/new7.sh', 'They are'));
    expect([code, project.verdicts()]).toEqual([0, ['0 kept', '1 kept']]);
    expect(editedIn(project)).toEqual([{ files, by: 'person' }]);
    const said = 'dited by a person while stopped: src/a.sh, src/b.sh and src/new7.sh';
    expect(project.read('insights.md')).toContain(`\n- E${said}\n`);
    expect(project.table()[2]!.join(' ')).toContain(`; e${said}`);
    const page = (await project.run('report')).stdout.trim().split('\n').at(-1)!;
    expect(readFileSync(resolve(project.dir, page), 'utf8').replace(/<[^>]*>/g, '')).toContain(`e${said}`);
    // All of it is what the record says.
    const verified = await project.run('verify');
    expect(`${verified.code} ${verified.stdout}`).toMatch(/^0 /);
  });

  it.each([
    ['while it changed the files', 'edit'],
    ['while it was measured', 'train'],
  ] as const)('%s: also of a file that it had changed itself', async (_, stage) => {
    const project = waiting(stage);
    const { stdout } = await stopped(project, 'SIGINT', () => project.write('value.txt', '0.1\n'));
    expect(stdout).toContain(words('value.txt'));
    expect(editedIn(project)).toEqual([{ files: ['value.txt'], by: 'person' }]);
  });

  it('of a mode', async () => {
    const project = waiting('train');
    const { stdout } = await stopped(project, 'SIGINT', () => chmodSync(join(project.dir, 'src/a.sh'), 0o755));
    expect(stdout).toContain(words('src/a.sh'));
  });

  it('is told as often as it happens, and not again', async () => {
    const project = waiting('train');
    let child = project.start([...plain]);
    for (const name of ['src/one.sh', 'src/two.sh']) {
      const end = ended(child);
      await until(() => project.exists(begun) || child.exitCode !== null);
      child.kill('SIGTERM');
      expect((await end).code).toBe(143);
      rmSync(join(project.dir, begun));
      project.write(name, '');
      child = project.start([...plain]);
    }
    const last = ended(child);
    await until(() => project.exists(begun) || child.exitCode !== null);
    child.kill('SIGINT');
    await last;
    project.write(go, '');
    const { stdout } = await project.run(...plain);
    expect(stdout).not.toContain('dited by a person while iteration');
    expect(editedIn(project)).toEqual([
      { files: ['src/one.sh'], by: 'person' },
      { files: ['src/two.sh'], by: 'person' },
    ]);
  });

  it('is not said where there was none', async () => {
    const project = waiting('train');
    const { code, stdout } = await stopped(project, 'SIGINT', () => {});
    expect([code, editedIn(project)]).toEqual([0, undefined]);
    expect(`${stdout}${project.read('insights.md')}${project.table().flat()}`).not.toContain('dited by a person');
    const verified = await project.run('verify');
    expect(`${verified.code} ${verified.stdout}`).toMatch(/^0 /);
  });

  it('of the baseline is refused: it is measured as it is committed', async () => {
    const project = waiting('train', { baseline: true });
    const { code, stderr } = await stopped(project, 'SIGINT', () => project.write('value.txt', '0.1\n'));
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('AR344 files of the loop have changes that are in no commit'),
    ]);
    project.git('checkout', '-q', 'value.txt');
    expect((await project.run(...plain)).code).toBe(0);
    expect(project.rows()[0]!.value).toBe(1);
  });

  it('after exit code 4 stays as it is, and is said', async () => {
    const agents = { coder: { backend: 'command', run: 'sh coder.sh' } };
    const asks = { instructions: 'Number {{iteration.number}}.', verify: 'true' };
    const edit = { uses: 'agent', agent: 'coder', with: asks, scope: ['value.txt'] };
    const project = new LoopProject([], {
      head: { agents },
      iterate: { max: 1 },
      stages: { edit },
      files: {
        'coder.sh': `cat > /dev/null\necho 0.5 >> value.txt\ntest -e ${go} || echo x > elsewhere.txt\nprintf '%s\\n' '{"outcome":"done","summary":"x"}'\n`,
        'train.sh': 'echo x >> ran; echo "loss=$(tail -n 1 value.txt)" > log.txt\n',
      },
    });
    expect((await project.run(...plain)).code).toBe(4);
    expect(project.read('value.txt')).toBe('1.0\n');
    project.write('value.txt', 'mine\n');
    project.write(go, '');
    const { code, stdout, stderr } = await project.run(...plain);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(words('value.txt'));
    expect(project.read('value.txt')).toBe('mine\n0.5\n');
  });
});

describe('an edit after a runner was killed', () => {
  it.each([
    ['while it changed the files', 'edit'],
    ['while it was measured', 'train'],
  ] as const)('%s: that nobody knows who did it is said and written down', async (_, stage) => {
    const project = waiting(stage);
    const { code, stdout } = await stopped(project, 'SIGKILL', () => project.write('src/a.sh', 'false\n'));
    const files = stage === 'edit' ? ['src/a.sh', 'value.txt'] : ['src/a.sh'];
    const named = files.join(' and ');
    expect(stdout).toContain(
      `The runner of iteration 1 was killed, and ${named} ${files.length === 1 ? 'is' : 'are'} not as last noted: nobody knows whether the iteration or a person changed ${files.length === 1 ? 'it' : 'them'}.`,
    );
    expect([code, editedIn(project)]).toEqual([0, [{ files, by: 'unknown' }]]);
    expect(project.read('insights.md')).toContain(
      `\n- Not known to be its own, because its runner was killed: ${named}\n`,
    );
    expect((await project.run('verify')).code).toBe(0);
  });

  it('is not said where what is measured is what was noted', async () => {
    const project = waiting('train');
    const { code, stdout } = await stopped(project, 'SIGKILL', () => {});
    expect([code, editedIn(project)]).toEqual([0, undefined]);
    expect(stdout).not.toContain('was killed, and');
  });

  it('between the number and the decision is not kept: it was never measured', async () => {
    const project = waiting('train');
    project.write(go, '');
    const preload = `--require ${resolve(import.meta.dirname, '../crash/kill-at.cjs')}`;
    // Where the number is written down, and nothing has followed from it.
    const at = 6;
    const child = project.start([...plain], {
      ...{ NODE_OPTIONS: preload, CRASH_AT: String(at), CRASH_HOW: 'after', CRASH_FILE: 'iterations.jsonl' },
    });
    await ended(child);
    expect(child.signalCode).toBe('SIGKILL');
    expect(project.records().at(-1)).toMatchObject({ type: 'iteration-measured', number: 1, value: 0.5 });
    project.write('src/a.sh', 'evil\n');
    const { code } = await project.run(...plain);
    expect([code, project.verdicts()]).toEqual([0, ['0 kept', '1 failed']]);
    expect(project.rows()[1]!.why).toBe(
      'src/a.sh is no longer what was measured: somebody changed it before it was decided, and it would be kept unmeasured',
    );
    expect([project.read('src/a.sh'), project.git('status', '--porcelain')]).toEqual(['true\n', '']);
    expect(project.git('show', 'auto/default-iter-1-1:src/a.sh')).toBe('evil');
  });
});
