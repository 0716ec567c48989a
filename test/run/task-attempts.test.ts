import { describe, expect, it } from 'vitest';
import { coder, done, exit, failures, inTurn, of, passed } from '../support/attempts.js';
import { planOf, RunRig, settle } from '../support/run-rig.js';

describe('tries of a task', () => {
  it('are counted for each class of error apart', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(1), exit(1), exit(75), exit(1));
    const plan = planOf([{ id: 'a', retry: { attempts: 3 } }]);
    expect(await rig.run(plan)).toBe('failed');
    expect(failures(rig)).toEqual(['1 exit:1', '2 exit:1', '3 transient', '4 exit:1 last']);
  });

  it('end at the total, however many classes there are', async () => {
    const rig = new RunRig();
    let turn = 0;
    rig.work = async () => exit(++turn);
    expect(await rig.run(planOf([{ id: 'a', retry: { attempts: 2, total: 4 } }]))).toBe('failed');
    expect(failures(rig)).toHaveLength(4);
  });

  it('are not given back by a resume', async () => {
    const rig = new RunRig();
    const plan = planOf([{ id: 'a', retry: { attempts: 3, backoff: '1m' } }]);
    rig.work = inTurn(exit(1));
    const running = rig.run(plan);
    await settle();
    // The runner dies in the pause after the first failure.
    const before = rig.entries.slice();
    rig.stop.kill('SIGTERM');
    await running;
    const next = new RunRig();
    next.entries = before;
    next.clock.advance(60_000);
    next.work = inTurn(exit(1));
    const resumed = next.run(plan);
    await settle();
    next.clock.advance(3_600_000);
    expect(await resumed).toBe('failed');
    expect(failures(next)).toEqual(['1 exit:1', '2 exit:1', '3 exit:1 last']);
  });

  it('of a task that failed before are one more when the same run is started again', async () => {
    const rig = new RunRig();
    const plan = planOf([{ id: 'a', retry: { attempts: 2 } }]);
    rig.work = inTurn(exit(1));
    await rig.run(plan);
    rig.entries = rig.entries.filter(({ type }) => type !== 'run-finished');
    const next = new RunRig();
    next.entries = rig.entries;
    next.work = inTurn(exit(1));
    expect(await next.run(plan)).toBe('failed');
    expect(failures(next)).toEqual(['1 exit:1', '2 exit:1 last', '3 exit:1 last']);
  });

  it('a pause that was interrupted is waited for to its end, also when the clock was set back', async () => {
    const rig = new RunRig();
    const plan = planOf([{ id: 'a', retry: { attempts: 2, backoff: '10m' } }]);
    rig.work = inTurn(exit(1), passed);
    const running = rig.run(plan);
    await settle();
    rig.clock.advance(4 * 60_000);
    rig.stop.stop('SIGINT');
    expect(await running).toBe('cancelled');

    const next = new RunRig();
    next.entries = rig.entries;
    next.clock.advance(4 * 60_000);
    next.work = inTurn(passed);
    const resumed = next.run(plan);
    await settle();
    expect(next.started).toEqual([]);
    next.clock.advance(6 * 60_000);
    expect(await resumed).toBe('passed');
    expect(next.started).toEqual(['a']);

    for (const hours of [3, 3 * 24]) {
      const back = new RunRig();
      back.entries = rig.entries.slice(0, -1);
      back.clock.advance(-hours * 3_600_000);
      back.work = inTurn(passed);
      const later = back.run(plan);
      await settle();
      expect(back.started).toEqual([]);
      back.clock.advance(10 * 60_000);
      expect(await later).toBe('passed');
    }
  });

  it('a pause is over when its time has come while the machine slept, and not before', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(1), passed);
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 2, backoff: '50m' } }]));
    await settle();
    rig.clock.jump(20 * 60_000);
    rig.clock.advance(60_000);
    await settle();
    expect(rig.started).toEqual(['a']);
    rig.clock.jump(30 * 60_000);
    rig.clock.advance(60_000);
    expect(await running).toBe('passed');
  });

  it('a quota that says when to come back is waited for and costs no attempt', async () => {
    const rig = new RunRig();
    rig.said = (dir) => (dir === 'a/3' ? [] : ['Error: 429 Too Many Requests, try again in 20s']);
    rig.work = inTurn(exit(1), exit(1), exit(1), passed);
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 2 } }]));
    await settle();
    expect(of(rig, 'retry-scheduled').map(({ afterMs }) => afterMs)).toEqual([20_000]);
    rig.clock.advance(19_999);
    await settle();
    expect(rig.started).toHaveLength(1);
    rig.clock.advance(1);
    await settle();
    rig.clock.advance(20_000);
    expect(await running).toBe('passed');
    expect(of(rig, 'task-failed').map(({ errorClass, counted }) => [errorClass, counted])).toEqual([
      ['quota', false],
      ['quota', false],
      ['exit:1', true],
    ]);
  });

  it('every failed attempt is written to the error log with what follows', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(1), exit(1));
    await rig.run(planOf([{ id: 'a', retry: { attempts: 2 } }]));
    expect(
      rig.errors.map(({ task, attempt, errorClass, what, next, dir }) => [task, attempt, errorClass, what, next, dir]),
    ).toEqual([
      ['a', 1, 'exit:1', 'command-failed', 'another try', 'a/1'],
      ['a', 2, 'exit:1', 'command-failed', 'no more tries', 'a/2'],
    ]);
  });
});

