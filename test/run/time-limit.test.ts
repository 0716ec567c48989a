import { describe, expect, it } from 'vitest';
import type { StageResult } from '../../src/model/stage.js';
import { inTurn, of, passed } from '../support/attempts.js';
import { planOf, RunRig, settle } from '../support/run-rig.js';

describe('the time of a run', () => {
  it('ends it when it is over, and what runs is stopped', async () => {
    const rig = new RunRig();
    rig.work = ({ signal, task }) =>
      task === 'b'
        ? Promise.resolve(passed)
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve(passed)));
    const running = rig.run(planOf([{ id: 'a' }, { id: 'b' }, { id: 'c', needs: ['a'] }]), { timeMs: 60_000 });
    await settle();
    rig.clock.advance(60_000);
    expect(await running).toBe('over-budget');
    expect(rig.started).toEqual(['a', 'b']);
    expect(of(rig, 'budget-spent')).toEqual([
      { type: 'budget-spent', ceiling: 'budget.time', limit: 60_000, spent: 60_000, wanted: 0 },
    ]);
  });

  it('is not given back by a resume: what is left is counted from what was worked', async () => {
    const rig = new RunRig();
    const plan = planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }]);
    let turn = 0;
    rig.work = async () => {
      rig.clock.advance(40_000);
      if (++turn === 1) return passed;
      throw new Error('the machine stops here');
    };
    await rig.run(plan, { timeMs: 600_000 });
    const next = new RunRig();
    next.entries = rig.entries.filter(({ type }) => type !== 'run-finished');
    next.clock.advance(10 * 3_600_000);
    next.work = inTurn(passed);
    expect(await next.run(plan, { timeMs: 70_000 })).toBe('over-budget');
    expect(next.started).toEqual([]);
  });

  it('is not given back to a runner that is killed: what it worked since the last record counts in full', async () => {
    const plan = planOf([{ id: 'a' }]);
    const endless = ({ signal }: { signal: AbortSignal }) =>
      new Promise<StageResult>((resolve) => signal.addEventListener('abort', () => resolve(passed)));
    const rig = new RunRig();
    rig.work = endless;
    void rig.run(plan, { timeMs: 60_000 });
    await settle();
    rig.clock.advance(30_000);
    const killed = rig.entries.slice();
    const next = new RunRig();
    next.entries = killed;
    next.clock.advance(10 * 3_600_000);
    next.work = endless;
    const resumed = next.run(plan, { timeMs: 60_000 });
    await settle();
    // 30 seconds were written down, and the next record was due after three more.
    next.clock.advance(26_900);
    await settle();
    expect(of(next, 'budget-spent')).toEqual([]);
    next.clock.advance(200);
    expect(await resumed).toBe('over-budget');
    rig.stop.kill('SIGTERM');
  });

  it('is not used up by a machine that sleeps, or by a clock that is set forward', async () => {
    const plan = planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }]);
    const rig = new RunRig();
    let turn = 0;
    rig.work = async () => {
      rig.clock.advance(10_000);
      // The timers of a machine that sleeps stand still; only the clock has moved when it wakes.
      rig.clock.jump(9 * 3_600_000);
      return ++turn === 1 ? passed : { ok: false, failure: { code: 'cancelled', signal: 'SIGTERM' } };
    };
    await rig.run(plan, { timeMs: 60_000 });
    const next = new RunRig();
    next.entries = rig.entries;
    next.clock.jump(20 * 3_600_000);
    next.work = inTurn(passed);
    expect(await next.run(plan, { timeMs: 60_000 })).toBe('passed');
  });

  it('that cannot be written down stops the run, as any other record that cannot', async () => {
    const rig = new RunRig();
    rig.work = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(passed)));
    const running = rig.run(planOf([{ id: 'a' }]), { timeMs: 60_000, journalBreaksAt: 4 });
    const failed = expect(running).rejects.toThrow('the journal broke');
    await settle();
    rig.clock.advance(60_000);
    await failed;
    await expect(new RunRig().run(planOf([{ id: 'a' }]), { timeMs: 60_000, journalBreaksAt: 1 })).rejects.toThrow(
      'the journal broke',
    );
  });
});
