import { describe, expect, it } from 'vitest';
import type { CliEnd } from '../../../src/adapters/agents/cli/cli-dialect.js';
import { opencode } from '../../../src/adapters/agents/opencode/opencode.js';
import type { AgentRequest } from '../../../src/model/agents/agent.js';
import { agentRequest } from '../../support/agent-request.js';

describe('the lines of opencode', () => {
  const event = (type: string, part: object) => ({ type, timestamp: 1_000_000, sessionID: 'ses_1', part });
  const start = event('step_start', {});
  const text = event('text', { text: '{"outcome":"done"}' });
  const finish = (reason: string, cost: number) =>
    event('step_finish', {
      reason,
      cost,
      tokens: { input: 5, output: 2, reasoning: 1, cache: { read: 10, write: 0 } },
    });
  const helper = (status: string) => event('tool_use', { tool: 'task', state: { status, input: {} } });

  function read(lines: readonly object[], end: Partial<CliEnd> = {}, own: Partial<AgentRequest> = {}) {
    const request = agentRequest({ agent: { backend: 'opencode' }, cwd: '/w', dir: '/d', ...own });
    const reader = opencode.reader(request, { env: {} });
    const news = lines.map((line) => reader.line(JSON.stringify(line)));
    const overrun = news.find((one) => one.overrun)?.overrun;
    return { overrun, answer: reader.end({ stderr: '', ...(overrun ? { overrun } : {}), ...end }) };
  }

  it('are no answer without a last step that stopped, or before a failure', () => {
    const crashed = { ok: false, why: 'crashed' };
    for (const lines of [
      [],
      [start, text],
      [start, text, finish('length', 0)],
      [start, text, finish('stop', 0), start],
    ])
      expect(read(lines).answer).toMatchObject(crashed);
    const failure = { code: 'command-failed', exitCode: 1 } as const;
    expect(read([start, text, finish('stop', 0)], { failure }).answer).toMatchObject(crashed);
    const error = { ...event('error', {}), error: { name: 'UnknownError', data: { message: 'x' } } };
    expect(read([start, text, finish('stop', 0), error]).answer).toMatchObject(crashed);
  });

  it('know a cost only where every step has one', () => {
    const steps = (...costs: number[]) => costs.flatMap((cost) => [start, text, finish('stop', cost)]);
    expect(read(steps(0.5, 0.25)).answer).toMatchObject({ usd: 0.75, tokens: { input: 30, output: 6 } });
    expect(read(steps(0.5, 0)).answer).not.toHaveProperty('usd');
    expect(read([helper('completed'), ...steps(0.5)], {}, { helpers: 1 }).answer).not.toHaveProperty('usd');
    const failure = { code: 'command-failed', exitCode: 1 } as const;
    expect(read(steps(0.5), { failure }).answer).not.toHaveProperty('usd');
  });

  it('tell of helpers beyond their number, of another session, and of when a quota is back', () => {
    expect(read([helper('completed')]).overrun).toMatchObject({ why: 'too-many-helpers' });
    expect(read([helper('error')]).overrun).toBeUndefined();
    expect(read([start], {}, { session: { id: 'ses_2' } }).overrun).toMatchObject({ why: 'session-lost' });
    const data = { statusCode: 429, message: 'slow down', responseHeaders: { 'retry-after': '60' } };
    const answer = read([{ ...event('error', {}), error: { name: 'APIError', data } }]).answer;
    expect(answer).toMatchObject({ ok: false, why: 'quota', detail: 'slow down', resetAt: 1_060_000 });
  });
});
