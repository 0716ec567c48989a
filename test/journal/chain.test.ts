import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChain } from '../../src/journal/chain.js';
import { journalOf, passing, runStarted } from '../support/events.js';

const journal = journalOf([
  runStarted(2),
  ...passing('größe'),
  { type: 'task-started', task: 'b', attempt: 1, reasons: [] },
  {
    type: 'task-failed',
    task: 'b',
    attempt: 1,
    durationMs: 3,
    failure: { code: 'command-failed', exitCode: 3 },
    retrying: false,
    errorClass: 'unknown',
    counted: true,
  },
  { type: 'run-finished', outcome: 'failed', durationMs: 9 },
]);
const bytes = Buffer.from(journal.text);

describe('readChain', () => {
  it('gives back what was sealed', () => {
    expect(readChain(bytes)).toEqual({ ok: true, entries: journal.entries, goodBytes: bytes.length, torn: false });
  });

  it('takes an empty file for an empty journal', () => {
    expect(readChain(Buffer.alloc(0))).toEqual({ ok: true, entries: [], goodBytes: 0, torn: false });
  });

  it('cut at every byte, keeps exactly the whole lines before the cut', () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const part = bytes.subarray(0, cut);
      const reading = readChain(part);
      const wholeLines = part.toString('utf8').split('\n').length - 1;
      if (!reading.ok) throw new Error(`cut at ${cut}: ${reading.detail}`);
      expect(reading.entries).toEqual(journal.entries.slice(0, wholeLines));
      expect(reading.torn).toBe(reading.goodBytes < cut);
    }
  });

  it('takes zero bytes after the last line for a torn tail', () => {
    const reading = readChain(Buffer.concat([bytes, Buffer.alloc(512)]));
    expect(reading).toMatchObject({ ok: true, goodBytes: bytes.length, torn: true });
  });

  it('finds any single byte that was changed in a whole line', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ change;
        const reading = readChain(changed);
        // The last line may have lost its newline and then is a torn tail; its loss shows as a missing entry.
        if (reading.ok) expect(reading.entries.length).toBeLessThan(journal.entries.length);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a line taken out', (lines: string[]) => lines.toSpliced(2, 1), 3, 'the line does not follow the one before'],
    [
      'two lines swapped',
      (lines: string[]) => lines.with(1, lines[2]!).with(2, lines[1]!),
      2,
      'the line does not follow the one before',
    ],
    [
      'a line written twice',
      (lines: string[]) => lines.toSpliced(1, 0, lines[1]!),
      3,
      'the line does not follow the one before',
    ],
    ['the beginning taken out', (lines: string[]) => lines.slice(1), 1, 'the line does not follow the one before'],
    [
      'a line without a hash',
      (lines: string[]) => lines.with(1, '{"type":"task-finished"}\n'),
      2,
      'the line has no hash',
    ],
    [
      'a result rewritten',
      (lines: string[]) => lines.with(4, lines[4]!.replace('"exitCode":3', '"exitCode":0')),
      5,
      'the line does not match its hash',
    ],
    ['a short line with an empty hash', (lines: string[]) => [...lines, '{"hash":""}\n'], 7, 'the line has no hash'],
    ['an empty line', (lines: string[]) => lines.toSpliced(1, 0, '\n'), 2, 'the line has no hash'],
  ])('refuses %s', (_name, change, line, detail) => {
    expect(readChain(Buffer.from(change(journal.lines).join('')))).toEqual({ ok: false, line, detail });
  });
});
