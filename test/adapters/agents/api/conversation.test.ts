import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentLimits } from '../../../../src/model/generated/config.js';
import type { ChatTurn } from '../../../support/fake-chat.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { apiRig, done, toldAfter } from './api-rig.js';

const rig = apiRig();
const reply = { outcome: 'done', summary: 'ok' };
const list: ChatTurn = { calls: [['list_files', {}]] };
const info: ChatTurn = { calls: [['get_file_info', { path: 'x' }]] };
const write = (path: string): ChatTurn => ({ calls: [['write_file', { path, content: 'x' }]] });
const said = (call: object, before = ''): ChatTurn => ({ text: `${before}${JSON.stringify(call)}` });

describe('a message in the wrong form', () => {
  it.each<[string, ChatTurn]>([
    ['prose', { text: 'I am done, thank you.' }],
    ['an output', { text: '{"output": "done"}' }],
    ['nothing', { text: null }],
    ['no calls', { text: '', calls: [] }],
    ['arguments that are no JSON', { calls: [['write_file', '{"path": "a", "content": "x']] }],
    ['arguments that are no object', { calls: [['write_file', '["a"]']] }],
    ['an unknown tool', { calls: [['rm_rf', { path: 'a' }]] }],
    [
      'a good call beside a bad one',
      {
        calls: [
          ['write_file', { path: 'a', content: 'x' }],
          ['rm_rf', {}],
        ],
      },
    ],
    [
      'far too many calls',
      { calls: Array.from({ length: 40 }, (_, index) => ['write_file', { path: `a${index}`, content: '' }] as const) },
    ],
  ])('%s: is put right, stricter and cooler, and three are the end', async (_, wrong) => {
    const mended = rig.ask([wrong, wrong, done], { agent: { temperature: 0.8 } });
    expect(await mended.answer).toMatchObject({ ok: true, reply, turns: 3 });
    expect(rig.chat.requests.map(({ body }) => body.temperature)).toEqual([0.8, 0.4, 0.2]);
    expect(toldAfter(rig.chat, 1)).toMatch(/^Your message could not be used/);
    expect(toldAfter(rig.chat, 2)).toMatch(/^Again .*last chance/);
    const lost = rig.ask([wrong, wrong, wrong, done]);
    expect(await lost.answer).toMatchObject({
      ok: false,
      why: 'crashed',
      detail: expect.stringContaining('3 messages in a row'),
      tokens: { input: 300, output: 30 },
    });
    for (const { cwd } of [mended, lost]) expect(readdirSync(cwd)).toEqual([]);
  });

  it('is forgiven after a good one', async () => {
    const prose = { text: 'hm' };
    const { answer } = rig.ask([prose, prose, list, prose, prose, done]);
    expect(await answer).toMatchObject({ ok: true });
    expect(rig.chat.requests.map(({ body }) => body.temperature)).toEqual([0.2, 0.1, 0.05, 0.2, 0.1, 0.05]);
  });
});

