import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Arrow, withoutShortcuts } from '../../src/graph/shortcuts.js';

const arrows = (...texts: readonly string[]): Arrow[] =>
  texts.map((text) => ({ from: text.split('>')[0]!, to: text.split('>')[1]! }));

test('what follows from other arrows is left out, however long the way', () => {
  expect(withoutShortcuts(arrows('a>b', 'b>c', 'a>c', 'c>d', 'a>d', 'b>d'))).toEqual(arrows('a>b', 'b>c', 'c>d'));
  expect(withoutShortcuts(arrows('a>b', 'a>c', 'b>d', 'c>d'))).toEqual(arrows('a>b', 'a>c', 'b>d', 'c>d'));
});

test('a circle stays as it is', () => {
  expect(withoutShortcuts(arrows('a>b', 'b>a', 'b>c', 'a>c'))).toContainEqual({ from: 'b', to: 'a' });
  expect(withoutShortcuts(arrows('a>b', 'b>a'))).toEqual(arrows('a>b', 'b>a'));
});

test('whatever could be reached can still be, and no arrow could be spared', () => {
  const graph = fc.uniqueArray(
    fc.tuple(fc.nat(9), fc.nat(9)).filter(([from, to]) => from < to),
    { selector: String, maxLength: 30 },
  );
  fc.assert(
    fc.property(graph, (pairs) => {
      const all = arrows(...pairs.map(([from, to]) => `${from}>${to}`));
      const left = withoutShortcuts(all);
      expect(reach(left)).toEqual(reach(all));
      for (const arrow of left) expect(reach(left.filter((other) => other !== arrow))).not.toEqual(reach(all));
    }),
  );
});

/** All pairs that one can go between. */
function reach(of: readonly Arrow[]): string[] {
  const pairs = new Set(of.map(({ from, to }) => `${from}>${to}`));
  for (let grown = true; grown; ) {
    grown = false;
    for (const one of arrows(...pairs))
      for (const { from, to } of of)
        if (from === one.to && !pairs.has(`${one.from}>${to}`)) grown = Boolean(pairs.add(`${one.from}>${to}`));
  }
  return [...pairs].sort();
}
