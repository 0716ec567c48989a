import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive, childrenOf, text } from '../adapters/command/room.js';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** `slow` writes its pid, then waits until it is ended; with the file `go` there it passes at once. */
const slow = (more = '', script = 'sleep 600'): Project =>
  new Project({
    'autoresearch.config.yaml': configYaml(`
done: { uses: command, with: { run: 'echo x >> count' } }
slow: { uses: command, needs: [done]${more}, with: { run: 'sh slow.sh' } }`),
    'slow.sh': `test -e go && exit 0\necho $$ > pid\n${script}\n`,
  });

const begun = (project: Project, name = 'pid'): Promise<void> =>
  until(() => project.exists(name) && project.read(name).endsWith('\n'));
const pidIn = (project: Project, name = 'pid'): number => Number(project.read(name));
const lock = '.autoresearch/default/lock';
const holder = (project: Project): Record<string, unknown> => JSON.parse(project.read(lock));
const outcome = async (project: Project): Promise<unknown> =>
  JSON.parse((await project.run('status', '--json')).stdout).outcome;

/** The end of a countdown from five, to which nothing comes that is killed at once. */
const countedDown = /killed in 1 s|being killed/;
/** The numbers of a countdown; a machine that has much to do may be late for one of them. */
const expectCountdown = (shown: string): void => {
  const numbers = [
    ...shown.matchAll(/^.*Stopping because of SIG\w+; 1 running, killed in (\d) s\. Once more kills now\./gm),
  ];
  const left = [...new Set(numbers.map(([, number]) => Number(number)))];
  expect(left).toEqual([...left].sort((a, b) => b - a));
  expect(left.length).toBeGreaterThan(1);
  expect([5, 4, 3, 2, 1]).toEqual(expect.arrayContaining(left));
};

async function goesOn(project: Project): Promise<void> {
  project.write('go', '');
  const { code, stderr } = await project.run('exec');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const finished = project.journal().filter(({ type, task }) => type === 'task-finished' && task === 'done');
  expect(finished).toHaveLength(1);
}

/** In place, as a holder on another host would have written it. */
function moveElsewhere(project: Project): void {
  const text = JSON.stringify({ ...holder(project), host: 'elsewhere', space: 'another boot' });
  writeFileSync(join(project.dir, lock), `${text.padEnd(1023)}\n`, { flag: 'r+' });
}

/** The runner and its helper, killed so that neither can do anything about the end of the other. */
async function killBoth(child: ChildProcess): Promise<void> {
  const helper = childrenOf(child.pid!).find((pid) => text(`/proc/${pid}/comm`) === 'bash\n');
  process.kill(helper!, 'SIGSTOP');
  child.kill('SIGKILL');
  process.kill(helper!, 'SIGKILL');
  await until(() => !alive(child.pid!) && !alive(helper!));
}

