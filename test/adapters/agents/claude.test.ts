import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelTurn } from '../../support/fake-anthropic.js';
import { ask, done, home, read, reply, uses, writes } from './claude-rig.js';

describe('the real claude', { timeout: 240_000 }, () => {
  it('writes a file and answers in the form asked for', async () => {
    const cwd = mkdtempSync(join(home, 'work-'));
    const usage = { cache_read_input_tokens: 50, cache_creation_input_tokens: 7 };
    const script = [{ text: 'I begin.', ...writes(join(cwd, 'a.txt')), usage }, reply];
    const { answer, dir, said, fake } = await ask(script, {
      cwd,
      agent: { model: 'claude-opus-4-8', limits: { turns: 5, usd: 3 } },
    });
    expect(await answer).toEqual({
      ok: true,
      reply: done,
      usd: expect.any(Number),
      tokens: { input: 257, output: 40 },
      turns: expect.any(Number),
      model: 'claude-opus-4-8',
      session: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(read(join(cwd, 'a.txt'))).toBe('hello\n');
    expect(JSON.parse(read(join(dir, 'reply.json')))).toEqual(done);
    expect(read(join(dir, 'prompt.md'))).toBe('do it\n');
    expect(read(join(dir, 'events.jsonl'))).toContain('"type":"result"');
    expect(said).toEqual(['I begin.', 'Write a.txt']);
    expect(fake.requests[0]).toMatchObject({ model: 'claude-opus-4-8' });
    expect(fake.requests[0]!.text).toContain('do it');
  });

  it('with prose alone has no reply, with JSON at the end of its prose it has', async () => {
    expect(await (await ask([{ text: 'I did what you asked.' }])).answer).toMatchObject({ ok: true, reply: undefined });
    const { answer } = await ask([{ text: `Here:\n${JSON.stringify(done)}` }]);
    expect(await answer).toMatchObject({ ok: true, reply: done });
  });

  it('asks the model even when the prompt looks like a command of its own', async () => {
    const { answer, fake } = await ask([reply], { prompt: '/cost of living: summarise\n' });
    expect(await answer).toMatchObject({ ok: true, reply: done });
    expect(fake.requests[0]!.text).toContain('/cost of living: summarise');
  });

  it('takes no option from the id of a session', async () => {
    const id = '--dangerously-skip-permissions';
    expect(await (await ask([reply], { session: { id } })).answer).toMatchObject({ ok: false, why: 'session-lost' });
  });

  it('is told apart when it runs out of turns or of money, and what it cost is known', async () => {
    const again = (): ModelTurn => uses('Glob', { pattern: `*.${Math.random()}` });
    const turns = await ask(again, { agent: { limits: { turns: 2 } } });
    expect(await turns.answer).toMatchObject({ ok: false, why: 'max-turns', usd: expect.any(Number) });
    const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
    const money = await ask(() => ({ ...again(), usage }), { agent: { limits: { usd: 0.5 } } });
    const answer = await money.answer;
    expect(answer).toMatchObject({ ok: false, why: 'over-cap', tokens: { input: 1_000_000, output: 100_000 } });
    expect(answer.usd).toBeGreaterThan(0.5);
    expect(money.fake.requests).toHaveLength(1);
  });

  it('says when a limit of the subscription is over', async () => {
    const resetAt = Math.floor(Date.now() / 1000) + 7200;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-reset': String(resetAt),
      'retry-after': '7200',
    };
    const token = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-abcdefabcdefabcdefabcdef' };
    const { answer } = await ask([{ status: 429, headers }], { runner: token });
    expect(await answer).toMatchObject({ ok: false, why: 'quota', resetAt: resetAt * 1000 });
  });

  it('does not sit out a long pause of the API', async () => {
    const begun = Date.now();
    const { answer, fake } = await ask([{ status: 429, headers: { 'retry-after': '40' } }]);
    const got = await answer;
    expect(got).toMatchObject({ ok: false, why: 'quota' });
    expect((got as { resetAt: number }).resetAt - begun).toBeGreaterThan(20_000);
    // After the pause it would have asked again.
    expect(fake.requests).toHaveLength(1);
  });

  it.each([
    [500, 'overloaded'],
    [529, 'overloaded'],
    [401, 'not-logged-in'],
    [403, 'not-logged-in'],
    [400, 'refused'],
  ])('tells what the status %d means', async (status, why) => {
    const { answer, fake } = await ask([{ status }]);
    expect(await answer).toMatchObject({ ok: false, why, usd: 0 });
    // A request that is refused is tried again with less in it.
    expect(fake.requests.length).toBeLessThanOrEqual(status === 400 ? 10 : 3);
  });

  it('without a login or a server says so', async () => {
    const out = await ask([reply], { runner: { ANTHROPIC_API_KEY: '' } });
    expect(await out.answer).toMatchObject({ ok: false, why: 'not-logged-in' });
    expect(out.fake.requests).toHaveLength(0);
    const gone = await ask([reply], { runner: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    expect(await gone.answer).toMatchObject({ ok: false, why: 'overloaded' });
  });

  it('is not installed', async () => {
    const nowhere = await ask([reply], { agent: { path: join(home, 'no-claude') } });
    expect(await nowhere.answer).toEqual({
      ok: false,
      why: 'not-installed',
      detail: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
    });
  });

  it('goes on with a session, and each call costs what it costs', async () => {
    const cwd = mkdtempSync(join(home, 'work-'));
    const first = await ask([{ text: 'my word is XYLOPHONE' }], { cwd, prompt: 'remember a word' });
    const one = await first.answer;
    const second = await ask([{ text: 'again' }], { cwd, prompt: 'which word?', session: one.session! });
    const two = await second.answer;
    expect(second.fake.requests[0]!.text).toContain('XYLOPHONE');
    expect(second.fake.requests[0]!.text).toContain('remember a word');
    expect(two).toMatchObject({ ok: true, session: { id: one.session!.id }, tokens: one.tokens });
    expect(two.usd).toBeCloseTo(one.usd!, 8);
  });

  it.each(['11111111-2222-3333-4444-555555555555', 'nonsense'])('says that session %s is lost', async (id) => {
    const { answer, fake } = await ask([reply], { session: { id } });
    expect(await answer).toEqual({ ok: false, why: 'session-lost', detail: expect.stringContaining(id) });
    expect(fake.requests).toHaveLength(0);
  });
});
