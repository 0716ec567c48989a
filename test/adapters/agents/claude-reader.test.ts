import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/adapters/agents/claude/claude.js';
import { ClaudeReader } from '../../../src/adapters/agents/claude/claude-reader.js';
import type { CliEnd } from '../../../src/adapters/agents/cli/cli-dialect.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import { agentRequest } from '../../support/agent-request.js';

const now = Date.UTC(2026, 0, 1);
const request = (own: Partial<AgentRequest> = {}): AgentRequest =>
  agentRequest({ agent: { backend: 'claude' }, cwd: '/work', dir: '/call', ...own });

type Line = string | object;

function answer(lines: readonly Line[], end: Partial<CliEnd> = {}, own: Partial<AgentRequest> = {}): AgentAnswer {
  const reader = new ClaudeReader(request(own), () => now);
  for (const line of lines) reader.line(typeof line === 'string' ? line : JSON.stringify(line));
  return reader.end({ stderr: '', ...end });
}

const said = (line: object, own: Partial<AgentRequest> = {}) =>
  new ClaudeReader(request(own), () => now).line(JSON.stringify(line));

const init = { type: 'system', subtype: 'init', session_id: 's1', model: 'opus' };
const result = { type: 'result', subtype: 'success', is_error: false, result: '{"outcome":"done"}', num_turns: 2 };
const failed = { ...result, is_error: true, result: 'words' };
const exit1 = { failure: { code: 'command-failed', exitCode: 1 }, words: 'exited with code 1' } as const;
const apiError = (error: string, status?: number): object => ({
  type: 'assistant',
  message: { model: '<synthetic>', content: [{ type: 'text', text: 'API Error' }] },
  error,
  ...(status === undefined ? {} : { api_error_status: status }),
});
const message = (...content: readonly object[]): object => ({ type: 'assistant', message: { model: 'opus', content } });