describe('cancel', () => {
  it('stops a run that is at work, which goes on later', async () => {
    const project = slow();
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    const { run, since, host } = holder(project);
    const { code, stdout, stderr } = await project.run('cancel');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `Asked run ${run}, process ${child.pid} on ${host}, since ${since} to stop; waiting for what it runs to end.\n` +
        `run ${run} was stopped; autoresearch exec goes on with it\n`,
    );
    expect((await end).code).toBe(143);
    expect(alive(pidIn(project))).toBe(false);
    expect(project.exists(lock)).toBe(false);
    expect(await outcome(project)).toBe('cancelled');
    await goesOn(project);
  });

  it('is told as stopped by record and page alike: no attempt has failed', async () => {
    const project = slow();
    const child = project.start(['exec', '--reporter', 'plain']);
    const end = ended(child);
    await begun(project);
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    await project.run('report');
    const { run } = JSON.parse((await project.run('status', '--json')).stdout);
    const left = (name: string): string => project.read(`.autoresearch/default/runs/${run}/${name}`);
    const shown = (): string =>
      left('report.html')
        .replace(/<[^>]*>/g, '')
        .replace(/\s+/g, ' ');
    expect(left('execution.md')).toMatch(/^# .*: PARTIAL\n\nReason: the run was stopped by SIGINT\.\n/);
    expect(left('execution.md')).toContain(
      '## Fixes\n\nNo attempt failed.\n- slow, attempt 1 was stopped by SIGINT, which is no failure (journal.jsonl:',
    );
    expect(JSON.parse(left('execution.json'))).toMatchObject({
      status: 'PARTIAL',
      outcome: 'cancelled',
      fixes: [],
      stops: [{ task: 'slow', attempt: 1, afterwards: 'not tried again yet' }],
    });
    expect((await project.run('report', '--text')).stdout).toContain(
      '  no attempt failed\n  1 attempt stopped, which is no failure\n',
    );
    expect(shown()).toContain('Failed attempts0');
    expect(shown()).toMatch(
      /– stopped slow, attempt 1 was stopped by SIGINT after .* s, which is no failure; then: not tried again yet/,
    );
    // Gone on with: the same attempt is still none that failed.
    await goesOn(project);
    await project.run('report');
    expect(left('execution.md')).toMatch(/^# .*: SUCCESS\n/);
    expect(left('execution.md')).toContain('which is no failure (journal.jsonl:');
    expect(left('execution.md')).toContain('; then: passed\n');
    expect(shown()).toContain('Failed attempts0');
    expect((await project.run('verify')).code).toBe(0);
  });

  it('--now does not wait for what does not want to end', async () => {
    const project = slow('', `trap '' TERM INT; while :; do sleep 0.05; done`);
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    expect((await project.run('cancel', '--now')).code).toBe(0);
    const { code, stdout } = await end;
    expect(code).toBe(143);
    expect(stdout).not.toMatch(countedDown);
    expect(alive(pidIn(project))).toBe(false);
    await goesOn(project);
  });

  it('stops a run that waits for its next attempt', async () => {
    const project = slow(', retry: { attempts: 3, backoff: 1h }', 'exit 1');
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    await until(() => project.journal().some(({ type }) => type === 'retry-scheduled'));
    expect((await project.run('cancel')).stdout).toContain('was stopped; autoresearch exec goes on with it');
    expect((await end).code).toBe(143);
    expect(await outcome(project)).toBe('cancelled');
  });

  it.each([0, 3, 10, 30, 80])('stops a run %i ms after it has taken the lock', async (ms) => {
    const project = slow();
    const child = project.start(['exec']);
    const end = ended(child);
    while (!project.exists(lock)) await new Promise((next) => setImmediate(next));
    // The pause is what is being tried, not a wait for something: every moment is a phase of the run.
    await new Promise((next) => setTimeout(next, ms));
    child.kill('SIGSTOP');
    const { code, stdout } = await project.run('cancel');
    expect(code).toBe(0);
    expect(stdout).toMatch(/was stopped; autoresearch exec goes on with it|was stopped before it had begun/);
    expect((await end).code).toBe(143);
    expect(project.exists(lock)).toBe(false);
    await goesOn(project);
  });

  it('does not claim to have stopped a run that was just ending', async () => {
    const project = slow();
    project.write('go', '');
    const child = project.start(['exec', '--json']);
    const end = ended(child);
    await new Promise<void>((seen) => {
      child.stdout!.on('data', (chunk) => String(chunk).includes('"run-finished"') && seen());
    });
    child.kill('SIGSTOP');
    const { code, stdout } = await project.run('cancel');
    expect(code).toBe(0);
    expect(stdout).toMatch(/had come to its end by then: passed\n$|^No run goes on here.\n$/);
    expect((await end).code).toBe(0);
  });

  it('reaches a run on another host by a file beside the lock', async () => {
    const project = slow();
    const end = ended(project.start(['exec']));
    await begun(project);
    moveElsewhere(project);
    const { code, stdout } = await project.run('cancel');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ on elsewhere, since [\s\S]* was stopped; autoresearch exec goes on with it\n$/);
    expect((await end).code).toBe(143);
    expect(alive(pidIn(project))).toBe(false);
    expect(project.exists('.autoresearch/default/cancel')).toBe(false);
    await goesOn(project);
  });

  it('says when there is nothing to stop, with a config or without', async () => {
    const project = slow();
    expect(await project.run('cancel')).toEqual({ code: 0, stdout: 'No run goes on here.\n', stderr: '' });
    expect(project.exists('.autoresearch')).toBe(false);
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    const { run } = holder(project);
    child.kill('SIGKILL');
    await end;
    const { code, stdout } = await project.run('cancel');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^No run goes on here: run ${run}, process ${child.pid} on .* is gone\\.`));
  });
});

describe('unlock', () => {
  it.each([
    ['no config', {}],
    ['a config with mistakes', { 'autoresearch.config.yaml': 'stages: [' }],
    ['two configs', { 'autoresearch.config.yaml': '', 'autoresearch.config.json': '' }],
  ])('works with %s', async (_name, files: Record<string, string>) => {
    const project = new Project(files);
    expect(await project.run('unlock')).toEqual({ code: 0, stdout: 'There is no lock to remove.\n', stderr: '' });
    expect(project.exists('.autoresearch')).toBe(false);
    project.write(lock, 'garbage');
    const { code, stderr } = await project.run('unlock');
    expect(code).toBe(6);
    expect(stderr).toBe(
      'another run holds the lock: an unknown process, because the lock file cannot be read\n' +
        'Wait for it, or stop it with autoresearch cancel; only if that process is surely gone: autoresearch unlock --force\n',
    );
    expect(project.read(lock)).toBe('garbage');
    project.write('sub/file', '');
    expect((await project.run('unlock', '--force', '--cwd', 'sub')).code).toBe(0);
    expect(project.exists(lock)).toBe(false);
  });

  it('removes the lock of a dead run and says whose it was', async () => {
    const project = slow();
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    const { run } = holder(project);
    child.kill('SIGKILL');
    await end;
    const { code, stdout } = await project.run('unlock');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^Removed the lock of run ${run}, process ${child.pid} on .*That process is gone`),
    );
    expect(project.exists(lock)).toBe(false);
    await goesOn(project);
  });

  it('leaves a live run alone; by force it stops at once, writes no more, and says why', async () => {
    const project = slow('', `trap '' TERM; while :; do sleep 0.05; done`);
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    const { run } = holder(project);
    const refused = await project.run('unlock');
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain(`run ${run}, process ${child.pid} on `);
    expect(alive(pidIn(project))).toBe(true);
    const before = project.journal();
    const forced = await project.run('unlock', '--force');
    expect(forced.code).toBe(0);
    expect(forced.stdout).toContain('If that process still lives, it stops when it notices.');
    const { code, stderr } = await end;
    expect(code).toBe(6);
    expect(stderr).toContain('the lock of this run was taken away while it ran');
    expect(alive(pidIn(project))).toBe(false);
    expect(project.journal()).toEqual(before);
    await goesOn(project);
  });

  it('believes the heartbeat of another host', async () => {
    const project = slow();
    const child = project.start(['exec']);
    const end = ended(child);
    await begun(project);
    child.kill('SIGKILL');
    await end;
    moveElsewhere(project);
    expect((await project.run('unlock')).code).toBe(6);
    expect((await project.run('exec')).code).toBe(6);
    const then = Date.now() / 1000 - 90;
    utimesSync(join(project.dir, lock), then, then);
    await goesOn(project);
  });
});

