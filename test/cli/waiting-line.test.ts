import { describe, expect, test } from 'vitest';
import { WaitingLine } from '../../src/cli/waiting-line.js';

function rig(columns = 80) {
  let now = 0;
  const writes: string[] = [];
  const line = new WaitingLine({ write: (text) => void writes.push(text), columns: () => columns, now: () => now });
  return { line, writes, move: (ms: number) => (now += ms) };
}

const wipe = '\r\u001b[K';

describe('who waits at a terminal', () => {
  test('sees nothing for two seconds, then how far it is and what is left', () => {
    const { line, writes, move } = rig();
    for (let done = 0; done < 20; done++) {
      line.at({ what: 'looking at tasks', done, total: 100 });
      move(100);
    }
    expect(writes).toEqual([]);
    line.at({ what: 'looking at tasks', done: 20, total: 100 });
    expect(writes).toEqual([`${wipe}looking at tasks: 20 of 100, 2 s, about 8 s left`]);
  });

  test('the line is drawn five times a second at most, however often it is told', () => {
    const { line, writes, move } = rig();
    move(2000);
    for (let done = 0; done < 1000; done++) {
      line.at({ what: 'reading runs', done, total: 1000 });
      move(1);
    }
    expect(writes).toHaveLength(5);
  });

  test('bytes are told as bytes, and what has no measure without a guess', () => {
    const { line, writes, move } = rig();
    line.at({ what: 'reading data.bin', done: 0, total: 4e9, unit: 'bytes' });
    move(3000);
    line.at({ what: 'reading data.bin', done: 1e9, total: 4e9, unit: 'bytes' });
    move(1000);
    line.at({ what: 'drawing the report', done: 0 });
    expect(writes).toEqual([
      `${wipe}reading data.bin: 1.0 GB of 4.0 GB, 3 s, about 9 s left`,
      `${wipe}drawing the report, 4 s`,
    ]);
  });

  test('the line goes before anything else is written, and waiting begins anew', () => {
    const { line, writes, move } = rig();
    move(2500);
    line.at({ what: 'a', done: 0 });
    line.clear();
    line.clear();
    move(1000);
    line.at({ what: 'a', done: 0 });
    expect(writes).toEqual([`${wipe}a, 2 s`, wipe]);
  });

  test('nothing is drawn while something else shows what goes on', () => {
    const { line, writes, move } = rig();
    line.hold();
    move(5000);
    line.at({ what: 'a', done: 0 });
    line.goOn();
    line.at({ what: 'a', done: 0 });
    expect(writes).toEqual([]);
    move(2000);
    line.at({ what: 'a', done: 0 });
    expect(writes).toEqual([`${wipe}a, 2 s`]);
  });

  test('a narrow terminal is not wrapped', () => {
    const { line, writes, move } = rig(12);
    move(2000);
    line.at({ what: 'looking at tasks', done: 0 });
    expect(writes).toEqual([`${wipe}looking at `]);
  });
});
