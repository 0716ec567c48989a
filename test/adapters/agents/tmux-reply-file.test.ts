import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReplyFile } from '../../../src/adapters/agents/command/reply-file.js';

const folder = mkdtempSync(join(tmpdir(), 'ar-reply-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newPath = (): string => join(folder, `${++count}.json`);

describe('a reply that a running program leaves in a file', () => {
  it('counts when it is whole and was the same twice', () => {
    const path = newPath();
    const file = new ReplyFile(path);
    expect(file.look(0)).toEqual({ kind: 'none' });
    writeFileSync(path, '{"a":{"b":1}');
    expect([file.look(1), file.look(2)]).toEqual([{ kind: 'growing' }, { kind: 'growing' }]);
    writeFileSync(path, '{"a":{"b":1}}');
    expect(file.look(3)).toEqual({ kind: 'growing' });
    expect(file.look(4)).toEqual({ kind: 'whole', reply: { a: { b: 1 } } });
  });

  it.each([
    '',
    'not json',
    '{"half":{"a":1}',
    '[{"a":1}]',
    '"text"',
    'null',
    '{"a":1} {"b":2}',
    `"${'x'.repeat(2 ** 20)}"`,
  ])('is none when it stays %.20j', (text) => {
    const path = newPath();
    writeFileSync(path, text);
    const file = new ReplyFile(path);
    expect([0, 100, 4999, 5000].map((at) => file.look(at).kind)).toEqual(['growing', 'growing', 'growing', 'garbage']);
  });

  it('is none in a pipe, a folder, a link or a file that would fill the memory', () => {
    const [pipe, sub, link, large, real] = [newPath(), newPath(), newPath(), newPath(), newPath()];
    execFileSync('mkfifo', [pipe]);
    mkdirSync(sub);
    writeFileSync(real, '{"a":1}');
    symlinkSync(real, link);
    writeFileSync(large, `{"a":"${'x'.repeat(2 ** 20)}"}`);
    for (const path of [pipe, sub, link, large]) {
      const file = new ReplyFile(path);
      expect([0, 5000].map((at) => file.look(at).kind)).toEqual(['growing', 'garbage']);
    }
  });
});
