import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patientFetch } from '../../../../src/adapters/agents/api/patient-fetch.js';
import type { AgentTrouble } from '../../../../src/model/agents/agent.js';
import { type ChatTurn, startFakeChat } from '../../../support/fake-chat.js';
import { allText, apiRig, done, key, newFolder } from './api-rig.js';

const rig = apiRig();
const raw = (message: string): string => JSON.stringify({ error: { message } });

describe('what an endpoint can say', () => {
  it.each<[ChatTurn, AgentTrouble, string, number]>([
    [{ status: 401 }, 'not-logged-in', '401: no', 1],
    [{ status: 403 }, 'not-logged-in', '403: no', 1],
    [{ status: 429 }, 'quota', '429: no', 1],
    [{ status: 402, raw: '{"detail":"pay"}' }, 'quota', '402: pay', 1],
    [{ status: 400, raw: raw('bad \u001b[31mwords') }, 'refused', '400: bad words', 1],
    [{ status: 404, raw: '{"error":"model not found"}' }, 'refused', '404: model not found', 1],
    [{ status: 500, raw: '<html>oops' }, 'overloaded', '500: <html>oops', 3],
    [{ status: 529 }, 'overloaded', '529: no', 3],
    [{ raw: 'hello' }, 'crashed', 'did not answer with a JSON object', 1],
    [{ raw: '[]' }, 'crashed', 'did not answer with a JSON object', 1],
    [{ raw: '{"choices":[]}' }, 'crashed', 'without a message', 1],
    [{ raw: `"${'x'.repeat(11 << 20)}"` }, 'crashed', 'more than 10 MB', 1],
    [{ cut: true }, 'overloaded', 'cannot be reached', 3],
  ])('case %#', async (turn, why, words, requests) => {
    const answer = await rig.ask([turn]).answer;
    expect(answer).toMatchObject({ ok: false, why, detail: expect.stringContaining(words) });
    expect(rig.chat.requests).toHaveLength(requests);
    // What ended without a word about its cost is not known to have been free.
    if (turn.cut || (turn.raw && turn.status === undefined)) expect(answer).not.toHaveProperty('tokens');
    else expect(answer).toMatchObject({ tokens: { input: 0, output: 0 } });
  });

  it('is tried again when it was busy for a moment', async () => {
    const { answer, said } = rig.ask([{ status: 503 }, { status: 500 }, done]);
    expect(await answer).toMatchObject({ ok: true, turns: 1 });
    expect(said[0]).toContain('503');
  });

  it.each<[Record<string, string>, (now: number) => number]>([
    [{ 'retry-after': '120' }, (now) => now + 120_000],
    [{ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }, (now) => now + 3_600_000],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, (now) => now + 360_000],
    [{ 'x-ratelimit-reset-requests': '90' }, (now) => now + 90_000],
  ])('says when the quota is full again: %j', async (headers, expected) => {
    const answer = await rig.ask([{ status: 429, headers }]).answer;
    const resetAt = 'resetAt' in answer ? (answer.resetAt ?? 0) : 0;
    expect(Math.abs(resetAt - expected(Date.now()))).toBeLessThan(60_000);
  });

  it('gives no time that is nonsense', async () => {
    for (const value of ['never', '-5', '99999999'])
      expect(await rig.ask([{ status: 429, headers: { 'retry-after': value } }]).answer).not.toHaveProperty('resetAt');
  });

  it('counts as overloaded where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const answer = await rig.ask([done], { agent: { baseUrl: `http://127.0.0.1:${port}/v1` } }).answer;
    expect(answer).toMatchObject({
      ok: false,
      why: 'overloaded',
      detail: `127.0.0.1:${port} cannot be reached (ECONNREFUSED)`,
      tokens: { input: 0, output: 0 },
    });
  });

  it.each([undefined, 'nonsense', 'file:///etc/passwd', 'http://me:hunter2@127.0.0.1/v1'])(
    'is not asked at %s',
    async (baseUrl) => {
      const { baseUrl: _, ...rest } = { baseUrl: '' };
      const answer = await rig.ask([done], { agent: { ...rest, baseUrl: baseUrl as string } }).answer;
      expect(answer).toMatchObject({ ok: false, why: 'refused' });
      expect(JSON.stringify(answer)).not.toContain('hunter2');
    },
  );
});

describe('an endpoint that thinks for long', () => {
  it('is given up by the limit of the step alone', async () => {
    rig.chat.script([{ silent: true }]);
    // That a short patience is kept shows that the long one is.
    await expect(patientFetch(100)(rig.chat.baseUrl)).rejects.toMatchObject({
      cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
    });
  });
});

describe('the key', () => {
  it('has to be there', async () => {
    for (const env of [{}, { FAKE_KEY: ' ' }])
      expect(await rig.ask([done], { env }).answer).toMatchObject({
        ok: false,
        why: 'not-logged-in',
        detail: 'the environment variable FAKE_KEY is not set',
      });
    const odd = await rig.ask([done], { env: { FAKE_KEY: 'two\nlines-of-a-key' } }).answer;
    expect(odd).toMatchObject({ ok: false, why: 'not-logged-in' });
    expect(JSON.stringify(odd)).not.toContain('lines-of-a-key');
    expect(rig.chat.requests).toHaveLength(0);
  });

  it.each([301, 302, 307, 308])('is not carried to where a %d points', async (status) => {
    const other = await startFakeChat();
    try {
      const headers = { location: `${other.baseUrl}/chat/completions?stolen=1` };
      expect(await rig.ask([{ status, headers }]).answer).toMatchObject({ ok: false, why: 'refused' });
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('is in no file, no line and no answer, whoever says it', async () => {
    const unicode = [...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const [sessionsDir, cwd] = [newFolder(), newFolder()];
    writeFileSync(join(cwd, 'leak'), `KEY=${key}\n`);
    const said: string[][] = [];
    const answers: unknown[] = [];
    const ways: ChatTurn[][] = [
      // The endpoint repeats it in an error, as some do.
      [{ status: 401, raw: raw(`Incorrect API key provided: ${key}`) }],
      [{ status: 400, raw: `wrong: Bearer ${key}` }],
      // It says it in its own words, escaped too.
      [{ text: key, calls: [['finish', { outcome: key }]] }],
      [{ calls: [['finish', `{"outcome": "${unicode}"}`]] }],
      [{ text: key }, { calls: [[key, {}]] }, done],
      [
        {
          raw: JSON.stringify({
            model: key,
            choices: [{ message: { tool_calls: [{ function: { name: 'finish', arguments: '{}' } }] } }],
          }),
        },
      ],
      [{ calls: [['read_file', { path: key }]] }, done],
      // It lies about in a file, and a command prints it.
      [
        { calls: [['run_command', { command: 'cat leak; cat leak >&2' }]] },
        { calls: [['read_file', { path: 'leak' }]] },
        done,
      ],
    ];
    for (const way of ways) {
      const asked = rig.ask(way, {
        cwd,
        sessionsDir,
        agent: { tools: ['run_command', 'read_file'] },
        request: { prompt: `hm ${key}` },
      });
      answers.push(await asked.answer);
      said.push(asked.said);
      const forms = [key, JSON.stringify(key).slice(1, -1), JSON.stringify(JSON.stringify(key)).slice(3, -3)];
      for (const form of forms) expect(allText(asked.dir)).not.toContain(form);
    }
    for (const text of [JSON.stringify(answers), JSON.stringify(said), allText(sessionsDir)])
      expect(text).not.toContain('0123456789');
    expect(JSON.stringify(answers)).toContain('[redacted]');
  });
});
