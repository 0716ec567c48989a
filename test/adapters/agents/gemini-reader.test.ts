import { describe, expect, it } from 'vitest';
import type { CliEnd } from '../../../src/adapters/agents/cli/cli-dialect.js';
import { gemini } from '../../../src/adapters/agents/gemini/gemini.js';
import type { AgentRequest } from '../../../src/model/agents/agent.js';
import { agentRequest } from '../../support/agent-request.js';

describe('the lines of gemini', () => {
  const init = { type: 'init', session_id: 's', model: 'm' };
  const text = { type: 'message', role: 'assistant', content: '{"outcome":"done"}', delta: true };
  const result = { type: 'result', timestamp: '2026-11-16T12:00:00Z', status: 'success' };
  const use = (id: string) => ({ type: 'tool_use', tool_name: 'invoke_agent', tool_id: id, parameters: {} });

  function read(lines: readonly object[], end: Partial<CliEnd> = {}, own: Partial<AgentRequest> = {}) {
    const request = agentRequest({ agent: { backend: 'gemini' }, cwd: '/w', dir: '/d', ...own });
    const reader = gemini.reader(request, { env: {} });
    const news = lines.map((line) => reader.line(typeof line === 'string' ? line : JSON.stringify(line)));
    const overrun = news.find((one) => one.overrun)?.overrun;
    return { overrun, answer: reader.end({ stderr: '', ...(overrun ? { overrun } : {}), ...end }) };
  }

  it('are no answer without a result, or before a failure', () => {
    expect(read([init, text]).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(read([init, text, { ...result, status: 'error' }]).answer).toMatchObject({ ok: false, why: 'crashed' });
    const failure = { code: 'command-failed', exitCode: 1 } as const;
    expect(read([init, text, result], { failure }).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(read([]).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(read([init, text, result]).answer).toMatchObject({ ok: true, reply: { outcome: 'done' } });
  });

  it('tell of helpers beyond their number and of a session that is another one', () => {
    expect(read([init, use('1'), use('2')], {}, { helpers: 1 }).overrun).toMatchObject({ why: 'too-many-helpers' });
    const came = { type: 'tool_result', tool_id: '1', status: 'success' };
    expect(read([init, use('1'), came]).overrun).toMatchObject({ why: 'too-many-helpers' });
    expect(read([init, use('1'), { ...came, status: 'error' }]).overrun).toBeUndefined();
    expect(read([init], {}, { session: { id: 'other' } }).overrun).toMatchObject({ why: 'session-lost' });
  });
});
