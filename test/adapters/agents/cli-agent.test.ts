import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CliAgent } from '../../../src/adapters/agents/cli/cli-agent.js';
import type { CliDialect, CliEnd, LineNews } from '../../../src/adapters/agents/cli/cli-dialect.js';
import { LineTail } from '../../../src/adapters/agents/cli/line-tail.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AnswerFacts } from '../../../src/model/agents/agent.js';
import type { Agent } from '../../../src/model/generated/config.js';
import type { Clock } from '../../../src/model/ports.js';
import { agentRequest } from '../../support/agent-request.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

const home = mkdtempSync(join(tmpdir(), 'autoresearch-cli-agent-'));
const commands = createCommandRunner({
  clock: systemClock,
  env: { PATH: process.env.PATH },
  maxSlots: 2,
  // Whoever listens has to be able to answer, also on a busy machine.
  graceMs: 3000,
});
afterAll(async () => {
  await commands.close();
  rmSync(home, { recursive: true, force: true });
});

/** Notes what it is told. `stop` in a line is an overrun, `bug` a bug; it answers `ok` whatever happened. */
class Notes {
  readonly lines: string[] = [];
  readonly facts: AnswerFacts;
  end: CliEnd | undefined;

  constructor(facts: AnswerFacts = {}) {
    this.facts = facts;
  }

  readonly dialect = (script: string, more: Partial<CliDialect> = {}): CliDialect => ({
    program: 'sh',
    variables: ['TINY_*'],
    invoke: () => ({ args: ['-c', script], env: {} }),
    reader: () => ({
      line: (text): LineNews => {
        this.lines.push(text);
        if (text === 'bug') throw new Error('a bug');
        return {
          said: text.slice(0, 5000),
          ...(text === 'stop' ? { overrun: { why: 'looping', detail: 'round and round' } } : {}),
        };
      },
      end: (end) => {
        this.end = end;
        return { ok: true, reply: { outcome: 'done' }, ...this.facts };
      },
    }),
    ...more,
  });
}

interface Given {
  readonly agent?: Partial<Agent>;
  readonly env?: { readonly [name: string]: string };
  readonly requestEnv?: { readonly [name: string]: string };
  readonly clock?: Clock;
}

function ask(dialect: CliDialect, { agent, env = {}, requestEnv = {}, clock = systemClock }: Given = {}) {
  const dir = mkdtempSync(join(home, 'call-'));
  const said: string[] = [];
  const [stop, kill] = [new AbortController(), new AbortController()];
  const ports = {
    commands,
    clock,
    env: { PATH: process.env.PATH, ...env },
    words: ({ code }: { code: string }) => code,
  };
  const request = agentRequest({
    agent: { backend: 'claude', ...agent },
    cwd: dir,
    dir,
    env: requestEnv,
    said: (line) => said.push(line),
  });
  const answer: Promise<AgentAnswer> = new CliAgent(ports, dialect).ask(request, {
    stop: stop.signal,
    kill: kill.signal,
  });
  return { dir, said, stop, answer };
}

const read = (dir: string, name: string): string => readFileSync(join(dir, name), 'utf8');

