import { expect, test } from 'vitest';
import { schedules } from './modules.js';

const rates = (name: 'constant' | 'cosine') =>
  Array.from({ length: 100 }, (_, step) => schedules[name]({ peak: 0.2, step, steps: 100, warmup: 10 }));

test('the constant rate is the peak at every step', () => {
  expect(new Set(rates('constant'))).toEqual(new Set([0.2]));
});

test('the cosine rises in a line to the same peak, then falls towards zero without going below', () => {
  const cosine = rates('cosine');
  expect(cosine[0]).toBeCloseTo(0.02, 12);
  expect(cosine[9]).toBeCloseTo(0.2, 12);
  expect(cosine[10]).toBeCloseTo(0.2, 12);
  expect(cosine[55]).toBeCloseTo(0.1, 12);
  expect(Math.max(...cosine)).toBeCloseTo(0.2, 12);
  for (let step = 11; step < 100; step++) expect(cosine[step]).toBeLessThan(cosine[step - 1]!);
  expect(cosine[99]).toBeGreaterThan(0);
  expect(cosine[99]).toBeLessThan(0.001);
});
