import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../../../src/adapters/agents/gemini/gemini-chat.js';

const session = '0123abcd-1111-2222-3333-444444444444';

function place() {
  const home = mkdtempSync(join(tmpdir(), 'gemini-chat-'));
  const file = (name: string): string => join(home, '.gemini/tmp/some-project/chats', name);
  const write = (name: string, ...records: unknown[]): void => {
    mkdirSync(dirname(file(name)), { recursive: true });
    for (const record of records)
      appendFileSync(file(name), `${typeof record === 'string' ? record : JSON.stringify(record)}\n`);
  };
  return { home, file, write, chat: new GeminiChat(home, session) };
}

const own = 'session-2026-11-17T10-00-0123abcd.jsonl';
const answer = (id: string, input: number, output: number, total = input + output) => ({
  id,
  type: 'gemini',
  tokens: { input, output, cached: 0, thoughts: 0, tool: 0, total },
});

describe('what gemini writes down of a session', () => {
  it('is added up, each answer once, with its thinking and with its helpers', () => {
    const { chat, write } = place();
    expect(chat.usage(0)).toBeUndefined();
    write(own, { sessionId: session }, { id: 'u', type: 'user' }, answer('a', 100, 10), answer('a', 100, 10));
    expect(chat.usage(1000)).toEqual({ input: 100, output: 10 });
    write(own, answer('b', 200, 20, 250), { $set: { lastUpdated: 'now' } });
    write(`${session}/helper.jsonl`, answer('a', 7, 3));
    expect(chat.usage(2000)).toEqual({ input: 307, output: 63 });
  });

  it('does not become less by what is written over it, taken away, a pipe or no count', () => {
    const { chat, write, file } = place();
    write(own, answer('a', 100, 10), answer('a', 0, 0), {
      ...answer('b', 1, 1),
      tokens: { input: -5, output: 1e99, total: 0 },
    });
    write(own, '{"id": "c", "tokens": ', 'tokens', '"tokens"', '[{"tokens": 1}]', { id: 'd', tokens: '9' });
    expect(chat.usage(0)).toEqual({ input: 100, output: 10 });
    rmSync(file(own));
    expect(chat.usage(1000)).toEqual({ input: 100, output: 10 });
    execFileSync('mkfifo', [file(own)]);
    expect(chat.usage(1500)).toEqual({ input: 100, output: 10 });
    rmSync(file(own));
    writeFileSync(file(own), '');
    expect(chat.usage(2000)).toEqual({ input: 100, output: 10 });
  });

  it('is that of this session, and of this call', () => {
    const { chat, write } = place();
    write('session-2026-11-17T10-00-ffffffff.jsonl', answer('a', 1000, 1000));
    write('other/helper.jsonl', answer('a', 1000, 1000));
    write(own, answer('a', 100, 10));
    chat.passOver();
    expect(chat.usage(0)).toBeUndefined();
    write(own, answer('a', 100, 10), answer('b', 5, 5));
    expect(chat.usage(1000)).toEqual({ input: 5, output: 5 });
  });
});
