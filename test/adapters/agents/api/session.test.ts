import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bounded, type Entry, sizeOf } from '../../../../src/adapters/agents/api/history.js';
import type { AgentAnswer } from '../../../../src/model/agents/agent.js';
import { apiRig, done, newFolder } from './api-rig.js';

const rig = apiRig();
const list = { calls: [['list_files', {}]] as const };

const idOf = (answer: AgentAnswer): string => {
  expect(answer.session).toBeDefined();
  return answer.session!.id;
};

describe('a session', () => {
  it('goes on in another process', async () => {
    const sessionsDir = join(newFolder(), 'deep/sessions');
    const id = idOf(await rig.ask([list, done], { sessionsDir, request: { prompt: 'first' } }).answer);
    expect(readdirSync(sessionsDir)).toEqual([`${id}.json`]);
    expect(statSync(join(sessionsDir, `${id}.json`)).mode & 0o777).toBe(0o600);
    // Each call of the rig has an ApiAgent of its own.
    const again = rig.ask([done], { sessionsDir, request: { prompt: 'second', session: { id } } });
    expect(idOf(await again.answer)).toBe(id);
    const { messages } = rig.chat.requests[0]!.body;
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'user',
    ]);
    expect([messages[1]?.content, messages.at(-1)?.content]).toEqual(['first', 'second']);
    // Ids that come twice would make a call look answered that is not.
    await rig.ask([list, done], { sessionsDir, request: { session: { id } } }).answer;
    const ids = JSON.stringify(rig.chat.requests[1]!.body.messages).match(/"tool_call_id":"[^"]+"/g) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is whole when the call was ended in the middle of several calls', async () => {
    const sessionsDir = newFolder();
    const turn = { calls: ['a', 'b', 'c'].map((path) => ['write_file', { path, content: '' }] as const) };
    const answer = await rig.ask([turn], { sessionsDir, agent: { limits: { files: 1 } } }).answer;
    expect(answer).toMatchObject({ ok: false, why: 'too-many-files' });
    await rig.ask([done], { sessionsDir, request: { session: { id: idOf(answer) } } }).answer;
    expect(
      rig.chat.requests[0]!.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    ).toEqual(['written: 0 bytes', 'not done: the work was ended', 'not done: the work was ended']);
  });

  it('remembers that the endpoint takes no tools', async () => {
    const sessionsDir = newFolder();
    const finish = { text: '{"tool":"finish","args":{}}' };
    const no = { status: 400, raw: '{"error":{"message":"no tools here"}}' };
    const id = idOf(await rig.ask([no, finish], { sessionsDir }).answer);
    expect(await rig.ask([finish], { sessionsDir, request: { session: { id } } }).answer).toMatchObject({ ok: true });
    expect(rig.chat.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('is not kept for who remembers nothing', async () => {
    const sessionsDir = newFolder();
    expect(await rig.ask([done], { sessionsDir, agent: { lifecycle: 'stateless' } }).answer).not.toHaveProperty(
      'session',
    );
    expect(readdirSync(sessionsDir)).toEqual([]);
  });

  it('that cannot be kept is not promised', async () => {
    const sessionsDir = join(newFolder(), 'file');
    writeFileSync(sessionsDir, '');
    const answer = await rig.ask([done], { sessionsDir }).answer;
    expect(answer).toMatchObject({ ok: true });
    expect(answer).not.toHaveProperty('session');
  });
});

describe('a session is lost', () => {
  const lost = async (sessionsDir: string, id: string): Promise<void> => {
    expect(await rig.ask([done], { sessionsDir, request: { session: { id } } }).answer).toMatchObject({
      ok: false,
      why: 'session-lost',
    });
    expect(rig.chat.requests).toHaveLength(0);
  };

  it.each(['../secret', '/etc/passwd', '', '.', 'x', '00000000-0000-0000-0000-000000000000'])(
    'when its id is %j',
    async (id) => {
      const sessionsDir = join(newFolder(), 'sessions');
      mkdirSync(sessionsDir);
      writeFileSync(join(sessionsDir, '../secret.json'), '{"version":1,"form":"native","history":[]}');
      await lost(sessionsDir, id);
    },
  );

  it('when its file is not what it was', async () => {
    const sessionsDir = newFolder();
    const id = idOf(await rig.ask([done], { sessionsDir }).answer);
    const file = join(sessionsDir, `${id}.json`);
    const whole = readFileSync(file, 'utf8');
    for (const text of [
      '',
      whole.slice(0, -20),
      '{}',
      whole.replace('"version":1', '"version":2'),
      whole.replace('"user"', '"god"'),
    ]) {
      writeFileSync(file, text);
      await lost(sessionsDir, id);
    }
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await lost(sessionsDir, id);
    rmSync(file);
    writeFileSync(join(sessionsDir, 'other'), whole);
    symlinkSync('other', file);
    await lost(sessionsDir, id);
    rmSync(file);
    mkdirSync(file);
    chmodSync(file, 0o700);
    await lost(sessionsDir, id);
  });
});

describe('a long conversation', () => {
  it('loses its oldest results first, and keeps the newest and every prompt', () => {
    const history: Entry[] = [{ kind: 'user', text: 'the task' }];
    for (let index = 0; index < 20; index += 1) {
      const args = { path: 'a', content: 'y'.repeat(2000) };
      history.push({ kind: 'assistant', text: '', calls: [{ id: `${index}`, tool: 'write_file', args }] });
      history.push({ kind: 'result', call: `${index}`, tool: 'write_file', text: 'x'.repeat(5000) });
    }
    const some = bounded(history, 140_000);
    expect(sizeOf(some)).toBeLessThan(100_000);
    expect(some[0]).toEqual(history[0]);
    expect(some[2]).toMatchObject({ text: '[cut]' });
    expect(some.slice(-4)).toEqual(history.slice(-4));
    expect(some[1]).toEqual(history[1]);
    const less = bounded(history, 40_000);
    expect(less[1]).toMatchObject({ calls: [{ args: { path: 'a', content: '[cut]' } }] });
    expect(less).toHaveLength(history.length);
    expect(bounded(history, 1_000_000)).toEqual(history);
  });

  it('is cut on the way to the endpoint', async () => {
    const cwd = newFolder();
    for (let index = 0; index < 25; index += 1) writeFileSync(join(cwd, `f${index}`), `${index}`.padEnd(29_000, 'x'));
    const { answer } = rig.ask((_, index) => (index < 25 ? { calls: [['read_file', { path: `f${index}` }]] } : done), {
      cwd,
      agent: { limits: { turns: 30 } },
    });
    expect(await answer).toMatchObject({ ok: true });
    const sizes = rig.chat.requests.map(({ body }) => JSON.stringify(body).length);
    expect(Math.max(...sizes)).toBeLessThan(450_000);
    expect(rig.chat.requests.at(-1)!.body.messages[3]?.content).toBe('[cut]');
  });
});