describe('a signal', () => {
  /** In its group, out of it, and holding the output open: none of them minds a polite signal. */
  const deaf = `setsid sh -c 'trap "" TERM HUP INT; echo $$ > apart; while :; do sleep 0.05; done' &
sh -c 'trap "" TERM HUP INT; echo $$ > below; while :; do sleep 0.05; done' &
trap '' TERM HUP INT; echo $$ > ready; while :; do sleep 0.05; done`;
  const names = ['pid', 'apart', 'below', 'ready'];

  const startDeaf = async (project: Project): Promise<{ child: ChildProcess; end: ReturnType<typeof ended> }> => {
    const child = project.start(['exec', '--reporter', 'plain']);
    const end = ended(child);
    for (const name of names) await begun(project, name);
    return { child, end };
  };

  it('counts down, then kills what does not end', async () => {
    const project = slow('', deaf);
    const { child, end } = await startDeaf(project);
    child.kill('SIGTERM');
    const { code, stdout } = await end;
    expect(code).toBe(143);
    expect(stdout).toContain('\nStopping because of SIGTERM; 1 running, killed in 5 s. Once more kills now.\n');
    expectCountdown(stdout);
    expect(names.filter((name) => alive(pidIn(project, name)))).toEqual([]);
    expect(await outcome(project)).toBe('cancelled');
    await goesOn(project);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s twice kills at once, exit %i', async (signal, exit) => {
    const project = slow('', deaf);
    const { child, end } = await startDeaf(project);
    const stopping = new Promise<void>((seen) => {
      child.stdout!.on('data', (chunk) => String(chunk).includes('Stopping because of') && seen());
    });
    child.kill(signal);
    await stopping;
    expect(names.filter((name) => !alive(pidIn(project, name)))).toEqual([]);
    child.kill(signal);
    const { code, stdout } = await end;
    expect(code).toBe(exit);
    expect(stdout).not.toMatch(countedDown);
    expect(names.filter((name) => alive(pidIn(project, name)))).toEqual([]);
    expect(await outcome(project)).toBe('cancelled');
  });

  it('a task that ended by itself leaves nothing that holds the run up', async () => {
    const project = slow('', `setsid sleep 600 & echo $! > apart; sleep 600 & echo $! > below; exit 0`);
    expect((await project.run('exec')).code).toBe(0);
    expect(['apart', 'below'].filter((name) => alive(pidIn(project, name)))).toEqual([]);
  });
});