describe('a run that is started again', () => {
  const plan = planOf([{ id: 'a', retry: { attempts: 3, fix: 'coder' } }]);

  it('does first what was to be mended when it was cut short', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.said = () => ['ValueError: bad shape'];
    rig.answer = async () => {
      rig.stop.kill('SIGTERM');
      return { ok: false, why: 'cancelled', detail: 'killed' };
    };
    expect(await rig.run(plan, { agents: { coder } })).toBe('cancelled');
    const next = new RunRig();
    next.entries = rig.entries;
    next.said = rig.said;
    next.work = inTurn(passed);
    const asked: string[] = [];
    next.answer = async ({ prompt }) => {
      asked.push(prompt);
      return done();
    };
    expect(await next.run(plan, { agents: { coder } })).toBe('passed');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('ValueError: bad shape');
    expect(next.started).toEqual(['a']);
    expect(of(next, 'task-started').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('after it had failed has new tries: a person has seen it', async () => {
    const rig = new RunRig();
    const simple = planOf([{ id: 'a', retry: { attempts: 2 } }]);
    rig.work = inTurn(exit(1));
    expect(await rig.run(simple, { escalate: ['human'] })).toBe('waiting');
    const next = new RunRig();
    next.entries = rig.entries;
    next.work = inTurn(exit(1));
    expect(await next.run(simple, { escalate: ['human'] })).toBe('waiting');
    expect(failures(next)).toEqual(['1 exit:1', '2 exit:1 last', '3 exit:1', '4 exit:1 last']);
    expect(of(next, 'escalated').map(({ to }) => to)).toEqual(['human', 'human']);
  });

  it('for some stages only keeps what it knows of the others', async () => {
    const rig = new RunRig();
    const two = planOf([{ id: 'a' }, { id: 'b' }]);
    rig.work = async ({ task }) => (task === 'a' ? exit(1) : passed);
    expect(await rig.run(two)).toBe('failed');
    const next = new RunRig();
    next.entries = rig.entries;
    next.work = inTurn(passed);
    expect(await next.run(two, { selection: { only: ['a'] } })).toBe('passed');
    expect(of(next, 'task-skipped')).toEqual([]);
  });
});

describe('messages that look like a quota', () => {
  it('cannot buy tries without end', async () => {
    const rig = new RunRig();
    rig.said = () => ['Error: rate limit; try again in 1s'];
    rig.work = inTurn(exit(1));
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 2, total: 3 } }]));
    for (let turn = 0; turn < 60; turn += 1) {
      await settle();
      rig.clock.advance(1000);
    }
    expect(await running).toBe('failed');
    expect(rig.started.length).toBeLessThanOrEqual(23);
  });
});
