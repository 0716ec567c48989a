import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CommandAgent } from '../../../src/adapters/agents/command/command-agent.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import type { AgentLimits } from '../../../src/model/generated/config.js';
import { agentRequest } from '../../support/agent-request.js';
import { until } from '../../support/until.js';

const commands = createCommandRunner({ clock: systemClock, env: process.env, maxSlots: 2, graceMs: 200 });
afterAll(() => commands.close());

interface Asked {
  readonly dir: string;
  readonly answer: Promise<AgentAnswer>;
  readonly asked: Promise<AgentAnswer>;
  readonly stop: AbortController;
}

function ask(run: string, limits?: AgentLimits, own: Partial<AgentRequest> = {}): Asked {
  const dir = mkdtempSync(join(tmpdir(), 'autoresearch-agent-'));
  const agent = new CommandAgent({
    commands,
    clock: systemClock,
    env: { LAB_KEY: 'k-123' },
    prices: { tiny: { input: 100, output: 100 } },
    words: ({ code }) => code,
  });
  const [stop, kill] = [new AbortController(), new AbortController()];
  const asked = agent.ask(
    agentRequest({
      agent: { backend: 'command', run, model: 'tiny', passEnv: ['LAB_*'], ...(limits ? { limits } : {}) },
      role: 'fixer',
      prompt: 'mend it\n',
      cwd: dir,
      dir,
      env: { AUTORESEARCH_TASK: 'a' },
      ...own,
    }),
    { stop: stop.signal, kill: kill.signal },
  );
  // Every call has a session; only the test that is about it looks at it.
  const answer = asked.then(({ session: _, ...rest }) => rest as AgentAnswer);
  return { dir, answer, asked, stop };
}

