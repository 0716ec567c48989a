import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;
const killAt = `--require ${resolve(import.meta.dirname, '../crash/kill-at.cjs')}`;

/** Where nobody looks who watches an iteration. */
const [begun, go] = ['.autoresearch/begun', '.autoresearch/go'];
/** Waits in the first iteration, once. */
const wait = `test -e ${go} || test {{iteration.number}} = 0 || { touch ${begun}; while ! test -e ${go}; do sleep 0.05; done; }`;

interface Doing {
  readonly agent?: string;
  readonly build?: string;
  /** Before it measures. */
  readonly train?: string;
  readonly ignore?: string;
}

/** The number is 4 after the agent's work, and 1 with the help of `src/extra`. */
const loopOf = ({ agent = 'true', build = 'true', train = 'true', ignore = 'extra\n*.bin\n' }: Doing): LoopProject =>
  new LoopProject([], {
    head: { agents: { coder: { backend: 'command', run: 'sh agent.sh', family: 'coders' } } },
    iterate: { max: 1, files: ['src/**'] },
    stages: {
      edit: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'number {{iteration.number}}', verify: 'test -s src/model' },
        scope: ['src/**'],
      },
      build: { uses: 'command', needs: ['edit'], outputs: ['built'], with: { run: `${build}; date > built` } },
      train: {
        uses: 'command',
        needs: ['build'],
        outputs: ['log.txt'],
        with: { run: `${train}; echo "loss=$(cat src/extra 2>/dev/null || cat src/model)" > log.txt` },
      },
    },
    files: {
      'src/model': '5\n',
      'agent.sh': `cat > /dev/null; echo 4 > src/model; ${agent}; echo '{"outcome":"done","summary":"did it","usd":0}'\n`,
      '.gitignore': `.autoresearch/\nbuilt\nlog.txt\nresult.json\nlogs/\niterations/\ninsights.md\n${ignore}`,
    },
  });

const rows = (project: LoopProject) =>
  project.rows().map(({ number, verdict, value }) => [number, verdict, value ?? null]);

/** Stops it while it waits, lets somebody do something, and goes on. */
async function stopped(project: LoopProject, signal: 'SIGINT' | 'SIGKILL', meanwhile: () => void) {
  const child = project.start([...plain]);
  const end = ended(child);
  await until(() => project.exists(begun) || child.exitCode !== null);
  child.kill(signal);
  await end;
  rmSync(join(project.dir, begun));
  meanwhile();
  project.write(go, '');
  return project.run(...plain);
}

/** Killed when everything is done but the record that says what the iteration came to. */
async function killedBeforeRecord(project: LoopProject): Promise<void> {
  const which = { CRASH_AT: '0', CRASH_ONLY: '"iteration-measured","number":1', CRASH_FILE: 'iterations.jsonl' };
  const env = { NODE_OPTIONS: killAt, CRASH_HOW: 'before', ...which };
  const child = project.start([...plain], env);
  await ended(child);
  expect(child.signalCode).toBe('SIGKILL');
  expect(project.records().at(-1)).toMatchObject({ type: 'iteration-started', number: 1 });
}

const kept = [
  [0, 'kept', 5],
  [1, 'kept', 4],
];
const failed = [
  [0, 'kept', 5],
  [1, 'failed', null],
];
const hiddenWords = (file: string): string =>
  `git ignores ${file}, which stood among the files of the loop when the number was measured: what is kept would be without it`;

describe('what a look has found, and somebody was killed before it was on record', () => {
  it('makes the iteration fail all the same: what git ignores', async () => {
    const project = loopOf({ agent: 'echo 1 > src/extra' });
    await killedBeforeRecord(project);
    expect(existsSync(join(project.dir, 'src/extra'))).toBe(false);
    await killedBeforeRecord(project);
    expect(await project.run(...plain)).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(failed);
    expect(project.read('insights.md')).toContain(hiddenWords('src/extra'));
  });

  it('makes the iteration fail all the same: what was written elsewhere', async () => {
    const project = loopOf({ train: 'test {{iteration.number}} = 0 || echo 1 > elsewhere' });
    await killedBeforeRecord(project);
    expect(project.exists('elsewhere')).toBe(false);
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain('elsewhere: written in an iteration');
    expect(code).toBe(4);
    expect(rows(project)).toEqual(failed);
  });

  it('is not held against the next iteration', async () => {
    const project = loopOf({ agent: 'echo 1 > src/extra' });
    await killedBeforeRecord(project);
    await project.run(...plain);
    project.write('agent.sh', project.read('agent.sh').replace('echo 1 > src/extra', 'true'));
    project.commit('a better agent');
    expect(await project.run(...plain, '--new')).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(kept);
  });
});

describe.each(['SIGINT', 'SIGKILL'] as const)('what git ignores, after %s', (signal) => {
  it('and came while nobody was at the iteration, is taken away before it is measured', async () => {
    const project = loopOf({ train: wait });
    const { code, stdout } = await stopped(project, signal, () => project.write('src/extra', '1\n'));
    expect(code).toBe(0);
    expect(stdout).not.toContain('src/extra');
    expect(rows(project)).toEqual(kept);
    expect(project.read('insights.md')).toContain('- Taken away afterwards: src/extra\n');
    expect(existsSync(join(project.dir, 'src/extra'))).toBe(false);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('and was left by a command that begins anew, does not help that', async () => {
    const project = loopOf({ train: `test -e ${go} || test {{iteration.number}} = 0 || echo 1 > src/extra; ${wait}` });
    expect(await stopped(project, signal, () => {})).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(kept);
  });

  it('and is of the agent, makes the iteration fail as it would have', async () => {
    const project = loopOf({ agent: 'echo 1 > src/extra', train: wait });
    expect(await stopped(project, signal, () => {})).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(failed);
    expect(project.read('insights.md')).toContain(hiddenWords('src/extra'));
  });

  it('and was there before, makes the iteration fail when it was changed meanwhile', async () => {
    const project = loopOf({ train: wait });
    project.write('src/extra', '5\n');
    expect(await stopped(project, signal, () => project.write('src/extra', '1\n'))).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(failed);
    expect(project.read('src/extra')).toBe('1\n');
    expect(project.read('insights.md')).toContain(hiddenWords('src/extra'));
  });

  it('and was made by a stage that is done, stays for those behind it', async () => {
    const project = loopOf({
      build: 'cp src/model src/built.bin',
      train: `${wait}; cmp src/model src/built.bin || exit 1`,
    });
    expect(await stopped(project, signal, () => {})).toMatchObject({ code: 0 });
    expect(rows(project)).toEqual(kept);
    expect(existsSync(join(project.dir, 'src/built.bin'))).toBe(false);
  });
});
