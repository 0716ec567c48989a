import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorVerdict } from '../../src/model/errors/error-verdict.js';
import { totalTries } from '../../src/model/errors/retry-limits.js';
import type { Retry } from '../../src/model/generated/config.js';
import { longestWaitMs, mostWaits, type NextStep, nextStep, type TriesSoFar } from '../../src/run/errors/retry.js';

const now = Date.UTC(2026, 10, 17, 3);
const none: TriesSoFar = { failures: {}, waits: 0 };
const of = (errorClass: string): ErrorVerdict => ({ errorClass, final: false });
const tools = { nowMs: now, random: () => 0 };
const again = (afterMs: number): NextStep => ({ kind: 'again', afterMs });
const spent = (why: 'class' | 'total' | 'final'): NextStep => ({ kind: 'spent', why });

describe('after a failed attempt', () => {
  test('a class of errors has its own tries', () => {
    const retry: Retry = { attempts: 3 };
    expect(nextStep(retry, none, of('timeout'), tools)).toEqual(again(0));
    expect(nextStep(retry, { failures: { timeout: 1 }, waits: 0 }, of('timeout'), tools)).toEqual(again(0));
    expect(nextStep(retry, { failures: { timeout: 2 }, waits: 0 }, of('timeout'), tools)).toEqual(spent('class'));
    expect(nextStep(retry, { failures: { timeout: 2 }, waits: 0 }, of('transient'), tools)).toEqual(again(0));
  });

  test('all classes together are bounded: five times the tries of one, or what is written', () => {
    const failures = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 };
    expect(nextStep({ attempts: 2 }, { failures, waits: 0 }, of('i'), tools)).toEqual(again(0));
    expect(nextStep({ attempts: 2 }, { failures: { ...failures, i: 1 }, waits: 0 }, of('j'), tools)).toEqual(
      spent('total'),
    );
    expect(nextStep({ attempts: 2, total: 9 }, { failures, waits: 0 }, of('i'), tools)).toEqual(spent('total'));
  });

  test('one try is one try', () => {
    expect(nextStep({ attempts: 1 }, none, of('transient'), tools)).toEqual(spent('class'));
  });

  test('what cannot be helped is not tried again', () => {
    expect(nextStep({ attempts: 9 }, none, { errorClass: 'cancelled', final: true }, tools)).toEqual(spent('final'));
  });

  test('a class may be called like something that every object has', () => {
    expect(nextStep({ attempts: 2 }, none, of('constructor'), tools)).toEqual(again(0));
    expect(nextStep({ attempts: 2 }, none, of('__proto__'), tools)).toEqual(again(0));
  });

  test('pauses double with the failures of the class, up to an hour', () => {
    const retry: Retry = { attempts: 100, backoff: '10s' };
    const pauses = [0, 1, 2, 8, 9, 98].map((before) =>
      nextStep(retry, { failures: { x: before, y: 1 }, waits: 0 }, of('x'), tools),
    );
    expect(pauses).toEqual([10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000].map(again));
  });

  test('a longer first pause than an hour stays as it was written', () => {
    const retry: Retry = { attempts: 9, backoff: '2h' };
    expect(nextStep(retry, { failures: { x: 3 }, waits: 0 }, of('x'), tools)).toEqual(again(7_200_000));
  });

  test('chance takes up to a half off', () => {
    const retry: Retry = { attempts: 3, backoff: '10s' };
    expect(nextStep(retry, none, of('x'), { nowMs: now, random: () => 0.5 })).toEqual(again(7500));
    expect(nextStep(retry, none, of('x'), { nowMs: now, random: () => 0.999999 })).toEqual(again(5000));
  });
});

describe('a quota with a reset time', () => {
  const quota = (inMs: number): ErrorVerdict => ({ errorClass: 'quota', resetAt: now + inMs, final: false });
  const wait = (inMs: number): NextStep => ({ kind: 'wait', untilMs: now + inMs });

  test('is waited for and costs no attempt, also where there is only one', () => {
    expect(nextStep({ attempts: 1 }, none, quota(90_000), tools)).toEqual(wait(90_000));
    expect(nextStep({ attempts: 2 }, { failures: { quota: 1 }, waits: 3 }, quota(90_000), tools)).toEqual(wait(90_000));
  });

  test('of a moment is not a busy loop', () => {
    expect(nextStep({ attempts: 1 }, none, quota(1), tools)).toEqual(wait(1000));
  });

  test('is an ordinary failure when it was put off too often', () => {
    expect(nextStep({ attempts: 2 }, { failures: {}, waits: mostWaits - 1 }, quota(60_000), tools)).toEqual(
      wait(60_000),
    );
    const spentWaits = { failures: {}, waits: mostWaits };
    expect(nextStep({ attempts: 2 }, spentWaits, quota(60_000), tools)).toEqual(again(0));
    expect(nextStep({ attempts: 1 }, spentWaits, quota(60_000), tools)).toEqual(spent('class'));
  });

  test.each([0, -1, longestWaitMs + 1, Number.POSITIVE_INFINITY, Number.NaN])(
    '%d ms from now is not believed',
    (ms) => {
      expect(nextStep({ attempts: 2 }, none, quota(ms), tools)).toEqual(again(0));
    },
  );
});