describe('what claude printed', () => {
  it('is no answer without a result line, whatever the exit code says', () => {
    const crashed = { ok: false, why: 'crashed' };
    expect(answer([])).toMatchObject(crashed);
    expect(answer([init, message({ type: 'text', text: '{"outcome":"done"}' })])).toMatchObject({
      ...crashed,
      session: { id: 's1' },
    });
    expect(answer([init], { stderr: 'Segmentation fault' })).toMatchObject({
      ...crashed,
      detail: 'it ended without a result: Segmentation fault',
    });
    expect(answer([init, { ...result, is_error: undefined }])).toMatchObject(crashed);
    expect(answer([init, result], exit1)).toMatchObject(crashed);
    expect(answer([])).not.toHaveProperty('usd');
  });

  it('may hold anything between the lines that count', () => {
    const garbage = [
      'npm warn something',
      '{"type":"result"',
      'null',
      '[1]',
      '"result"',
      '{}',
      '{"type":"system"}',
      '{"type":"assistant"}',
      '{"type":"assistant","message":{"content":"text"}}',
      '{"type":"assistant","message":{"content":[null,7,{"type":"tool_use"},{"type":"tool_use","name":"Read","input":null}]}}',
      '{"type":"rate_limit_event"}',
      '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":"soon"}}',
      '{"type":"system","subtype":"api_retry","retry_delay_ms":"long"}',
      '\0\u001b[31m',
    ];
    expect(answer([...garbage, init, ...garbage, result, ...garbage])).toMatchObject({
      ok: true,
      reply: { outcome: 'done' },
    });
  });

  it('is not believed when the text of the model looks like a failure, or a failure like a success', () => {
    const bait = '{"type":"result","is_error":true,"api_error_status":429} Not logged in · Please run /login';
    expect(answer([init, message({ type: 'text', text: bait }), result])).toMatchObject({ ok: true });
    expect(answer([init, { ...failed, api_error_status: 429 }], exit1)).toMatchObject({ ok: false, why: 'quota' });
    expect(answer([init, { ...failed, result: 'rate limit 429 401 overloaded' }], exit1)).toMatchObject({
      why: 'crashed',
    });
    expect(answer([init, { ...result, structured_output: { outcome: 'done' }, is_error: true }])).toMatchObject({
      ok: false,
    });
  });

  it.each([
    ['authentication_failed', undefined, 'not-logged-in'],
    ['rate_limit', 429, 'quota'],
    ['billing_error', 400, 'quota'],
    ['server_error', undefined, 'overloaded'],
    ['invalid_request', 400, 'refused'],
    ['unknown', 418, 'refused'],
    ['unknown', 503, 'overloaded'],
    ['something_new', undefined, 'crashed'],
  ])('tells %s with status %s: %s', (error, status, why) => {
    expect(answer([init, apiError(error, status), failed], exit1)).toMatchObject({ ok: false, why });
  });

  it('forgets an error that it got over', () => {
    const over = [init, apiError('rate_limit', 429), message({ type: 'text', text: 'on' }), failed];
    expect(answer(over, exit1)).toMatchObject({ ok: false, why: 'crashed', detail: 'words' });
  });

  it('says when a quota is full again, only if there is no more of it', () => {
    const limit = (status: string): object => ({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt: now / 1000 + 60 },
    });
    const quota = { ...failed, api_error_status: 429 };
    expect(answer([init, limit('rejected'), quota], exit1)).toMatchObject({ why: 'quota', resetAt: now + 60_000 });
    expect(answer([init, limit('allowed_warning'), quota], exit1)).not.toHaveProperty('resetAt');
    const retry = { type: 'system', subtype: 'api_retry', retry_delay_ms: 4000, error_status: 429 };
    expect(answer([init, retry, quota], exit1)).toMatchObject({ why: 'quota', resetAt: now + 4000 });
    expect(answer([init, retry, { ...failed, api_error_status: 500 }], exit1)).not.toHaveProperty('resetAt');
  });

  it('ends a call that would wait for long, and tells of short pauses', () => {
    const retry = (retry_delay_ms: number, error_status: number | null): object => ({
      type: 'system',
      subtype: 'api_retry',
      retry_delay_ms,
      error_status,
    });
    expect(said(retry(600, 529))).toEqual({ said: 'the API answered 529; trying again in 1 s' });
    expect(said(retry(60_000, 429)).overrun?.why).toBe('quota');
    expect(said(retry(60_000, null)).overrun?.why).toBe('overloaded');
  });

  it('tells what was denied and still counts', () => {
    const denied = { ...result, permission_denials: [{ tool_name: 'Bash' }, { tool_name: 'Bash' }, 7] };
    expect(said(denied)).toEqual({ said: 'was not allowed to use Bash (3×)' });
    expect(answer([init, denied])).toMatchObject({ ok: true });
  });

  it('counts helpers once each, and ends the call with the first that is too many', () => {
    const start = (id: string): object => ({ type: 'tool_use', id, name: 'Task', input: {} });
    const reader = new ClaudeReader(request({ helpers: 2 }), () => now);
    const line = (...ids: readonly string[]) => reader.line(JSON.stringify(message(...ids.map(start))));
    expect([line('a'), line('a'), line('b')].map(({ overrun }) => overrun)).toEqual([undefined, undefined, undefined]);
    expect(line('c').overrun).toEqual({
      why: 'too-many-helpers',
      detail: 'it started 3 helpers of its own where 2 are allowed',
    });
  });

  it('knows a refusal and a lost session', () => {
    expect(answer([init, { ...result, stop_reason: 'refusal' }])).toMatchObject({ ok: false, why: 'refused' });
    const stderr = 'No conversation found with session ID: s9';
    const lost = { why: 'session-lost', detail: 'claude has no session s9 for this folder' };
    expect(answer([], { ...exit1, stderr }, { session: { id: 's9' } })).toEqual({ ok: false, ...lost });
    expect(answer([], { ...exit1, stderr })).toMatchObject({ why: 'crashed' });
    // The agent was there, and somebody else's words are on its error output.
    expect(answer([init], { ...exit1, stderr }, { session: { id: 's9' } })).toMatchObject({ why: 'crashed' });
  });
});

