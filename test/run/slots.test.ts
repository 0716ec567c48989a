import { describe, expect, it } from 'vitest';
import { exit, passed } from '../support/attempts.js';
import { planOf, RunRig, settle } from '../support/run-rig.js';

describe('a task that waits', () => {
  it('for its next try does not keep another from working, and gets a place again', async () => {
    const rig = new RunRig();
    rig.said = (dir) => (dir === 'a/1' ? ['Error: 429 Too Many Requests, try again in 2h'] : []);
    let tries = 0;
    rig.work = async ({ task }) => (task === 'a' && ++tries === 1 ? exit(1) : passed);
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 2 } }, { id: 'b' }, { id: 'c', needs: ['b'] }]), {
      jobs: 1,
    });
    await settle();
    expect(rig.story).toContain('c finished');
    rig.clock.advance(2 * 3_600_000);
    expect(await running).toBe('passed');
    expect(rig.started).toEqual(['a', 'b', 'c', 'a']);
    expect(rig.most.atOnce).toBe(1);
  });

  it('and those that queue behind it never make more than the jobs', async () => {
    const rig = new RunRig();
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
    const failedOnce = new Set<string>();
    rig.work = async ({ task }) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (failedOnce.has(task)) return passed;
      failedOnce.add(task);
      return exit(1);
    };
    const running = rig.run(planOf(ids.map((id) => ({ id, retry: { attempts: 2, backoff: '1s' } }))), { jobs: 3 });
    await settle();
    await settle();
    rig.clock.advance(60_000);
    expect(await running).toBe('passed');
    expect(rig.most.atOnce).toBe(3);
  });
});