describe('properties', () => {
  const retries: fc.Arbitrary<Retry> = fc
    .record({
      attempts: fc.integer({ min: 1, max: 6 }),
      extra: fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
      backoff: fc.option(fc.constantFrom('0s', '1ms', '10s', '3h'), { nil: undefined }),
    })
    .map(({ attempts, extra, backoff }) => ({
      attempts,
      ...(extra === undefined ? {} : { total: attempts + extra }),
      ...(backoff === undefined ? {} : { backoff }),
    }));
  const verdicts = fc.array(
    fc.record({
      errorClass: fc.constantFrom('quota', 'timeout', 'constructor', 'error:aa', 'error:bb', 'error:cc'),
      resetIn: fc.option(fc.integer({ min: -10, max: longestWaitMs + 10 }), { nil: undefined }),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
    { maxLength: 400 },
  );

  interface Told {
    readonly steps: readonly NextStep[];
    readonly soFar: TriesSoFar;
  }

  /** As the run does it: counts are kept between two calls, and a wait is not counted. */
  function tell(retry: Retry, said: readonly Said[], from = none): Told {
    const steps: NextStep[] = [];
    let soFar = from;
    for (const { errorClass, resetIn, random } of said) {
      const verdict = { errorClass, final: false, ...(resetIn === undefined ? {} : { resetAt: now + resetIn }) };
      const step = nextStep(retry, soFar, verdict, { nowMs: now, random: () => random });
      steps.push(step);
      if (step.kind === 'spent') break;
      if (step.kind === 'wait') soFar = { ...soFar, waits: soFar.waits + 1 };
      else soFar = { failures: countUp(soFar.failures, errorClass), waits: 0 };
    }
    return { steps, soFar };
  }

  test('never more tries than a class or the task has; the last one ends it', () => {
    fc.assert(
      fc.property(retries, verdicts, (retry, said) => {
        const { steps, soFar } = tell(retry, said);
        const counts = Object.values(soFar.failures);
        const over = steps.at(-1)?.kind === 'spent' ? 1 : 0;
        expect(Math.max(0, ...counts)).toBeLessThan(retry.attempts);
        expect(counts.reduce((sum, count) => sum + count, 0) + over).toBeLessThanOrEqual(totalTries(retry));
      }),
    );
  });

  test('never a pause or a wait of less than nothing, never one without end, never too many waits in a row', () => {
    fc.assert(
      fc.property(retries, verdicts, (retry, said) => {
        let row = 0;
        for (const step of tell(retry, said).steps) {
          row = step.kind === 'wait' ? row + 1 : 0;
          expect(row).toBeLessThanOrEqual(mostWaits);
          if (step.kind === 'wait') {
            expect(step.untilMs).toBeGreaterThan(now);
            expect(step.untilMs).toBeLessThanOrEqual(now + longestWaitMs);
          }
          if (step.kind === 'again') {
            expect(step.afterMs).toBeGreaterThanOrEqual(0);
            expect(step.afterMs).toBeLessThanOrEqual(3 * 3_600_000);
          }
        }
      }),
    );
  });

  test('a run that was broken off anywhere goes on as an unbroken one', () => {
    fc.assert(
      fc.property(retries, verdicts, fc.nat(400), (retry, said, cut) => {
        const whole = tell(retry, said);
        const before = tell(retry, said.slice(0, cut));
        if (before.steps.at(-1)?.kind === 'spent') return;
        const kept = JSON.parse(JSON.stringify(before.soFar)) as TriesSoFar;
        const after = tell(retry, said.slice(cut), kept);
        expect([...before.steps, ...after.steps]).toEqual(whole.steps);
      }),
    );
  });
});

interface Said {
  readonly errorClass: string;
  readonly resetIn: number | undefined;
  readonly random: number;
}

const countUp = (failures: TriesSoFar['failures'], errorClass: string): TriesSoFar['failures'] => ({
  ...failures,
  [errorClass]: (Object.hasOwn(failures, errorClass) ? failures[errorClass]! : 0) + 1,
});