const python = spawnSync('python3', ['--version'], { env: { PATH: process.env.PATH } }).status === 0;

describe.skipIf(!python)('at a terminal', () => {
  const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');
  const script = resolve(import.meta.dirname, '../support/terminal.py');

  const terminal = async (
    project: Project,
    keys: string,
    command: readonly string[] = [process.execPath, bin, 'exec'],
    term = 'xterm-256color',
  ): Promise<{ shown: string; end: string }> => {
    const child = spawn('python3', [script, project.dir, keys, ...command], {
      cwd: project.dir,
      env: { PATH: process.env.PATH, HOME: project.dir, LANG: 'C.UTF-8', TERM: term },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = await ended(child);
    expect(stderr).toBe('');
    const shown = stdout.trimEnd();
    return { shown, end: shown.slice(shown.lastIndexOf('\n') + 1) };
  };
  // Both take long enough for the view to be drawn, which it is ten times a second.
  const polite = `trap 'sleep 0.5; echo asked > asked; exit 0' INT TERM; echo on > ready; while :; do sleep 0.05; done`;
  const stubborn = `trap 'sleep 0.5; echo asked > asked' INT TERM; echo on > ready; while :; do sleep 0.05; done`;

  it('Ctrl-C asks the task to end, and the run can go on', async () => {
    const project = slow('', polite);
    const { shown, end } = await terminal(project, 'ready=^C');
    expect(end).toBe('exit 130');
    expect(project.exists('asked')).toBe(true);
    expect(shown).toContain('Stopping because of SIGINT');
    // The cursor is back.
    expect(shown.lastIndexOf('\u001B[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001B[?25l'));
    expect(alive(pidIn(project))).toBe(false);
    expect(await outcome(project)).toBe('cancelled');
    await goesOn(project);
  });

  it('Ctrl-C twice kills it', async () => {
    const project = slow('', stubborn);
    const { shown, end } = await terminal(project, 'ready=^C,asked=^C');
    expect(end).toBe('exit 130');
    expect(shown).toContain('1 running, killed in ');
    expect(shown).not.toMatch(countedDown);
    expect(alive(pidIn(project))).toBe(false);
    await goesOn(project);
  });

  it('the tree counts down when nothing more is typed', async () => {
    const project = slow('', stubborn);
    const { shown, end } = await terminal(project, 'ready=^C');
    expect(end).toBe('exit 130');
    expectCountdown(shown);
    expect(alive(pidIn(project))).toBe(false);
  });

  it('a terminal that obeys nothing (TERM=dumb) is given plain lines', async () => {
    const project = slow('', 'exit 0');
    const { shown, end } = await terminal(project, 'never=^C', undefined, 'dumb');
    expect(end).toBe('exit 0');
    expect(shown).toContain('slow');
    expect(shown).not.toContain('\u001B');
  });

  it('a terminal that is closed is nothing to a run that was left behind, as with nohup', async () => {
    const project = slow('', 'echo on > ready; while ! test -e go; do sleep 0.05; done; echo done > out.txt');
    const behind = `nohup '${process.execPath}' '${bin}' exec > run.log 2>&1 < /dev/null & wait`;
    await terminal(project, 'ready=leave', ['sh', '-c', behind]);
    await until(() => project.read('run.log').includes('The terminal was closed; the run goes on.\n'));
    expect(alive(pidIn(project))).toBe(true);
    project.write('go', '');
    await until(() => project.journal().at(-1)!.type === 'run-finished');
    expect(await outcome(project)).toBe('passed');
  });

  it('a terminal that is closed stops the run', async () => {
    const project = slow('', polite);
    const { end } = await terminal(project, 'ready=hang-up');
    expect(end).toBe('exit 143');
    expect(project.exists('asked')).toBe(true);
    expect(alive(pidIn(project))).toBe(false);
    expect(await outcome(project)).toBe('cancelled');
    await goesOn(project);
  });
});

describe('a runner and its helper that were both killed', () => {
  it.each([
    ['in a session of its own', `setsid sh -c 'echo $$ > apart; exec sleep 600' & wait`],
    ['without an environment', `exec env -i /bin/sh -c 'echo $$ > apart; exec /bin/sleep 600'`],
    [
      'without either, behind the scribe,',
      `setsid env -i /bin/sh -c 'echo $$ > apart; exec /bin/sleep 600' & wait`,
      ', passEnv: [MY_SECRET]',
    ],
  ])('what is left %s is ended before the task starts again', async (_name, script, more = '') => {
    const project = slow(more, `${script}`);
    const env = { MY_SECRET: 'correct-horse-battery' };
    // The second time, the task says whether the first is still at work.
    project.write(
      'slow.sh',
      `if test -e pid; then grep -qs ') [^ZX] ' /proc/$(cat apart)/stat && touch twice; exit 0; fi\n${project.read('slow.sh')}`,
    );
    const child = project.start(['exec'], env);
    const end = ended(child);
    await begun(project);
    await begun(project, 'apart');
    const { run } = holder(project);
    const traces = `.autoresearch/default/runs/${run}/tasks/slow/1/processes.jsonl`;
    await begun(project, traces);
    const innocent = spawn('sleep', ['600'], { detached: true });
    const trace = JSON.parse(readFileSync(join(project.dir, traces), 'utf8'));
    project.write(traces, `${project.read(traces)}${JSON.stringify({ ...trace, pid: innocent.pid })}\n`);
    await killBoth(child);
    await end;
    try {
      expect(alive(pidIn(project, 'apart'))).toBe(true);
      const { code, stdout } = await ended(project.start(['exec', '--reporter', 'plain'], env));
      expect(code).toBe(0);
      expect(stdout).toMatch(/Ended (one|\d+) process/);
      expect(project.exists('twice')).toBe(false);
      expect(alive(pidIn(project, 'apart'))).toBe(false);
      expect(alive(innocent.pid!)).toBe(true);
    } finally {
      innocent.kill('SIGKILL');
    }
  });
});