describe('an agent that is a command', () => {
  it('is believed about an absurd sum as far as it can be counted: that is no reason to take it for a small one', async () => {
    for (const usd of ['1500000', '1e300']) {
      const { answer } = ask(`echo '{"outcome":"done","summary":"ok","usd":${usd}}'`, { usd: 2 });
      expect((await answer).usd).toBe(1e6);
    }
    const { answer } = ask(`echo '{"outcome":"done","summary":"ok","usd":-1}'`, { usd: 2 });
    expect((await answer).usd).toBe(undefined);
  });

  it('gets the prompt on its standard input and its place in the environment', async () => {
    const script = `cat > got; env | grep ^AUTORESEARCH_ | sort > env; echo thinking; echo '{"outcome":"done","summary":"ok","usd":0.5}'`;
    const { dir, answer } = ask(script, { usd: 2, turns: 3 });
    expect(await answer).toEqual({ ok: true, reply: { outcome: 'done', summary: 'ok', usd: 0.5 }, usd: 0.5 });
    expect(readFileSync(join(dir, 'got'), 'utf8')).toBe('mend it\n');
    const env = readFileSync(join(dir, 'env'), 'utf8').split('\n');
    expect(env).toEqual(
      expect.arrayContaining([
        'AUTORESEARCH_AGENT=coder',
        'AUTORESEARCH_MAX_TURNS=3',
        'AUTORESEARCH_MAX_USD=2',
        'AUTORESEARCH_MODEL=tiny',
        `AUTORESEARCH_PROMPT_FILE=${dir}/prompt.md`,
        'AUTORESEARCH_ROLE=fixer',
        'AUTORESEARCH_TASK=a',
        `AUTORESEARCH_WORKDIR=${dir}`,
      ]),
    );
  });

  it('that may start helpers has to say how many it did, and not more than it may', async () => {
    const run = (more: string): string => `echo '{"outcome":"done","summary":"ok"${more}}'`;
    const answerTo = (more: string, helpers: number): Promise<AgentAnswer> => ask(run(more), {}, { helpers }).answer;
    const fine = { ok: true, reply: { outcome: 'done', summary: 'ok' } };
    expect(await answerTo(',"helpers":3', 3)).toEqual(fine);
    expect(await answerTo('', 0)).toEqual(fine);
    const over = { ok: false, why: 'too-many-helpers' };
    expect(await answerTo(',"helpers":4', 3)).toMatchObject({
      ...over,
      detail: expect.stringContaining('started 4 helpers'),
    });
    expect(await answerTo(',"helpers":1', 0)).toMatchObject(over);
    for (const silent of ['', ',"helpers":-1', ',"helpers":"2"', ',"helpers":null', ',"helpers":1.5'])
      expect(await answerTo(silent, 3)).toMatchObject({ ...over, detail: expect.stringContaining('does not say') });
  });

  it('that printed a fine reply and then failed has failed, and what it had cost so far is not what it cost', async () => {
    const run = (usd: number): string => `echo '{"outcome":"done","summary":"ok","usd":${usd}}'; exit 1`;
    expect(await ask(run(0), { usd: 2 }).answer).toEqual({ ok: false, why: 'crashed', detail: 'command-failed' });
    expect(await ask(run(5), { usd: 2 }).answer).toEqual({
      ok: false,
      why: 'crashed',
      detail: 'command-failed',
      usd: 5,
    });
  });

  describe('that tells what it has spent while it runs', () => {
    const over = (usd: number, more = {}) => ({
      ok: false,
      why: 'over-cap',
      detail: 'it has cost more than 2 USD',
      usd,
      ...more,
    });
    const goesOn = 'while :; do sleep 0.05; done';

    it('is ended when that is more than its cap, with its children', async () => {
      const { answer } = ask(`echo '{"spent":{"usd":1}}'; echo '{"spent":{"usd":2.5}}'; ${goesOn}`, { usd: 2 });
      expect(await answer).toEqual(over(2.5));
    });

    it('in tokens, which have a price', async () => {
      const { answer } = ask(`echo '{"spent":{"tokens":{"input":20000,"output":5000}}}'; ${goesOn}`, { usd: 2 });
      expect(await answer).toEqual(over(2.5, { isPriced: true }));
    });

    it('does not get away by ending at once, failing, or saying something else afterwards', async () => {
      const spent = `echo '{"spent":{"usd":2.5}}'`;
      const reply = `echo '{"outcome":"done","summary":"ok","usd":0.01}'`;
      for (const run of [`${spent}; ${reply}`, `${spent}; exit 3`, `${spent}; echo '{"spent":{"usd":0}}'; ${reply}`])
        expect(await ask(run, { usd: 2 }).answer).toEqual(over(2.5));
      expect(await ask(`printf '{"spent":{"usd":2.5}}'; exit 3`, { usd: 2 }).answer).toEqual(over(2.5));
      const ignored = `trap '' TERM INT; ${spent}; ${goesOn}`;
      expect(await ask(ignored, { usd: 2 }).answer).toEqual(over(2.5));
    });

    it('is left alone below its cap, without a cap, and by what is no such line', async () => {
      const reply = `echo '{"outcome":"done","summary":"ok"}'`;
      const fine = { ok: true, reply: { outcome: 'done', summary: 'ok' } };
      const told = { ...fine, usd: 2 };
      const lines = ['{"spent":{"usd":2}}', 'it said {"spent":{"usd":9}}', '{"text":{"spent":{"usd":9}}}'];
      const said = lines.map((line) => `printf '%s\\n' '${line}'`).join('; ');
      expect(await ask(`${said}; ${reply}`, { usd: 2 }).answer).toEqual(told);
      expect(await ask(`echo '{"spent":{"usd":9}}'; ${reply}`).answer).toEqual({ ...fine, usd: 9 });
    });
  });

  it.each(['{"spent":{"usd":"9"}}', '{"spent":{"usd":-9}}', '{"spent":9}', '{"spent":{"usd":1e999}}', '{"spent":{}}'])(
    'with a cap it is ended by %s: what cannot be read is not believed to be little',
    async (line) => {
      const run = `printf '%s\\n' '${line}'; while :; do sleep 0.05; done`;
      const detail = `it printed ${line}, which says no sum: {"spent": {"usd": 0.04}} would`;
      expect(await ask(run, { usd: 2 }).answer).toEqual({ ok: false, why: 'refused', detail });
    },
  );

  it('cannot say in the end that it cost less than it told before', async () => {
    const run = `echo '{"spent":{"usd":0.15}}'; echo '{"outcome":"done","summary":"ok","usd":0.01}'`;
    for (const limits of [{ usd: 2 }, {}]) expect(await ask(run, limits).answer).toMatchObject({ ok: true, usd: 0.15 });
    const tokens = `echo '{"spent":{"tokens":900}}'; echo '{"outcome":"done","summary":"ok","tokens":0}'`;
    expect(await ask(tokens).answer).toMatchObject({ ok: true, tokens: { input: 0, output: 900 } });
  });

  it('may print more than fits into memory before its reply', async () => {
    const { answer } = ask(`head -c 30000000 /dev/zero | tr '\\0' '{'; echo; echo '{"outcome":"done","summary":"ok"}'`);
    expect(await answer).toEqual({ ok: true, reply: { outcome: 'done', summary: 'ok' } });
  });

  it('says how many tokens it took, or nothing that counts', async () => {
    const run = (tokens: string): string => `printf '%s\\n' '{"outcome":"done","summary":"ok","tokens":${tokens}}'`;
    expect(await ask(run('{"input":900,"output":300}')).answer).toMatchObject({ tokens: { input: 900, output: 300 } });
    expect(await ask(run('1200')).answer).toMatchObject({ tokens: { input: 0, output: 1200 } });
    expect(await ask(run('"many"')).answer).not.toHaveProperty('tokens');
    expect(await ask(run('{"input":-1,"output":3}')).answer).not.toHaveProperty('tokens');
  });

  it.each(['"free"', '-1', 'null', '1e999'])('that says it cost %s says nothing about money', async (usd) => {
    const { answer } = ask(`printf '%s\\n' '{"outcome":"done","summary":"ok","usd":${usd}}'`);
    expect(await answer).not.toHaveProperty('usd');
  });

  it('knows its session, its scope and what it may do, and gets the variables that are passed to it', async () => {
    const script = 'env > env; echo "{}"';
    const { asked, dir } = ask(script, undefined, { session: { id: 's-7' }, scope: ['src/**', 'a b'], access: 'read' });
    expect(await asked).toMatchObject({ session: { id: 's-7' } });
    const env = readFileSync(join(dir, 'env'), 'utf8');
    expect(env).toContain('AUTORESEARCH_SESSION=s-7\n');
    expect(env).toContain('AUTORESEARCH_SCOPE=src/**\na b\n');
    expect(env).toContain('AUTORESEARCH_ACCESS=read\n');
    expect(env).toContain('LAB_KEY=k-123\n');
    const other = await ask('true').asked;
    expect(other.session!.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('what stood in its log before is not its reply', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'autoresearch-agent-'));
    writeFileSync(join(dir, 'stdout.log'), '{"outcome":"done","summary":"planted"}\n');
    expect(await ask('true', undefined, { dir }).answer).toEqual({ ok: true, reply: undefined });
    const shrinks = ask('echo "{\\"outcome\\":\\"done\\"}" > planted; : > stdout.log', undefined, { dir, cwd: dir });
    expect(await shrinks.answer).toEqual({ ok: true, reply: undefined });
  });

  it('that says nothing has no reply', async () => {
    expect(await ask('true').answer).toEqual({ ok: true, reply: undefined });
  });

  it('that takes too long or stays silent is ended, with its children', async () => {
    expect(await ask('sleep 1000', { timeout: '100ms' }).answer).toEqual({
      ok: false,
      why: 'timed-out',
      detail: 'timed-out',
    });
    expect(await ask('setsid sleep 1000 & sleep 1000', { idle: '200ms' }).answer).toEqual({
      ok: false,
      why: 'idle',
      detail: 'idle-timed-out',
    });
  });

  it('is ended when the run is told to stop, and that is no failure of its own', async () => {
    const { answer, stop, dir } = ask('echo here > started; sleep 1000');
    await until(() => existsSync(join(dir, 'started')));
    stop.abort('SIGINT');
    expect(await answer).toEqual({ ok: false, why: 'cancelled', detail: 'cancelled' });
  });
});
