import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parityTable } from '../../src/report/html/parity/parity-table.js';
import { tableLines } from '../../stages/parity/table.js';

const rows = [
  { param: 'lora.rank', values: [8, 8] },
  { param: 'name', values: ['a  b', 'c   d'], except: 'the arms  differ in it' },
  { param: 'lr', values: [0.1, undefined], trouble: 'missing in b' },
];

test('a table that parity has logged is taken apart again', () => {
  expect(parityTable(tableLines(['first arm', 'b'], rows).join('\n'))).toEqual({
    arms: ['first arm', 'b'],
    rows: [
      ['=', 'lora.rank', '8', '8', ''],
      ['~', 'name', '"a  b"', '"c   d"', 'excepted: the arms  differ in it'],
      ['≠', 'lr', '0.1', '(missing)', 'missing in b'],
    ],
  });
});

test('whatever the values are', () => {
  const word = fc.stringMatching(/^[a-z≠é"']{1,9}( [a-z]{1,5})?$/);
  const row = (arms: number) =>
    fc.record({
      param: fc.stringMatching(/^[a-z.]{1,12}$/),
      values: fc.array(fc.oneof(fc.integer(), word), { minLength: arms, maxLength: arms }),
      trouble: fc.option(word, { nil: undefined }),
    });
  const tables = fc.integer({ min: 2, max: 4 }).chain((arms) =>
    fc.record({
      arms: fc.array(word, { minLength: arms, maxLength: arms }),
      rows: fc.array(row(arms), { minLength: 1, maxLength: 8 }),
    }),
  );
  fc.assert(
    fc.property(tables, ({ arms, rows: some }) => {
      const found = parityTable(tableLines(arms, some as never).join('\n'))!;
      expect(found.arms).toEqual(arms);
      expect(found.rows.map(([, param, ...cells]) => [param, cells.length, cells.at(-1)])).toEqual(
        some.map(({ param, trouble = '' }) => [param, arms.length + 1, trouble]),
      );
    }),
  );
});

test.each(['', 'nothing of the kind', '   parameter  a  b', '   parameter  a  b\n!  x  1  2'])(
  '%j is something else, and is shown as it is',
  (text) => {
    expect(parityTable(text)).toBeUndefined();
  },
);