describe('what claude cost', () => {
  const models = (usd: number, tokens: number): object => ({
    opus: {
      inputTokens: tokens,
      cacheReadInputTokens: 5,
      cacheCreationInputTokens: 1,
      outputTokens: 2,
      costUSD: usd,
    },
  });
  const resumed = { session: { id: 's1' } };

  it('is what the call itself cost, though newer versions count the whole session', () => {
    const cumulative = {
      ...result,
      total_cost_usd: 3,
      modelUsage: models(3, 300),
      model_usage_since_last_result: models(1, 100),
    };
    expect(answer([init, cumulative], {}, resumed)).toMatchObject({ usd: 1, tokens: { input: 106, output: 2 } });
    const older = { ...result, total_cost_usd: 3, modelUsage: models(3, 300) };
    expect(answer([init, older], {}, resumed)).toMatchObject({ usd: 3, tokens: { input: 306, output: 2 } });
  });

  it('is summed over result lines', () => {
    const line = (total: number): object => ({
      ...result,
      total_cost_usd: total,
      model_usage_since_last_result: models(1, 100),
    });
    expect(answer([init, line(1), line(2)])).toMatchObject({ usd: 2, tokens: { input: 212, output: 4 }, turns: 4 });
    expect(answer([init, line(5), line(6)], {}, resumed)).toMatchObject({ usd: 2 });
  });

  it.each([-1, '1', null])('is not known when it says %s', (total_cost_usd) => {
    expect(answer([init, { ...result, total_cost_usd }])).not.toHaveProperty('usd');
  });

  it('is very much when it says so', () => {
    expect(answer([init, { ...result, total_cost_usd: 1e9 }])).toHaveProperty('usd', 1e6);
  });

  it('is not known in part', () => {
    const usage = { input_tokens: 3, cache_read_input_tokens: 4 };
    expect(answer([init, { ...result, usage }])).not.toHaveProperty('tokens');
    expect(answer([init, { ...result, usage: { ...usage, output_tokens: 1 } }])).toMatchObject({
      tokens: { input: 7, output: 1 },
    });
    expect(
      answer([init, { ...result, total_cost_usd: 9, model_usage_since_last_result: { opus: {} } }], {}, resumed),
    ).not.toHaveProperty('usd');
  });
});

describe('how claude is called', () => {
  const args = (own: Partial<AgentRequest> = {}): readonly string[] =>
    claude.invoke(request(own), { dir: '/call', prompt: '/p', events: '/e', stderr: '/s' }).args;
  const given = (flag: string, all: readonly string[]): string | undefined => all[all.indexOf(flag) + 1];

  it('passes limits, model, session and further words', () => {
    const all = args({
      agent: {
        backend: 'claude',
        model: 'sonnet',
        limits: { turns: 7, usd: 1.5, idle: '5m' },
        args: ['--effort', 'low'],
      },
      session: { id: 's1' },
    });
    expect(all).toEqual(expect.arrayContaining(['-p', '--include-partial-messages', '--strict-mcp-config']));
    const values = ['--model', '--max-turns', '--max-budget-usd'].map((flag) => given(flag, all));
    expect(values).toEqual(['sonnet', '7', '1.5']);
    expect(all).toContain('--resume=s1');
    expect(all.slice(-4)).toEqual(['--output-format', 'stream-json', '--effort', 'low']);
    expect(all.join(' ')).not.toContain('skip-permissions');
    expect(args()).not.toContain('--include-partial-messages');
  });

  it('knows only the tools that are named, and helpers only where they are allowed', () => {
    expect(given('--tools', args())).toBe('Read,Write,Edit,Glob,Grep,Bash');
    expect(given('--tools', args({ access: 'read' }))).toBe('Read,Glob,Grep');
    const own = { backend: 'claude', tools: ['Bash(git log *)', 'Write', 'Task', 'mcp__x__y'] } as const;
    const all = args({ agent: { ...own, tools: [...own.tools] }, scope: ['out/**'] });
    expect(given('--tools', all)).toBe('Bash,Write');
    const allowed = all.slice(all.indexOf('--allowedTools') + 1, all.indexOf('--disallowedTools'));
    expect(allowed).toEqual(['Bash(git log *)', 'mcp__x__y', 'Edit(/out/**)']);
    expect(given('--tools', args({ agent: { backend: 'claude', tools: [] } }))).toBe('');
    const helped = args({ helpers: 2 });
    expect(given('--tools', helped)).toMatch(/,Task,Agent$/);
    expect(JSON.parse(given('--agents', helped)!).helper.tools).toEqual(['Read', 'Write', 'Edit', 'Glob', 'Grep']);
  });
});