describe('calls in the text', () => {
  const text = { agent: { toolCalls: 'text' as const } };

  it('are done, with prose, fences and thoughts before them', async () => {
    const { answer, cwd } = rig.ask(
      [
        said(
          { tool: 'write_file', args: { path: 'a', content: '{"not": "a call"}' }, t: 'begin' },
          '<think>{"tool":"x"}</think>So {I} say:\n```json\n',
        ),
        { text: '```json\n{"tool": "finish", "args": {"outcome": "done", "summary": "ok"}}\n```' },
      ],
      text,
    );
    expect(await answer).toMatchObject({ ok: true, reply });
    expect(existsSync(join(cwd, 'a'))).toBe(true);
    const [first, second] = rig.chat.requests;
    expect(first?.body).not.toHaveProperty('tools');
    expect(first?.body.messages[0]?.content).toContain('- write_file: ');
    expect(second?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(second?.body.messages.at(-1)?.content).toBe('Result of write_file:\nwritten: 17 bytes');
  });

  it.each<[string, ChatTurn]>([
    ['several', { text: '{"tool":"write_file","args":{"path":"a","content":""}} {"tool":"finish","args":{}}' }],
    [
      'an output after the call',
      { text: '{"tool":"write_file","args":{"path":"a","content":""}}\n{"output":"written"}' },
    ],
    ['an output', { text: '{"output": {"tool":"write_file","args":{"path":"a","content":""}}}' }],
    ['no args', { text: '{"tool":"list_files"}' }],
    ['cut off', { text: '{"tool":"write_file","args":{"path":"a","content":"' }],
    ['no name', { text: '{"tool":["finish"],"args":{}}' }],
    ['braces without end', { text: '{"a":'.repeat(100_000) }],
  ])('%s: wrong', async (_, wrong) => {
    const { answer, cwd } = rig.ask([wrong], text);
    expect(await answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('are used by itself, once, where the endpoint takes no tools', async () => {
    const no: ChatTurn = { status: 400, raw: '{"error":{"message":"tiny does not support tools"}}' };
    const { answer } = rig.ask([no, said({ tool: 'list_files', args: {} }), said({ tool: 'finish', args: reply })]);
    expect(await answer).toMatchObject({ ok: true, reply, turns: 2 });
    expect(rig.chat.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false]);
    expect(await rig.ask([no]).answer).toMatchObject({ ok: false, why: 'refused' });
    expect(rig.chat.requests).toHaveLength(2);
  });

  it('and a model without a temperature is asked without, unless one was chosen', async () => {
    const no: ChatTurn = { status: 400, raw: '{"error":{"message":"temperature must be 1"}}' };
    expect(await rig.ask([no, done]).answer).toMatchObject({ ok: true });
    expect(rig.chat.requests.map(({ body }) => 'temperature' in body)).toEqual([true, false]);
    expect(await rig.ask([no, done], { agent: { temperature: 0 } }).answer).toMatchObject({
      ok: false,
      why: 'refused',
    });
  });
});

describe('an agent that turns in circles', () => {
  it('is warned, then ended', async () => {
    expect(await rig.ask([list]).answer).toMatchObject({ ok: false, why: 'looping', turns: 4 });
    expect(toldAfter(rig.chat, 2)).not.toContain('warning');
    expect(toldAfter(rig.chat, 3)).toContain('[warning: you repeat');
    const between = rig.ask((_, index) => [list, info][index % 2]!);
    expect(await between.answer).toMatchObject({ ok: false, why: 'looping', turns: 5 });
    expect(toldAfter(rig.chat, 4)).toContain('[warning: you repeat');
  });

  it('does not do the repeated call, and the order of arguments does not hide it', async () => {
    const run = (index: number): ChatTurn => ({
      calls: [['search_code', index % 2 ? { pattern: 'a', path: '.' } : { path: '.', pattern: 'a' }]],
    });
    expect(await rig.ask((_, index) => run(index)).answer).toMatchObject({ ok: false, why: 'looping', turns: 4 });
  });

  it('may come to its senses', async () => {
    expect(await rig.ask([list, list, list, info, done]).answer).toMatchObject({ ok: true });
    expect(await rig.ask([list, info, list, info, done]).answer).toMatchObject({ ok: true });
    expect(await rig.ask([list, list, info, list, list, done]).answer).toMatchObject({ ok: true });
  });
});

describe('limits', () => {
  const files = (_: unknown, index: number): ChatTurn => write(`f${index}`);
  const limited = (limits: AgentLimits): { agent: { limits: AgentLimits } } => ({ agent: { limits } });

  it('of steps', async () => {
    const { answer, cwd } = rig.ask(files, limited({ turns: 3 }));
    expect(await answer).toMatchObject({ ok: false, why: 'max-turns', turns: 3, tokens: { input: 300, output: 30 } });
    expect(readdirSync(cwd)).toHaveLength(3);
    expect(toldAfter(rig.chat, 2)).toContain('1 steps left');
    expect(await rig.ask(files).answer).toMatchObject({ ok: false, why: 'max-turns', turns: 15 });
  });

  it('of files: the one too many is not written', async () => {
    const turns = [write('a'), write('b'), write('a'), write('./b'), write('c'), done];
    const { answer, cwd } = rig.ask(turns, limited({ files: 2 }));
    expect(await answer).toMatchObject({ ok: false, why: 'too-many-files', turns: 5 });
    expect(readdirSync(cwd).sort()).toEqual(['a', 'b']);
  });

  it('of files: what was refused does not count', async () => {
    const turns = [write('../a'), write('.git/x'), write('a'), done];
    expect(await rig.ask(turns, limited({ files: 1 })).answer).toMatchObject({ ok: true });
  });

  it.each<[keyof AgentLimits, string]>([
    ['step', 'one step'],
    ['idle', 'one step'],
    ['timeout', 'it took'],
  ])('of time: %s', async (limit, words) => {
    const { answer } = rig.ask([list, { silent: true }], limited({ [limit]: '300ms' }));
    expect(await answer).toMatchObject({ ok: false, why: 'timed-out', detail: expect.stringContaining(words) });
  });

  it('of time: a command is ended with its step', async () => {
    const { answer, cwd } = rig.ask([{ calls: [['run_command', { command: 'sleep 1000; touch after' }]] }], {
      agent: { tools: ['run_command'], limits: { step: '300ms' } },
    });
    expect(await answer).toMatchObject({ ok: false, why: 'timed-out' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('of time: trying again stays inside the step, and each step has its own time', async () => {
    const clock = new FakeClock();
    const { answer } = rig.ask([list, { status: 503 }, info, { status: 503 }, done], {
      clock,
      agent: { limits: { step: '500ms' } },
    });
    for (const requests of [2, 4]) {
      await until(() => rig.chat.requests.length === requests && clock.pending === 2);
      clock.advance(400);
    }
    expect(await answer).toMatchObject({ ok: true });
    expect(clock.pending).toBe(0);
    const busy = rig.ask([{ status: 503 }], { clock, agent: { limits: { step: '1s' } } });
    await until(() => clock.pending === 2);
    clock.advance(300);
    await until(() => rig.chat.requests.length === 2 && clock.pending === 2);
    clock.advance(1000);
    expect(await busy.answer).toMatchObject({ ok: false, why: 'timed-out' });
  });

  it('of money: a step that might cross it is not begun', async () => {
    const prices = { tiny: { input: 100, output: 100 } };
    const money = { ...limited({ usd: 0.4 }), prices };
    const usage = { prompt_tokens: 2000, completion_tokens: 100 };
    const { answer } = rig.ask((_, index) => ({ ...files(_, index), usage }), money);
    const ended = await answer;
    expect(ended).toMatchObject({ ok: false, why: 'over-cap', turns: 1 });
    expect(rig.chat.requests).toHaveLength(1);
    expect(ended.usd).toBeCloseTo(0.21);
    // Even the first.
    expect(await rig.ask([done], { ...limited({ usd: 0.01 }), prices }).answer).toMatchObject({
      ok: false,
      why: 'over-cap',
      usd: 0,
    });
    expect(rig.chat.requests).toHaveLength(0);
  });

  it('of money: what nobody tells cannot be kept below it', async () => {
    const prices = { tiny: { input: 0.001, output: 0.001 } };
    const answer = await rig.ask([{ ...list, usage: null }, done], { ...limited({ usd: 5 }), prices }).answer;
    expect(answer).toMatchObject({ ok: false, why: 'over-cap' });
    expect(answer).not.toHaveProperty('usd');
    // Without a price the ledger counts the whole cap, so it may go on.
    expect(await rig.ask([list, done], limited({ usd: 5 })).answer).toMatchObject({ ok: true });
  });

  it('that are no tools are refused before anything is asked', async () => {
    expect(await rig.ask([done], { agent: { tools: ['read_file', 'browse'] } }).answer).toMatchObject({
      ok: false,
      why: 'refused',
      detail: expect.stringContaining('"browse"'),
    });
    expect(rig.chat.requests).toHaveLength(0);
  });
});

describe('helpers', () => {
  const help = (task: string): ChatTurn => ({ calls: [['ask_helper', { task }]] });
  const helped: ChatTurn = { calls: [['finish', { answer: 'forty-two' }]] };
  const isHelper = (request: { body: { messages: readonly { content: string | null }[] } }): boolean =>
    !request.body.messages.some(({ content }) => content === 'do it\n');

  it('have a conversation and tools of their own, and are counted', async () => {
    const turns = [help('one'), write('by-helper'), helped, help('two'), helped, help('three'), done];
    const { answer, cwd, said } = rig.ask(turns, {
      agent: { tools: ['ask_helper', 'write_file', 'run_command'] },
      request: { helpers: 2 },
    });
    expect(await answer).toMatchObject({ ok: true, tokens: { input: 700, output: 70 }, turns: 4 });
    expect(readdirSync(cwd)).toEqual(['by-helper']);
    const [first, second] = rig.chat.requests;
    expect(first?.body.tools?.map((tool) => tool.function.name).sort()).toEqual([
      'ask_helper',
      'finish',
      'run_command',
      'write_file',
    ]);
    expect(second?.body.tools?.map((tool) => tool.function.name).sort()).toEqual(['finish', 'write_file']);
    expect(second?.body.messages.map(({ content }) => content).slice(1)).toEqual(['one']);
    expect(toldAfter(rig.chat, 3)).toBe('{"answer":"forty-two"}');
    expect(toldAfter(rig.chat, 6)).toContain('all 2 helpers have been asked');
    expect(said).toContain('helper 1: write_file by-helper');
  });

  it('are not offered where none are allowed, and cannot be had', async () => {
    expect(await rig.ask([help('x')]).answer).toMatchObject({ ok: false, why: 'crashed' });
    expect(rig.chat.requests.every((request) => !isHelper(request))).toBe(true);
  });

  it('share the limits of files, of money and of time', async () => {
    const request = { helpers: 5 };
    const { answer, cwd } = rig.ask([write('a'), help('x'), write('b'), done], {
      request,
      agent: { limits: { files: 1 } },
    });
    expect(await answer).toMatchObject({ ok: false, why: 'too-many-files' });
    expect(readdirSync(cwd)).toEqual(['a']);
    const late = rig.ask([help('x'), { silent: true }], { request, agent: { limits: { timeout: '300ms' } } });
    expect(await late.answer).toMatchObject({ ok: false, why: 'timed-out' });
    const usage = { prompt_tokens: 4000, completion_tokens: 0 };
    const dear = rig.ask([help('x'), { ...list, usage }, done], {
      request,
      agent: { limits: { usd: 0.6 } },
      prices: { tiny: { input: 100, output: 100 } },
    });
    expect(await dear.answer).toMatchObject({ ok: false, why: 'over-cap' });
  });

  it('that get nowhere are news for who asked', async () => {
    const turns = (request: Parameters<typeof isHelper>[0], index: number): ChatTurn =>
      isHelper(request) ? list : index === 0 ? help('x') : done;
    expect(await rig.ask(turns, { request: { helpers: 1 } }).answer).toMatchObject({ ok: true, turns: 2 });
    expect(toldAfter(rig.chat, rig.chat.requests.length - 1)).toContain('the helper gave no answer: it repeats itself');
  });
});
