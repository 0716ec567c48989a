import { expect, test } from 'vitest';
import { iterationWords } from '../../src/report/iterations/iteration-words.js';
import { decidedLine } from '../../src/report/iterations/loop-text.js';

const of = (number: number, max: number, repeat = 1) =>
  iterationWords({ series: 1, number, repeat, of: max, record: 'x' });

test('an iteration is counted against a limit only where somebody has set one', () => {
  expect([of(3, 50), of(3, 999_999), of(3, 1_000_000), of(0, 50), of(0, 50, 2)]).toEqual([
    'iteration 3 of 50',
    'iteration 3 of 999999',
    'iteration 3',
    'baseline',
    'baseline (2)',
  ]);
  const decided = { type: 'iteration-decided', number: 1, verdict: 'kept', progress: true, why: 'won 1' } as const;
  expect(decidedLine(decided, 1_000_000)).toBe('iteration 1 kept: won 1');
});
