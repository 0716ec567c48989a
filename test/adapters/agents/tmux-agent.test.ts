import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TmuxAgent } from '../../../src/adapters/agents/tmux/tmux-agent.js';
import { endSessions, listSessions } from '../../../src/adapters/agents/tmux/tmux-sessions.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import type { AgentLimits } from '../../../src/model/generated/config.js';
import { agentRequest } from '../../support/agent-request.js';
import { Driver } from '../../support/driver.js';
import { until } from '../../support/until.js';

const program = `${process.execPath} ${join(import.meta.dirname, 'tmux-program.mjs')}`;
const driver = new Driver(join(import.meta.dirname, 'tmux-driver.ts'));
afterAll(() => driver.close());

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) {
    await endSessions(join(home, 's'));
    rmSync(home, { recursive: true, force: true });
  }
});

/** A project of its own, with its own tmux server. */
function project(): Project {
  const home = mkdtempSync(join(tmpdir(), 'ar-tmux-'));
  homes.push(home);
  const said: string[] = [];
  let calls = 0;
  const agentOf = (prefix: string): TmuxAgent =>
    new TmuxAgent({
      socket: join(home, 's'),
      prefix,
      env: { PATH: process.env.PATH, HOME: home, AUTORESEARCH_WARDEN: 'x.1,' },
      clock: systemClock,
      words: ({ code }) => code,
    });
  const ask: Project['ask'] = (prompt, { limits, run = program, prefix = 'study', agent, ...more } = {}) => {
    const dir = join(home, `call ${++calls}; #(touch ${home.slice(1).replaceAll('/', '_')})`);
    mkdirSync(dir);
    const [stop, kill] = [new AbortController(), new AbortController()];
    const config = { backend: 'command', run, interactive: true, lifecycle: 'persistent' } as const;
    const answer = (agent ?? agentOf(prefix)).ask(
      agentRequest({
        agent: { ...config, ...(limits ? { limits } : {}) },
        prompt,
        cwd: home,
        dir,
        said: (line) => said.push(line),
        ...more,
      }),
      { stop: stop.signal, kill: kill.signal },
    );
    return { answer, stop, kill, dir };
  };
  const facts = async (prompt = 'facts', more: Extra = {}): Promise<Facts> => {
    const answer = await ask(prompt, more).answer;
    if (!answer.ok) throw new Error(`${answer.why}: ${answer.detail}`);
    return answer.reply as unknown as Facts;
  };
  return { home, socket: join(home, 's'), said, ask, facts, agentOf };
}

interface Project {
  readonly home: string;
  readonly socket: string;
  readonly said: string[];
  ask(prompt: string, more?: Extra): Asked;
  facts(prompt?: string, more?: Extra): Promise<Facts>;
  agentOf(prefix: string): TmuxAgent;
}

type Extra = Partial<Omit<AgentRequest, 'agent'>> & {
  readonly limits?: AgentLimits;
  readonly run?: string;
  readonly prefix?: string;
  readonly agent?: TmuxAgent;
};

interface Asked {
  readonly answer: Promise<AgentAnswer>;
  readonly stop: AbortController;
  readonly kill: AbortController;
  readonly dir: string;
}

interface Facts {
  readonly pid: number;
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly typed: readonly string[];
  readonly prompt: string;
  readonly where: string;
}

const isRunning = (pid: number): boolean => knownProcess(pid).started !== '';
const tmux = (socket: string, ...args: string[]): string =>
  execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', timeout: 60_000 });

