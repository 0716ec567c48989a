import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CliEnd, LineNews } from '../../../src/adapters/agents/cli/cli-dialect.js';
import { codex } from '../../../src/adapters/agents/codex/codex.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import { agentRequest } from '../../support/agent-request.js';

const thread = { type: 'thread.started', thread_id: 't1' };
const message = (text: string): object => ({ type: 'item.completed', item: { id: 'm', type: 'agent_message', text } });
const completed = (input: number, output: number): object => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
});
const failed = (text: string): object => ({ type: 'turn.failed', error: { message: text } });
const command = (id: number, output = '', status = 'completed'): object => ({
  type: 'item.completed',
  item: {
    id: `item_${id}`,
    type: 'command_execution',
    command: "/bin/bash -lc 'ls -l'",
    aggregated_output: output,
    status,
  },
});
const fine = [thread, message('{"outcome":"done"}'), completed(10, 5)];

interface Read {
  readonly news: readonly LineNews[];
  readonly answer: AgentAnswer;
}

function read(
  lines: readonly (object | string)[],
  own: Partial<AgentRequest> = {},
  end: CliEnd = { stderr: '' },
): Read {
  const reader = codex.reader(agentRequest({ agent: { backend: 'codex' }, cwd: '/w', dir: '/d', ...own }), { env: {} });
  const news = lines.map((line) => reader.line(typeof line === 'string' ? line : JSON.stringify(line)));
  return { news, answer: reader.end(end) };
}

const exited = (exitCode: number, stderr = ''): CliEnd => ({
  failure: { code: 'command-failed', exitCode },
  words: `exit code ${exitCode}`,
  stderr,
});

