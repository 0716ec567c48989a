import { describe, expect, it } from 'vitest';
import { settledCost } from '../../src/run/agents/settled-cost.js';

const tokens = { input: 1_000_000, output: 100_000 };
const price = { input: 3, output: 15 };
const wall = { wallMs: 7 };
const rest = { tokens: 1_100_000, wallMs: 7, gpuHours: 0 };
const untold = { tokens: 0, wallMs: 7, gpuHours: 0, tokensUnknown: true };

describe('what a call is booked as when it has ended', () => {
  it('a report wins, also when it is above the cap', () => {
    expect(settledCost({ usd: 9, tokens, ...wall }, 2, price)).toEqual({ usd: 9, source: 'reported', ...rest });
    expect(settledCost({ usd: 0, tokens, ...wall }, 2, price)).toEqual({ usd: 0, source: 'reported', ...rest });
    expect(settledCost({ usd: 9, isPriced: true, tokens, ...wall }, 2, price)).toEqual({
      usd: 9,
      source: 'priced',
      ...rest,
    });
  });

  it('else tokens at their price', () => {
    expect(settledCost({ tokens, ...wall }, 2, price)).toEqual({ usd: 4.5, source: 'priced', ...rest });
    const few = settledCost({ tokens: { input: 1, output: 0 }, ...wall }, 2, { input: 0.0001, output: 0 });
    expect(few.usd, 'rounded up, never to nothing').toBe(1e-9);
  });

  it('else all that it might have cost', () => {
    expect(settledCost(wall, 2, price)).toEqual({ usd: 2, source: 'cap', ...untold });
    expect(settledCost({ tokens, ...wall }, 2, undefined)).toEqual({ usd: 2, source: 'cap', ...rest });
  });

  it('else nothing is said, which is not the same as nothing spent', () => {
    expect(settledCost(wall, undefined, price)).toEqual({ source: 'cap', ...untold });
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '1' as unknown as number])('a report of %s is none', (usd) => {
    expect(settledCost({ usd, ...wall }, 2, undefined)).toMatchObject({ usd: 2, source: 'cap' });
    expect(settledCost({ usd, tokens, ...wall }, 2, price)).toMatchObject({ usd: 4.5, source: 'priced' });
    const broken = { input: usd, output: 5 };
    expect(settledCost({ tokens: broken, ...wall }, 2, price)).toEqual({ usd: 2, source: 'cap', ...untold });
    expect(settledCost({ usd: 1, wallMs: usd, gpuHours: usd }, 2, price)).toMatchObject({ wallMs: 0, gpuHours: 0 });
  });
});
