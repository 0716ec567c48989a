import { describe, expect, test } from 'vitest';
import { applyIteration } from '../../../src/journal/apply-iteration.js';
import { nextStep } from '../../../src/run/iterate/next-step.js';
import { LoopStudy, metric, rules } from './loop-study.js';

const stopOf = (loop: LoopStudy): string => {
  const stop = loop.run();
  return `${stop?.because}: ${stop?.detail}`;
};

describe('a loop', () => {
  test('measures its baseline first, as often as stated, and keeps only what beats its noise', () => {
    const loop = new LoopStudy(rules({ keep: 'best', repeats: 3, max: 4 }), [1.0, 1.2, 1.1, 0.95, 0.8, 'fails', 0.7]);
    expect(stopOf(loop)).toBe('max: 4 iterations were made');
    expect(loop.verdicts()).toEqual([
      '0 kept: the baseline, measured 3 times, noise floor 0.2',
      '1 discarded: loss is 0.95 after 1.1: won 0.15, not more than the noise floor of 0.2',
      '2 kept: loss is 0.8 after 1.1: won 0.3',
      '3 failed: train failed',
      '4 discarded: loss is 0.7 after 0.8: won 0.1, not more than the noise floor of 0.2',
    ]);
    expect(loop.state).toMatchObject({ best: { number: 2, value: 0.8 }, usd: 7, workedMs: 7000 });
    expect(loop.events.filter(({ type }) => type === 'iteration-decided')).toHaveLength(5);
  });

  test('a failed baseline is measured again by whoever goes on, and never counts', () => {
    const loop = new LoopStudy(rules({ keep: 'best', repeats: 2, max: 1 }), [1, 'fails', 3, 1]);
    loop.run(6);
    expect(loop.state).toMatchObject({ baseline: [1], rows: [] });
    expect(loop.next()).toEqual({ do: 'start', number: 0, repeat: 2 });
    loop.run();
    expect(loop.verdicts()[0]).toBe('0 kept: the baseline, measured 2 times, noise floor 2');
  });

  test('higher can be better, and a small win is none', () => {
    const higher = rules({ metric: { ...metric, better: 'higher' }, minEffect: 0.5, max: 4 });
    const loop = new LoopStudy(higher, [1, 1.4, 1.5, 1.2]);
    loop.run();
    expect(loop.verdicts()).toEqual([
      '1 kept: loss is 1, the first that was measured',
      '2 kept: loss is 1.4 after 1: won 0.4, less than the 0.5 of minEffect',
      '3 kept: loss is 1.5 after 1: won 0.5',
      '4 kept: loss is 1.2 after 1.5: no better than the best',
    ]);
    expect(loop.state!.rows.map(({ progress }) => progress)).toEqual([true, false, true, false]);
  });

  test('ends by patience, and a failure is no progress', () => {
    const loop = new LoopStudy(rules({ patience: 2 }), [3, 2, 2.5, 'fails']);
    expect(stopOf(loop)).toBe('patience: 2 iterations in a row made no progress');
  });

  test('ends by failures in a row, and goes on when somebody says so', () => {
    const loop = new LoopStudy(rules({ failures: 2, max: 9 }), [
      'fails',
      3,
      'fails',
      'fails',
      'fails',
      2,
      'fails',
      'fails',
    ]);
    const stop = loop.run()!;
    expect(`${stop.because}: ${stop.detail}`).toBe('failures: 2 iterations failed one after another');
    expect(loop.state!.rows).toHaveLength(4);
    loop.add({ type: 'iterations-finished', because: stop.because, detail: stop.detail });
    expect(loop.next()).toEqual({ do: 'start', number: 5, repeat: 1 });
    expect(stopOf(loop)).toBe('failures: 2 iterations failed one after another');
    expect(loop.state!.rows).toHaveLength(8);
  });

  test('ends on a plateau, although each small win was one', () => {
    const loop = new LoopStudy(rules({ plateau: { over: 2, gain: 1 }, max: 9 }), [10, 8, 7.8, 7.5]);
    expect(stopOf(loop)).toBe('plateau: the last 2 iterations together won 0.5, less than 1');
  });

  test('ends when its expression holds, and asks it of nothing before an iteration is decided', () => {
    const asked: number[] = [];
    const loop = new LoopStudy(rules({ until: 'best < 2.0' }), [3, 1], ({ best, rows }) => {
      asked.push(rows.length);
      return best!.value < 2;
    });
    expect(stopOf(loop)).toBe('until: best < 2.0 holds');
    expect(asked).toEqual([1, 2]);
  });

  test('ends by money or time of all iterations together', () => {
    expect(stopOf(new LoopStudy(rules({ budget: { usd: 2 } }), [3, 2]))).toBe(
      'budget: $2 of $2 are spent (iterate.budget.usd)',
    );
    const timed = new LoopStudy(rules({ budget: { time: '2500ms' } }), [3, 2]);
    expect(stopOf(timed)).toBe('budget: 2.0 s of 2.5 s were worked (iterate.budget.time)');
  });

  test('goes on where it is when a rule is widened', () => {
    const loop = new LoopStudy(rules({ max: 1 }), [3]);
    const stop = loop.run()!;
    loop.add({ type: 'iterations-finished', because: stop.because, detail: stop.detail });
    expect(nextStep(loop.state, 'study', { rules: rules({ max: 2 }) })).toEqual({ do: 'start', number: 2, repeat: 1 });
    expect(nextStep(loop.state, 'other', { rules: rules() })).toEqual({ do: 'begin-series', series: 2 });
  });
});

test('whoever was killed after any record goes on to the same end', () => {
  const results = [1, 1.1, 0.5, 'fails', 0.9, 0.3] as const;
  const whole = new LoopStudy(rules({ keep: 'best', repeats: 2, max: 4 }), results);
  const end = whole.run();
  for (let cut = 0; cut <= whole.events.length; cut += 1) {
    const events = whole.events.slice(0, cut);
    const left = results.slice(events.filter(({ type }) => type === 'iteration-measured').length);
    const loop = new LoopStudy(whole.rules, left);
    for (const entry of events) {
      loop.events.push(entry);
      loop.state = applyIteration(loop.state, entry);
    }
    expect(loop.run()).toEqual(end);
    expect(loop.state).toEqual(whole.state);
  }
});

test('a record that does not follow is refused', () => {
  const loop = new LoopStudy(rules(), [1]);
  loop.run(3);
  const measured = loop.events.at(-1)!;
  expect(() => loop.add({ type: 'iteration-started', number: 2, repeat: 1 })).toThrow(
    'iteration 2 began before 1 had ended',
  );
  expect(() => loop.add({ type: 'iteration-closed', number: 7 })).toThrow(
    'iteration-closed of iteration 7, which is not open',
  );
  expect(() => applyIteration(loop.state, measured)).toThrow('iteration 1 was measured twice');
  expect(() => applyIteration(undefined, measured)).toThrow('the record begins with iteration-measured');
});