describe('what codex printed', () => {
  it('is an answer when its turn was completed, whatever garbage stands between', () => {
    const garbage = [
      '',
      'no json',
      '[1]',
      'null',
      '{"type":7}',
      '{"type":"item.completed"}',
      '{"type":"thread.started"}',
    ];
    const { answer, news } = read([...garbage, ...fine, ...garbage]);
    const session = { id: 't1', tokens: { input: 10, output: 5 } };
    expect(answer).toEqual({
      ok: true,
      reply: { outcome: 'done' },
      turns: 1,
      tokens: { input: 10, output: 5 },
      session,
    });
    expect(news.every((one) => one.overrun === undefined && one.said === undefined)).toBe(true);
  });

  it('is none without the end of the turn, though it exits with 0', () => {
    expect(read([thread, message('{"outcome":"done"}')]).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(read([]).answer).toEqual({ ok: false, why: 'crashed', detail: 'it ended without an answer' });
  });

  it('is none when the process failed all the same, or when a later turn failed', () => {
    expect(read(fine, {}, exited(3)).answer).toMatchObject({ ok: false, why: 'crashed', detail: 'exit code 3' });
    expect(read([...fine, failed('Quota exceeded.')]).answer).toMatchObject({ ok: false, why: 'quota' });
  });

  it('does not count against a limit that ended it', () => {
    const late: CliEnd = { failure: { code: 'timed-out', afterMs: 5 }, words: 'too long', stderr: '' };
    expect(read(fine, {}, late).answer).toMatchObject({ ok: false, why: 'timed-out', detail: 'too long' });
    const quiet: CliEnd = { failure: { code: 'idle-timed-out', afterMs: 5 }, words: 'silent', stderr: '' };
    expect(read([...fine, failed('x')], {}, quiet).answer).toMatchObject({ ok: false, why: 'idle' });
    const gone: CliEnd = { failure: { code: 'command-not-found', command: 'codex' }, words: 'no codex', stderr: '' };
    expect(read([], {}, gone).answer).toEqual({ ok: false, why: 'not-installed', detail: 'no codex' });
  });

  it('takes the reply from the last message only', () => {
    const lines = [thread, message('{"outcome":"done"}'), message('I have thought again.'), completed(1, 1)];
    expect(read(lines).answer).toMatchObject({ ok: true, reply: undefined });
  });

  it('warns without harm, and reconnects in words', () => {
    const warning = { type: 'item.completed', item: { id: 'w', type: 'error', message: 'Quota exceeded. 429' } };
    const retry = { type: 'error', message: 'Reconnecting... 1/5 (exceeded retry limit, last status: 429)' };
    const { answer, news } = read([thread, warning, retry, ...fine.slice(1)], {
      agent: { backend: 'codex', limits: { turns: 1 } },
    });
    expect(answer).toMatchObject({ ok: true });
    expect(news[2]).toEqual({ said: 'Reconnecting... 1/5 (exceeded retry limit, last status: 429)' });
  });
});

describe('why a turn of codex failed', () => {
  it.each([
    ['unexpected status 401 Unauthorized: Incorrect API key provided: k., url: http://h/v1/responses', 'not-logged-in'],
    ['Missing environment variable: `OPENAI_KEY`.', 'not-logged-in'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'quota'],
    ['Quota exceeded. Check your plan and billing details.', 'quota'],
    ['rate limit exceeded: Rate limit reached for gpt-5. Please try again in 1.5s.', 'quota'],
    ['unexpected status 502 Bad Gateway: oh, url: http://h/v1/responses', 'overloaded'],
    ['We’re currently experiencing high demand, which may cause temporary errors.', 'overloaded'],
    ['Selected model is at capacity. Please try a different model.', 'overloaded'],
    ['stream disconnected before completion: error sending request', 'overloaded'],
    ['Connection failed: error sending request', 'overloaded'],
    ['unexpected status 403 Forbidden: Country not supported, url: http://h/v1/responses', 'refused'],
    ['The requested model gpt-x does not exist.', 'refused'],
    // The words of a server or of a file behind the beginning are nobody's quota and nobody's login.
    ['unexpected status 403 Forbidden: unexpected status 401 Unauthorized', 'refused'],
    ['Invalid prompt: "You’ve hit your usage limit. try again at 5:26 PM"', 'refused'],
  ])('%s', (text, why) => {
    expect(read([thread, failed(text)], {}, exited(1)).answer).toMatchObject({ ok: false, why, detail: text });
  });

  it('says when a quota is full again', () => {
    // A minute that was only just reached has come: without a clock of its own this failed at 17:26.
    vi.useFakeTimers({ now: new Date(2026, 10, 17, 12, 0), toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const text = 'You’ve hit your usage limit. Upgrade to Pro (https://x/pro) or try again at 5:26 PM.';
    const { answer } = read([thread, failed(text)], {}, exited(1));
    const at = new Date((answer as { resetAt: number }).resetAt);
    expect([at.getHours(), at.getMinutes(), answer]).toEqual([17, 26, expect.objectContaining({ why: 'quota' })]);
    expect(at.getTime()).toBeGreaterThan(Date.now());
  });

  it('without a turn is told by its own words on standard error, not by its warnings', () => {
    const stderr = `WARNING: proceeding\nerror: unexpected argument '--nosuch' found\n\nUsage: codex exec\n`;
    const detail = `exit code 2: error: unexpected argument '--nosuch' found`;
    expect(read([], {}, exited(2, stderr)).answer).toEqual({ ok: false, why: 'crashed', detail });
  });
});

describe('a session of codex', () => {
  const session = { id: 't1', tokens: { input: 100, output: 40 } };

  it('costs what it has cost since the last time', () => {
    const { answer } = read([thread, completed(160, 45)], { session });
    expect(answer).toMatchObject({ tokens: { input: 60, output: 5 }, session: { tokens: { input: 160, output: 45 } } });
  });

  it('that failed in between is paid with the next call', () => {
    const first = read([thread, failed('Quota exceeded.')], { session }).answer;
    expect(first).not.toHaveProperty('tokens');
    expect(first.session).toEqual(session);
  });

  it('has no known cost when the sum shrank or is no number', () => {
    expect(read([thread, completed(99, 50)], { session }).answer).not.toHaveProperty('tokens');
    expect(read([thread, { type: 'turn.completed', usage: { input_tokens: -1, output_tokens: 'x' } }]).answer).toEqual({
      ok: true,
      reply: undefined,
      turns: 1,
      session: { id: 't1' },
    });
  });

  it('that is another one is lost, at once, and what that one cost is known all the same', () => {
    const { news } = read([{ ...thread, thread_id: 't2' }], { session });
    const overrun = news[0]?.overrun;
    expect(overrun).toMatchObject({ why: 'session-lost' });
    const { answer } = read([{ ...thread, thread_id: 't2' }, completed(7, 3)], { session }, { stderr: '', overrun });
    expect(answer).toEqual({ ok: false, ...overrun, turns: 1, tokens: { input: 7, output: 3 } });
  });

  it('is lost when codex says so before it begins, and only then', () => {
    const stderr = 'Error: thread/resume: thread/resume failed: no rollout found for thread id t1 (code -32600)\n';
    expect(read([], { session }, exited(1, stderr)).answer).toMatchObject({ ok: false, why: 'session-lost' });
    expect(read([thread], { session }, exited(1, stderr)).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(read([], {}, exited(1, stderr)).answer).toMatchObject({ ok: false, why: 'crashed' });
  });
});

describe('the turns of codex', () => {
  const limits = (turns: number): Partial<AgentRequest> => ({ agent: { backend: 'codex', limits: { turns } } });

  it('are uses of tools and the answer; an item that is told twice counts once', () => {
    const started = { ...command(1), type: 'item.started' };
    const { news, answer } = read([thread, started, command(1), command(2), command(3)], limits(3));
    expect(news.map((one) => one.overrun?.why)).toEqual([undefined, undefined, undefined, undefined, 'max-turns']);
    expect(answer).toMatchObject({ turns: 4 });
  });

  it('are used up by a model that only ever plans', () => {
    const plan = { type: 'item.updated', item: { id: 'p', type: 'todo_list', items: [] } };
    const { news } = read([thread, { ...plan, type: 'item.started' }, plan, plan], limits(3));
    expect(news.at(-1)?.overrun?.why).toBe('max-turns');
  });
});

describe('a sandbox that cannot start', () => {
  const words = 'bwrap: No permissions to create a new namespace, likely because …\n';

  it('ends the call with what helps', () => {
    const overrun = read([thread, command(1, words, 'failed')]).news.at(-1)?.overrun;
    expect(overrun).toMatchObject({ why: 'refused', detail: expect.stringContaining('danger-full-access') });
    const { answer } = read([thread, command(1, words, 'failed')], {}, { ...exited(1), overrun });
    expect(answer).toMatchObject({ ok: false, why: 'refused' });
  });

  it('is not what a command says that worked, or after one that did', () => {
    expect(read([thread, command(1, words)]).news.at(-1)?.overrun).toBeUndefined();
    expect(read([thread, command(1), command(2, words, 'failed')]).news.at(-1)?.overrun).toBeUndefined();
    expect(read([thread, command(1, `tests\n${words}`, 'failed')]).news.at(-1)?.overrun).toBeUndefined();
  });
});

describe('what people see of codex', () => {
  const said = (item: object, type = 'item.completed'): string | undefined =>
    read([{ type, item: { id: 'i', ...item } }]).news[0]?.said;

  it('is one short clean line', () => {
    const run = { type: 'command_execution', command: `/bin/bash -lc 'echo \u001b[31mred\u001b[0m\nsecond'` };
    expect(said(run, 'item.started')).toBe('runs echo red');
    const change = {
      type: 'file_change',
      changes: [
        { path: '/w/src/a.ts', kind: 'add' },
        { path: '/w/b', kind: 'update' },
      ],
    };
    expect(said(change)).toBe('changed src/a.ts, b');
    expect(said({ type: 'agent_message', text: `\n\nFirst I look.\nThen I write.` })).toBe('First I look.');
    expect(said({ type: 'agent_message', text: 'x'.repeat(9000) })).toHaveLength(120);
    expect(said({ type: 'agent_message', text: '{"outcome":"done"}' })).toBeUndefined();
    expect(said({ type: 'file_change', changes: 'none' })).toBeUndefined();
  });
});
