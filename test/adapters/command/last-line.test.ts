import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastLine, tailLines } from '../../../src/adapters/command/last-line.js';
import { printable } from '../../../src/adapters/command/printable.js';
import { cpuSeconds } from '../../support/cpu-seconds.js';
import { Room } from './room.js';

let room: Room;
let out: string;
let err: string;
beforeEach(() => {
  room = new Room();
  out = room.path('out');
  err = room.path('err');
});
afterEach(() => room.remove());

const write = (file: string, content: string | Buffer, second: number): void => {
  writeFileSync(file, content);
  utimesSync(file, second, second);
};
const lastOf = (content: string | Buffer): string | undefined => {
  write(out, content, 1);
  return lastLine(out, err);
};

describe('the last line', () => {
  it('is nothing when nothing was written', () => {
    expect(lastLine(out, err)).toBeUndefined();
    expect(lastOf('')).toBeUndefined();
    expect(lastOf('\n \n\r\n\x1b[0m\n')).toBeUndefined();
  });

  it('comes from the stream that was written to last', () => {
    write(out, 'from stdout\n', 10);
    write(err, 'from stderr\n', 20);
    expect(lastLine(out, err)).toBe('from stderr');
    write(out, 'from stdout\n', 30);
    expect(lastLine(out, err)).toBe('from stdout');
  });

  it('comes from the other stream when the newer one shows nothing', () => {
    write(out, 'words\n', 10);
    write(err, '\n\n', 20);
    expect(lastLine(out, err)).toBe('words');
    write(err, '', 30);
    expect(lastLine(out, err)).toBe('words');
  });

  it.each([
    ['one\ntwo\n', 'two'],
    ['one\ntwo', 'two'],
    ['one\n\n  \n', 'one'],
    ['one\r\ntwo\r\n', 'two'],
    ['epoch 1\r 10%\r 50%\r100%', '100%'],
    ['epoch 1\r 10%\r 50%\r', ' 50%'],
    ['epoch 1\r\x1b[2K 10%\r\x1b[2K', ' 10%'],
    ['\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mblue\x1b[m', 'red and blue'],
    ['\x1b]0;a title\x07words', 'words'],
    ['\x1b]8;;https://x.invalid\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x1bPdata\x1b\\words\x1b(B\x1b7\x1b=', 'words'],
    ['words\x1b', 'words'],
    ['words\x1b[3', 'words'],
    ['words\x1b]0;half a title', 'words'],
    ['bell\x07 back\b\bspace\x7f nul\0 c1\x85\x9b31m', 'bell backspace nul c1'],
    ['a\tb', 'a b'],
    ['tra\u202ecr\u2066x\u2069', 'tracrx'],
    ['é 中文 🦊', 'é 中文 🦊'],
  ])('of %j is %j', (content, expected) => {
    expect(lastOf(content)).toBe(expected);
  });

  it('never does anything to a terminal', () => {
    const any = fc
      .oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
      .map((point) => String.fromCodePoint(point));
    const text = fc.string({
      unit: fc.constantFrom('\x1b', '[', ']', '\x9b', ';', '3', 'm', '\x07', '\\', 'P', '\r', 'é', '\x85'),
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: any })), (output) => {
        expect(printable(output)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
      }),
      { numRuns: 300 },
    );
  });

  it('takes no longer for hostile output', async () => {
    for (const unit of ['\x1b]', '\x9d', '\x1b[', '\x1b[1', '\x1bP;', '\x1b ', '\r']) {
      writeFileSync(out, `${unit.repeat(250_000 / unit.length)}\x1bX`);
      expect(await cpuSeconds(() => tailLines(out, 15))).toBeLessThan(3);
    }
  });

  it('reads no more than the end of a long file, and no half characters', () => {
    expect(lastOf(`${'é'.repeat(1_000_000)}a`)).toMatch(/^é{2047}a$/);
    expect(lastOf(`${'x'.repeat(100_000)}\nlast\n`)).toBe('last');
    expect(lastOf(Buffer.concat([Buffer.from('caf'), Buffer.from('é').subarray(0, 1)]))).toBe('caf');
  });
});

describe('the last lines', () => {
  it('are those that were shown, without empty ones at the end', () => {
    writeFileSync(out, 'one\n\n\x1b[31mtwo\x1b[0m\n1%\r2%\nthree\n\n\n');
    expect(tailLines(out, 3)).toEqual(['two', '2%', 'three']);
    expect(tailLines(out, 99)).toEqual(['one', '', 'two', '2%', 'three']);
    expect(tailLines(out, 0)).toEqual([]);
  });

  it('are none when there is no file or nothing in it', () => {
    expect(tailLines(out, 5)).toEqual([]);
    writeFileSync(out, '\n\n');
    expect(tailLines(out, 5)).toEqual([]);
  });

  it('are found in a file of any size', () => {
    for (let index = 0; index < 20; index += 1) appendFileSync(out, `${'filler\n'.repeat(20_000)}`);
    appendFileSync(out, 'a\nb\n');
    expect(tailLines(out, 3)).toEqual(['filler', 'a', 'b']);
  });
});