describe('the driver of coding CLIs', () => {
  it('hands over the prompt, the lines while they come, and the reply', async () => {
    const notes = new Notes();
    const { answer, dir, said } = ask(
      notes.dialect(
        'cat > got; echo one; until [ -e go ]; do sleep 0.01; done; printf "two\\n\\nthree"; echo oops >&2',
      ),
    );
    await until(() => said.includes('one'));
    writeFileSync(join(dir, 'go'), '');
    expect(await answer).toEqual({ ok: true, reply: { outcome: 'done' } });
    expect(notes.lines).toEqual(['one', 'two', 'three']);
    expect(notes.end).toEqual({ stderr: 'oops' });
    expect(read(dir, 'got')).toBe('do it\n');
    expect(read(dir, 'prompt.md')).toBe('do it\n');
    expect(read(dir, 'events.jsonl')).toBe('one\ntwo\n\nthree');
    expect(read(dir, 'stderr.log')).toBe('oops\n');
    expect(JSON.parse(read(dir, 'reply.json'))).toEqual({ outcome: 'done' });
  });

  it('stands huge lines, bytes that are no text, and characters cut in two', async () => {
    const notes = new Notes();
    const script = `head -c 3000000 /dev/zero | tr '\\0' x; echo; printf '\\377\\376\\n'; printf '\\303'; sleep 0.3; printf '\\274ber\\n'`;
    const { answer, said } = ask(notes.dialect(script));
    expect(await answer).toMatchObject({ ok: true });
    expect(notes.lines.map((line) => line.length)).toEqual([3_000_000, 2, 4]);
    expect(notes.lines[2]).toBe('über');
    expect(Math.max(...said.map((line) => line.length))).toBeLessThanOrEqual(300);
  });

  it('gives a program the variables that are named, and no others', async () => {
    const env = { TINY_KEY: 'k', OTHER_KEY: 'o', WANTED_A: 'a', SECRET: 's', AUTORESEARCH_WARDEN: 'forged,' };
    const invoke = (): ReturnType<CliDialect['invoke']> => ({
      args: ['-c', 'env > env'],
      env: { TINY_FIXED: 'guard' },
      files: { [join(home, 'settings.json')]: '{}' },
    });
    const requestEnv = { AUTORESEARCH_TASK: 't', TINY_FIXED: 'mine' };
    for (const passEnv of [['WANTED_*'], ['WANTED_*', 'AUTORESEARCH_*']]) {
      const given = { agent: { passEnv }, env: { ...env, TINY_FIXED: 'theirs' }, requestEnv };
      const { answer, dir } = ask(new Notes().dialect('', { invoke }), given);
      expect(await answer).toMatchObject({ ok: true });
      const got = read(dir, 'env').split('\n');
      expect(got).toEqual(
        expect.arrayContaining(['TINY_KEY=k', 'WANTED_A=a', 'AUTORESEARCH_TASK=t', 'TINY_FIXED=guard']),
      );
      expect(got.join(' ')).not.toMatch(/OTHER_KEY|SECRET|forged/);
      expect(read(home, 'settings.json')).toBe('{}');
    }
  });

  it('says how to get a program that is not there', async () => {
    const missing = ask(new Notes().dialect('', { program: 'gemini' }), { env: { PATH: home } });
    expect(await missing.answer).toEqual({
      ok: false,
      why: 'not-installed',
      detail: 'gemini is not on the PATH; install it with npm install -g @google/gemini-cli',
    });
    const path = join(home, 'elsewhere');
    const wrong = ask(new Notes().dialect('', { program: 'codex' }), { agent: { path } });
    expect(await wrong.answer).toMatchObject({ why: 'not-installed', detail: expect.stringContaining(path) });
  });

  it('does not take an exit code of 127 for a program that is not there', async () => {
    const notes = new Notes();
    expect(await ask(notes.dialect('exit 127')).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(notes.end).toMatchObject({ failure: { code: 'command-failed', exitCode: 127 }, words: 'command-failed' });
  });

  it('believes no answer of a program that failed or was killed', async () => {
    expect(await ask(new Notes().dialect('echo fine; exit 3')).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(await ask(new Notes().dialect('echo fine; kill -9 $$')).answer).toMatchObject({ ok: false, why: 'crashed' });
  });

  it('finds the program of the config', async () => {
    const path = join(home, 'my cli');
    writeFileSync(path, '#!/bin/sh\necho mine "$@"\n');
    chmodSync(path, 0o755);
    const notes = new Notes();
    const dialect = notes.dialect('', { invoke: () => ({ args: ['a b', ''], env: {} }) });
    expect(await ask(dialect, { agent: { path } }).answer).toMatchObject({ ok: true });
    expect(notes.lines).toEqual(['mine a b ']);
  });

  it('hides keys in what it passes on', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnop';
    const notes = new Notes();
    const { answer, said } = ask(notes.dialect(`echo using ${key}; echo bad key ${key} >&2`));
    await answer;
    expect(said).toEqual(['using [redacted]']);
    expect(notes.end?.stderr).toBe('bad key [redacted]');
    const telling = notes.dialect('true', {
      reader: () => ({ line: () => ({}), end: () => ({ ok: false, why: 'crashed', detail: `it said ${key}` }) }),
    });
    expect(await ask(telling).answer).toMatchObject({ detail: 'it said [redacted]' });
  });

  it('ends a program that crossed a limit of its own, whatever the dialect says in the end', async () => {
    const notes = new Notes({ usd: 0.1, tokens: { input: 1, output: 1 }, turns: 4, session: { id: 's' } });
    const script = `trap 'echo heard; exit 0' INT; echo stop; while :; do sleep 0.01; done`;
    const { answer } = ask(notes.dialect(script), { agent: { limits: { usd: 1 } } });
    expect(await answer).toEqual({
      ok: false,
      why: 'looping',
      detail: 'round and round',
      turns: 4,
      session: { id: 's' },
    });
    expect(notes.lines).toEqual(['stop', 'heard']);
    expect(notes.end?.overrun?.why).toBe('looping');
  });

  it('finds the overrun also when the program was quicker, and keeps a cost above the cap', async () => {
    const notes = new Notes({ usd: 7 });
    const { answer } = ask(notes.dialect('printf stop'), { agent: { limits: { usd: 1 } } });
    expect(await answer).toMatchObject({ ok: false, why: 'looping', usd: 7 });
  });

  it('ends one that is silent or takes too long, with what it started in other sessions', async () => {
    const breakOut = `setsid sh -c 'trap "" INT TERM HUP; echo $$ > pid; while :; do sleep 0.01; done' &`;
    const hasPid = (dir: string): boolean => existsSync(join(dir, 'pid')) && read(dir, 'pid').endsWith('\n');
    const gone = (dir: string): Promise<void> => until(() => knownProcess(Number(read(dir, 'pid'))).started === '');
    const facts = new Notes({ usd: 0, turns: 1 });
    const quiet = new FakeClock();
    const idle = ask(facts.dialect(`${breakOut} wait`), { agent: { limits: { idle: '400ms' } }, clock: quiet });
    await until(() => hasPid(idle.dir));
    quiet.advance(400);
    expect(await idle.answer).toEqual({ ok: false, why: 'idle', detail: 'idle-timed-out', turns: 1 });
    await gone(idle.dir);
    const chatty = `${breakOut} trap '' INT; while :; do echo x; sleep 0.05; done`;
    const slowly = new FakeClock();
    const slow = ask(new Notes().dialect(chatty), {
      agent: { limits: { timeout: '1s', idle: '700ms' } },
      clock: slowly,
    });
    await until(() => hasPid(slow.dir));
    for (let said = 0, passed = 0; passed < 1000; passed += 250) {
      await until(() => read(slow.dir, 'events.jsonl').length > said);
      said = read(slow.dir, 'events.jsonl').length;
      slowly.advance(250);
    }
    expect(await slow.answer).toEqual({ ok: false, why: 'timed-out', detail: 'timed-out' });
    await gone(slow.dir);
    const stopped = ask(new Notes().dialect(`${breakOut} wait`));
    await until(() => hasPid(stopped.dir));
    stopped.stop.abort('SIGINT');
    expect(await stopped.answer).toEqual({ ok: false, why: 'cancelled', detail: 'cancelled' });
    await gone(stopped.dir);
  });

  it('ends the program and tells of the bug when a reader throws', async () => {
    const { answer } = ask(new Notes().dialect('echo bug; sleep 1000'));
    await expect(answer).rejects.toThrow('a bug');
  });
});

describe('following a file', () => {
  it('leaves alone what was there before, and drops a line that is beyond all measure', () => {
    const file = join(home, 'tail');
    writeFileSync(file, 'old\n');
    const lines: string[] = [];
    const tail = new LineTail(file);
    const look = (): void => tail.look((line) => lines.push(line));
    look();
    appendFileSync(file, 'ne');
    look();
    expect(lines).toEqual([]);
    appendFileSync(file, 'w\n');
    look();
    appendFileSync(file, Buffer.alloc(70 * 1024 * 1024, 'x'));
    look();
    appendFileSync(file, '\nlast');
    look();
    tail.rest((line) => lines.push(line));
    expect(lines).toEqual(['new', 'last']);
  });
});
