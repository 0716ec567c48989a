import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usual } from '../../../support/fake-chat.js';
import { until } from '../../../support/until.js';
import { apiRig, done, key, newFolder, toldAfter } from './api-rig.js';

const rig = apiRig();
const reply = { outcome: 'done', summary: 'ok' };

describe('an agent of our own', () => {
  it('writes a file, hands in its answer and leaves a transcript', async () => {
    const { answer, cwd, dir, said } = rig.ask([
      { text: 'I begin.', calls: [['write_file', { path: 'out/a.txt', content: 'hello\n' }]] },
      done,
    ]);
    expect(await answer).toEqual({
      ok: true,
      reply,
      tokens: { input: 200, output: 20 },
      session: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      turns: 2,
      model: 'tiny-2026',
    });
    expect(readFileSync(join(cwd, 'out/a.txt'), 'utf8')).toBe('hello\n');
    expect(said).toEqual(['write_file out/a.txt', 'finish']);
    expect(readFileSync(join(dir, 'prompt.md'), 'utf8')).toBe('do it\n');
    expect(JSON.parse(readFileSync(join(dir, 'reply.json'), 'utf8'))).toEqual(reply);
    const events = readFileSync(join(dir, 'events.jsonl'), 'utf8').trim().split('\n');
    expect(events.map((line) => JSON.parse(line).kind)).toEqual(['user', 'assistant', 'result', 'assistant', 'result']);
  });

  it('sends the key, the model, the temperature and the tools it may use', async () => {
    await rig.ask([done], { agent: { tools: ['read_file', 'run_command'] }, request: { access: 'read', helpers: 1 } })
      .answer;
    const [first] = rig.chat.requests;
    expect(first?.path).toBe('/v1/chat/completions');
    expect(first?.headers.authorization).toBe(`Bearer ${key}`);
    expect(first?.body).toMatchObject({ model: 'tiny', temperature: 0.2 });
    expect(first?.body.tools?.map((tool) => tool.function.name)).toEqual(['read_file', 'finish']);
    await rig.ask([done], { request: { replySchema: { $schema: 'x', type: 'object', required: ['outcome'] } } }).answer;
    const tools = rig.chat.requests[0]?.body.tools?.map((tool) => tool.function);
    expect(tools?.map(({ name }) => name).sort()).toEqual(
      ['edit_file', 'finish', 'get_file_info', 'list_files', 'read_file', 'search_code', 'write_file'].sort(),
    );
    expect(tools?.find(({ name }) => name === 'finish')?.parameters).toEqual({ type: 'object', required: ['outcome'] });
  });

  it('hands on an answer of whatever shape, for who asked to judge', async () => {
    expect(await rig.ask([{ calls: [['finish', { nonsense: [1] }]] }]).answer).toMatchObject({
      ok: true,
      reply: { nonsense: [1] },
    });
  });

  it('does several calls of one message in their order, and none after finish', async () => {
    const { answer, cwd } = rig.ask([
      {
        calls: [
          ['write_file', { path: 'a', content: '1' }],
          ['finish', reply],
          ['write_file', { path: 'b', content: '2' }],
        ],
      },
    ]);
    expect(await answer).toMatchObject({ ok: true, reply });
    expect(existsSync(join(cwd, 'a'))).toBe(true);
    expect(existsSync(join(cwd, 'b'))).toBe(false);
  });

  it('reads, edits, lists and searches', async () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/a.py'), 'one\ntwo\ntwo\nthree\n', { mode: 0o755 });
    const { answer } = rig.ask(
      [
        { calls: [['read_file', { path: 'src/a.py', from: 2, lines: 2 }]] },
        { calls: [['edit_file', { path: 'src/a.py', old: 'two\n', new: '2\n' }]] },
        { calls: [['edit_file', { path: 'src/a.py', old: 'four', new: '4' }]] },
        { calls: [['edit_file', { path: 'src/a.py', old: 'three', new: '$& 3' }]] },
        { calls: [['list_files', { ending: '.py' }]] },
        { calls: [['search_code', { pattern: 'T[a-z]o|^two', regex: true, path: 'src' }]] },
        { calls: [['search_code', { pattern: '[a-z' }]] },
        { calls: [['search_code', { pattern: '[a-z', regex: true }]] },
        { calls: [['get_file_info', { path: 'src/a.py' }]] },
        done,
      ],
      { cwd },
    );
    expect(await answer).toMatchObject({ ok: true });
    expect(toldAfter(rig.chat, 1)).toBe('two\ntwo');
    expect(toldAfter(rig.chat, 2)).toContain('more than once');
    expect(toldAfter(rig.chat, 3)).toContain('not in the file');
    expect(readFileSync(join(cwd, 'src/a.py'), 'utf8')).toBe('one\ntwo\ntwo\n$& 3\n');
    expect(toldAfter(rig.chat, 5)).toBe('src/a.py');
    expect(toldAfter(rig.chat, 6)).toBe('src/a.py:2: two\nsrc/a.py:3: two');
    expect(toldAfter(rig.chat, 7)).toBe('[nothing found]');
    expect(toldAfter(rig.chat, 8)).toContain('Invalid regular expression');
    expect(toldAfter(rig.chat, 9)).toMatch(/^a file, \d+ bytes/);
  });

  it('runs commands when it may, without the key in their environment', async () => {
    const { answer, cwd, dir } = rig.ask(
      [{ calls: [['run_command', { command: 'pwd; echo "[$FAKE_KEY][$MORE]"; echo bad >&2; exit 3' }]] }, done],
      { agent: { tools: ['run_command'] }, request: { env: { MORE: 'more' } } },
    );
    expect(await answer).toMatchObject({ ok: true });
    const told = toldAfter(rig.chat, 1);
    expect(told).toContain('exit code 3');
    expect(told).toContain(`${cwd}\n[][more]\n`);
    expect(told).toContain('--- stderr\nbad');
    expect(existsSync(join(dir, 'command-1.out'))).toBe(false);
  });

  it('stops at once when told to, in a request and in a command', async () => {
    const waiting = rig.ask([{ silent: true }]);
    await until(() => rig.chat.requests.length === 1);
    waiting.stop.abort('SIGINT');
    const answer = await waiting.answer;
    expect(answer).toMatchObject({ ok: false, why: 'cancelled' });
    // What was under way may have cost something.
    expect(answer).not.toHaveProperty('tokens');

    const working = rig.ask([{ calls: [['run_command', { command: 'touch started; sleep 1000' }]] }], {
      agent: { tools: ['run_command'] },
    });
    await until(() => existsSync(join(working.cwd, 'started')));
    working.stop.abort('SIGTERM');
    expect(await working.answer).toMatchObject({ ok: false, why: 'cancelled', tokens: { input: 100, output: 10 } });
    expect(rig.chat.requests).toHaveLength(1);
  });

  it('ends a command that will not stop when there is no time left', async () => {
    const { answer, cwd, kill } = rig.ask(
      [{ calls: [['run_command', { command: 'trap "" TERM; touch started; while :; do sleep 1; done' }]] }],
      { agent: { tools: ['run_command'] } },
    );
    await until(() => existsSync(join(cwd, 'started')));
    kill.abort('SIGKILL');
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
  });

  it('asks nobody when it is stopped before it begins', async () => {
    const { answer, stop } = rig.ask([done]);
    stop.abort('SIGINT');
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
    expect(rig.chat.requests).toHaveLength(0);
  });

  it('knows money only with a price and tokens only while all are told', async () => {
    const prices = { tiny: { input: 1000, output: 10_000 } };
    expect(await rig.ask([done], { prices }).answer).toMatchObject({ usd: 0.2, tokens: { input: 100, output: 10 } });
    expect(await rig.ask([done], { prices: {} }).answer).not.toHaveProperty('usd');
    const look = { calls: [['list_files', {}]] as const };
    const silent = await rig.ask([look, { ...look, usage: null }, { ...done, usage: usual }], { prices }).answer;
    expect(silent).toMatchObject({ ok: true });
    expect(silent).not.toHaveProperty('tokens');
    expect(silent).not.toHaveProperty('usd');
    const negative = { prompt_tokens: -5, completion_tokens: 1 };
    expect(await rig.ask([{ ...done, usage: negative }], { prices }).answer).not.toHaveProperty('tokens');
  });
});
