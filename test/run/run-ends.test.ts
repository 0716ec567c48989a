import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/model/state/run-state.js';
import { RunEnds } from '../../src/run/run-ends.js';
import { planOf } from '../support/run-rig.js';

const [gated, after] = planOf([{ id: 'gated' }, { id: 'after', needs: ['gated'] }]).tasks as [never, never];
const state = (more: object): TaskState => ({ id: 'gated', status: 'passed', attempts: 1, reasons: [], ...more });
const open = { opened: { question: 'q1', at: 1 }, rounds: 0 };

describe('a gate that would have to be asked, of a task that is not asked for', () => {
  it('keeps the run from nothing, and whoever builds on it from being tried', () => {
    const ends = new RunEnds();
    ends.leave(gated, state({ status: 'skipped' }), true);
    expect([ends.outcome(undefined), ends.blockedBy(after)]).toEqual(['passed', ['gated']]);
  });

  it('is waited for when something was asked for that builds on it', () => {
    const ends = new RunEnds();
    ends.leave(gated, undefined, true);
    ends.miss(['elsewhere']);
    expect(ends.outcome(undefined)).toBe('passed');
    ends.miss(ends.blockedBy(after));
    expect(ends.outcome(undefined)).toBe('waiting');
  });

  it('is waited for when this run has asked it', () => {
    const ends = new RunEnds();
    ends.leave(gated, state({ gate: open }), true);
    expect(ends.outcome(undefined)).toBe('waiting');
  });
});