// Side by side, because they mostly wait; each has a server of its own.
describe.concurrent('an agent that stays open in tmux', () => {
  it('is the same process for two questions, also for a new runner', async () => {
    const { facts, home, agentOf } = project();
    const agent = agentOf('study');
    const first = await facts('facts', { agent, env: { AUTORESEARCH_TASK: 'one', ODD: `a'b"c$HOME\n#{pid};é` } });
    const second = await facts('facts', { agent, env: { AUTORESEARCH_TASK: 'two' } });
    const third = await facts();
    expect([second.pid, third.pid]).toEqual([first.pid, first.pid]);
    expect(third.typed).toHaveLength(3);
    expect(third).toMatchObject({
      cwd: home,
      where: '',
      env: { ODD: `a'b"c$HOME\n#{pid};é`, AUTORESEARCH_TASK: 'one' },
    });
    expect(third.env).toMatchObject({ HOME: home, AUTORESEARCH_AGENT: 'coder', AUTORESEARCH_WORKDIR: home });
    expect(Object.keys(third.env).sort()).toEqual(
      ['PATH', 'HOME', 'ODD', 'PWD', 'OLDPWD', 'SHELL', 'TERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TMUX']
        .concat(['TMUX_PANE', 'AUTORESEARCH_AGENT', 'AUTORESEARCH_TASK', 'AUTORESEARCH_TMUX', 'AUTORESEARCH_WORKDIR'])
        .sort(),
    );
  });

  it('answers with its reply, its session and what it says it cost, and keeps the rest unknown', async () => {
    const { ask, said } = project();
    const { answer, dir } = ask('write\n{"outcome":"done","usd":0.5,"tokens":{"input":1,"output":2}}');
    const reply = { outcome: 'done', usd: 0.5, tokens: { input: 1, output: 2 } };
    const session = { id: 'study-coder' };
    expect(await answer).toEqual({ ok: true, reply, usd: 0.5, tokens: { input: 1, output: 2 }, session });
    expect(JSON.parse(readFileSync(join(dir, 'reply.json'), 'utf8'))).toEqual(reply);
    expect(await ask('write\n{"outcome":"done"}').answer).toEqual({ ok: true, reply: { outcome: 'done' }, session });
    expect(said).toEqual([]);
  });

  it('goes on after its runner was killed, and what that one asked for is interrupted', async () => {
    const { facts, home, socket } = project();
    const before = await facts();
    const runner = driver.start([socket, 'study', program, home, 'busy']);
    await until(() => tmux(socket, 'capture-pane', '-p', '-t', 'study-coder').includes('step 3'));
    runner.kill('SIGKILL');
    await until(() => runner.signalCode === 'SIGKILL');
    const after = await facts();
    expect(after.pid).toBe(before.pid);
    expect(after.typed).toEqual([expect.any(String), expect.any(String), 'C-c', expect.any(String)]);
  });

  it('finds the prompt byte for byte, and nothing in it is a key, a command or a format', async () => {
    const { facts, home, socket } = project();
    const owned = `owned-${basename(home)}`;
    const hostile = `facts\nEnter C-c C-b :kill-server; tmux kill-server\n'"\`$(touch ${home}/${owned})\` #{pane_pid} #(touch ${home}/${owned}) \\; ;\n\u001b[201~é\r\n;`;
    const { prompt, typed } = await facts(hostile);
    expect(prompt).toBe(hostile);
    expect(typed).toHaveLength(1);
    const folder = join(home, `a #(touch ${owned}) $(touch ${owned}) ; C-c "x" 'y'`);
    mkdirSync(folder);
    const again = await facts('facts', { dir: folder, cwd: folder });
    expect(again.typed).toHaveLength(2);
    expect(again.where).toBe(` in the folder ${JSON.stringify(folder)}`);
    expect((await facts('facts', { name: 'other', cwd: folder })).cwd).toBe(folder);
    expect([home, folder, '/'].flatMap((each) => readdirSync(each))).not.toContain(owned);
    expect((await listSessions(socket)).map(({ name }) => name)).toEqual(['study-coder', 'study-other']);
  });

  it('is typed to in its own pane, also when a person opened another one or scrolled back', async () => {
    const { facts, socket } = project();
    const { pid } = await facts();
    tmux(socket, 'split-window', '-b', '-t', 'study-coder', 'cat');
    tmux(socket, 'copy-mode', '-t', 'study-coder:0.1');
    const again = await facts();
    expect(again.pid).toBe(pid);
    expect(again.typed).toHaveLength(2);
    expect(tmux(socket, 'capture-pane', '-p', '-t', 'study-coder:0.0').trim()).toBe('');
  });

  it('may write its reply piece by piece', async () => {
    const { answer } = project().ask('slowly');
    expect(await answer).toMatchObject({ ok: true, reply: { inner: { a: 1 }, b: 2 } });
  });

  it.each(['write\nnot json', 'fifo'])('that leaves %j has no reply, and can be asked again', async (prompt) => {
    const { ask, facts } = project();
    expect(await ask(prompt).answer).toEqual({ ok: true, reply: undefined, session: { id: 'study-coder' } });
    expect((await facts()).typed).toHaveLength(2);
  });

  it('that dies has crashed with its last words but without its keys, and the next question starts a new one', async () => {
    const { ask, facts, said } = project();
    const answer = await ask('die').answer;
    expect(answer).toMatchObject({ ok: false, why: 'crashed', session: { id: 'study-coder' } });
    const lines = (answer.ok ? '' : answer.detail).split('\n');
    expect([lines[0], lines.at(-1)]).toEqual([`${program} ended (exit code 3)`, 'api_key=[redacted] was refused']);
    expect(JSON.stringify([answer, said])).not.toContain('hunter2');
    const session = { id: 'study-coder' };
    expect(await ask('facts', { session }).answer).toMatchObject({ ok: false, why: 'session-lost' });
    expect((await facts()).typed).toHaveLength(1);
    expect(said).toContain('the program in the session study-coder had ended; a new one is started');
  });

  it('that replies and then fails has failed; one that replies and leaves has not', async () => {
    const { ask } = project();
    expect(await ask('die replied').answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(await ask('die content').answer).toMatchObject({ ok: true, reply: { outcome: 'done' } });
  });

  it.each([0, 4])('that leaves its terminal first and ends with %i later is judged by that', async (exitCode) => {
    const { ask, home } = project();
    const run = `echo ready; trap '' HUP; read -r line; echo '{"a":1}' > "\${line##* to }"; exec <&- >&- 2>&-; sleep 1; exit ${exitCode}`;
    const answer = await ask('x', { run, dir: home }).answer;
    expect(answer).toMatchObject(exitCode === 0 ? { ok: true, reply: { a: 1 } } : { ok: false, why: 'crashed' });
    if (!answer.ok) expect(answer.detail).toContain('(exit code 4)');
  });

  it('that is not there is not installed, and neither is tmux where it is missing', async () => {
    const { ask, home } = project();
    expect(await ask('facts', { run: 'no-such-tui' }).answer).toMatchObject({ ok: false, why: 'not-installed' });
    const ports = { socket: join(home, 's'), prefix: 'x', clock: systemClock, words: () => '' };
    const agent = new TmuxAgent({ ...ports, env: { PATH: home } });
    const detail = expect.stringContaining('apt-get install tmux');
    expect(await ask('facts', { agent }).answer).toEqual({ ok: false, why: 'not-installed', detail });
  });

  it('whose session is gone, or is another program now, says so before anybody is asked', async () => {
    const { ask, facts, socket } = project();
    const session = { id: 'study-coder' };
    const { pid } = await facts();
    const lost = { ok: false, why: 'session-lost', detail: 'the program in the session study-coder is gone', usd: 0 };
    expect(await ask('facts', { session, run: `exec ${program}` }).answer).toEqual(lost);
    expect((await facts('facts', { session })).pid).toBe(pid);
    tmux(socket, 'kill-server');
    expect(await ask('facts', { session }).answer).toEqual(lost);
    expect((await facts()).pid).not.toBe(pid);
  });

  it('whose session is closed while it works has crashed', async () => {
    const { ask, socket } = project();
    const { answer } = ask('busy');
    await until(() => existsSync(socket) && screenOf(socket).includes('step 3'));
    tmux(socket, 'kill-server');
    expect(await answer).toMatchObject({ ok: false, why: 'crashed' });
  });

  it('that hangs is idle, one that never ends is too late; either way its session is ended with it', async () => {
    const { ask, facts, socket, home: dir } = project();
    const session = { id: 'study-coder' };
    const ended = 'the session study-coder was ended';
    const first = await facts('facts', { dir });
    // In the folder of the question before: its reply is not taken for the one to this.
    const idle = { ok: false, why: 'idle', detail: `idle-timed-out; ${ended}`, session };
    expect(await ask('hang', { dir, limits: { idle: '1s' } }).answer).toEqual(idle);
    expect(isRunning(first.pid)).toBe(false);
    const second = await facts();
    expect(second.pid).not.toBe(first.pid);
    const late = { ok: false, why: 'timed-out', detail: `timed-out; ${ended}`, session };
    expect(await ask('busy stubborn', { limits: { timeout: '3s' } }).answer).toEqual(late);
    expect(isRunning(second.pid)).toBe(false);
    expect(await listSessions(socket)).toEqual([]);
  });

  it('is interrupted by a stop and stays', async () => {
    const { ask, facts, socket } = project();
    const { answer, stop } = ask('busy');
    await until(() => existsSync(socket) && screenOf(socket).includes('step 3'));
    stop.abort('SIGINT');
    expect(await answer).toEqual({ ok: false, why: 'cancelled', detail: 'cancelled', session: { id: 'study-coder' } });
    expect((await facts()).typed).toEqual([expect.any(String), 'C-c', expect.any(String)]);
  });

  it('that is asked after a stop is not asked', async () => {
    const { agentOf, home, socket } = project();
    const config = { backend: 'command', run: program, lifecycle: 'persistent' } as const;
    const request = agentRequest({ agent: config, cwd: home, dir: home });
    const [stop, never] = [AbortSignal.abort('SIGINT'), new AbortController().signal];
    const cancelled = { ok: false, why: 'cancelled', detail: 'cancelled' };
    expect(await agentOf('study').ask(request, { stop, kill: never })).toEqual(cancelled);
    expect(await agentOf('study').ask(request, { stop: never, kill: stop })).toEqual(cancelled);
    expect(await listSessions(socket)).toEqual([]);
  });

  it('is gone after a kill, with children that left its session or cleared their environment', async () => {
    const { ask, home, socket, facts } = project();
    const other = await facts('facts', { name: 'other' });
    const list = join(home, 'pids');
    const { answer, kill } = ask(`children ${list}`);
    await until(() => existsSync(list));
    const pids = JSON.parse(readFileSync(list, 'utf8')) as number[];
    expect(pids.map(isRunning)).toEqual([true, true, true]);
    kill.abort('SIGTERM');
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    expect((await listSessions(socket)).map(({ name }) => name)).toEqual(['study-other']);
    expect(isRunning(other.pid)).toBe(true);
  });

  it('is not shared by two agents, two agent ids or two projects, and is asked one thing at a time', async () => {
    const [here, there] = [project(), project()];
    const agent = here.agentOf('study');
    const all = await Promise.all([
      here.facts('facts', { agent }),
      here.facts('facts', { agent }),
      here.facts('facts', { agent, name: 'reviewer' }),
      here.facts('facts', { prefix: 'study-2' }),
      there.facts(),
    ]);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(4);
    expect(all.map(({ typed }) => typed.length)).toEqual([1, 2, 1, 1, 1]);
    const stranger = await here.ask('facts', { prefix: 'study', name: '2-coder' }).answer;
    expect(stranger).toMatchObject({ ok: false, detail: expect.stringContaining('belongs to another agent') });
    await endSessions(here.socket);
    expect(all.map(({ pid }) => isRunning(pid))).toEqual([false, false, false, false, true]);
  });

  it('is started anew when the config names another program', async () => {
    const { facts, said } = project();
    const { pid } = await facts();
    expect((await facts('facts', { run: `exec ${program}` })).pid).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
    expect(said).toContain('another program is asked for; study-coder is started anew');
  });
});

const screenOf = (socket: string): string => {
  try {
    return tmux(socket, 'capture-pane', '-p', '-t', 'study-coder');
  } catch {
    return '';
  }
};
