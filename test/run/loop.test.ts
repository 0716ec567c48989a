import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf, RunRig, settle, type TaskSketch } from '../support/run-rig.js';

const failed = { ok: false, failure: { code: 'command-failed', exitCode: 1 } } as const;

describe('the run loop', () => {
  it('starts a task when its needs are done, no more than jobs at once', async () => {
    const rig = new RunRig();
    const plan = planOf([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd', needs: ['a', 'b'] }]);
    expect(await rig.run(plan, { jobs: 2 })).toBe('passed');
    expect(rig.started).toEqual(['a', 'b', 'c', 'd']);
    expect(rig.most.atOnce).toBe(2);
  });

  it('writes task-started before the work begins and task-finished before a dependant starts', async () => {
    const rig = new RunRig();
    rig.work = async (context) => {
      expect(rig.story).toContain(`${context.task} started`);
      if (context.task === 'b') expect(rig.story).toContain('a finished');
      return { ok: true };
    };
    await rig.run(planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }]));
    expect(rig.story).toEqual(['a started', 'a finished', 'b started', 'b finished']);
  });

  it.each([true, false])(
    'after each attempt files are looked at anew, also after one that failed (passed: %s)',
    async (ok) => {
      const rig = new RunRig();
      let fresh = 0;
      let endedAt = -1;
      Object.assign(rig.files, { recent: () => rig.files, still: () => Object.assign(rig.files, { seen: ++fresh }) });
      rig.work = async () => {
        endedAt = fresh;
        return ok ? { ok: true } : failed;
      };
      await rig.run(planOf([{ id: 'a' }]));
      expect(fresh).toBeGreaterThan(endedAt);
    },
  );

  it('goes on with independent tasks when one fails, and skips its dependants naming the root', async () => {
    const rig = new RunRig();
    rig.work = async ({ task }) => (task === 'a' ? failed : { ok: true });
    const plan = planOf([
      { id: 'a' },
      { id: 'b', needs: ['a'] },
      { id: 'c', needs: ['b'] },
      { id: 'x' },
      { id: 'y', needs: ['x'] },
    ]);
    expect(await rig.run(plan, { jobs: 1 })).toBe('failed');
    expect(rig.started).toEqual(['a', 'x', 'y']);
    expect(rig.events.filter((event) => event.type === 'task-skipped')).toEqual([
      {
        type: 'task-skipped',
        task: 'b',
        cause: 'upstream-failed',
        because: ['a'],
        reasons: [{ code: 'upstream-skipped', detail: 'a did not pass' }],
      },
      {
        type: 'task-skipped',
        task: 'c',
        cause: 'upstream-failed',
        because: ['a'],
        reasons: [{ code: 'upstream-skipped', detail: 'a did not pass' }],
      },
    ]);
  });

  it('a behaviour that throws, or answers nonsense, has failed', async () => {
    const rig = new RunRig();
    rig.work = async ({ task }) => {
      if (task === 'a') throw new Error('boom');
      return undefined as never;
    };
    expect(await rig.run(planOf([{ id: 'a' }, { id: 'b' }]))).toBe('failed');
    expect(rig.events.flatMap((event) => (event.type === 'task-failed' ? [event.failure] : []))).toEqual([
      { code: 'behaviour-crashed', detail: 'boom' },
      { code: 'behaviour-crashed', detail: 'run() did not answer with a result' },
    ]);
  });

  it('stops the run when the journal cannot be written', async () => {
    const rig = new RunRig();
    await expect(rig.run(planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }]), { journalBreaksAt: 2 })).rejects.toThrow(
      'the journal broke',
    );
    expect(rig.started).toEqual(['a']);
  });

  it('does not hang on a journal that breaks before anything started', async () => {
    const rig = new RunRig();
    await expect(rig.run(planOf([{ id: 'a' }]), { journalBreaksAt: 1 })).rejects.toThrow('the journal broke');
    expect(rig.started).toEqual([]);
  });
});

describe('retries', () => {
  it('count for each class of error apart', async () => {
    const rig = new RunRig();
    const codes = [1, 1, 2, 2, 3];
    rig.work = async () => ({ ok: false, failure: { code: 'command-failed', exitCode: codes.shift() ?? 3 } });
    expect(
      await Promise.all([rig.run(planOf([{ id: 'a', retry: { attempts: 3 } }])), pump(rig, 10)]).then(
        ([outcome]) => outcome,
      ),
    ).toBe('failed');
    // Two of class 1, two of class 2, then 3 for ever until its own three are spent.
    expect(rig.started).toHaveLength(7);
  });

  it('pause twice as long each time', async () => {
    const rig = new RunRig();
    rig.work = async () => failed;
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 4, backoff: '10s' } }]));
    await settle();
    for (const wait of [10_000, 20_000, 40_000]) {
      const before = rig.started.length;
      rig.clock.advance(wait - 1);
      await settle();
      expect(rig.started).toHaveLength(before);
      rig.clock.advance(1);
      await settle();
      expect(rig.started).toHaveLength(before + 1);
    }
    expect(await running).toBe('failed');
  });

  it('succeed on a later attempt', async () => {
    const rig = new RunRig();
    rig.work = async ({ attempt }) => (attempt === 1 ? failed : { ok: true });
    const [outcome] = await Promise.all([rig.run(planOf([{ id: 'a', retry: { attempts: 2 } }])), pump(rig, 3)]);
    expect(outcome).toBe('passed');
    expect(rig.story).toEqual(['a started', 'a failed', 'a scheduled', 'a started', 'a finished']);
  });
});

describe('limits', () => {
  it.each([
    ['timeoutMs', 'timed-out'],
    ['idleMs', 'idle-timed-out'],
  ] as const)('%s ends the attempt, and a late "true" does not count', async (limit, code) => {
    const rig = new RunRig();
    rig.work = (context) =>
      new Promise((resolve) => context.signal.addEventListener('abort', () => resolve({ ok: true })));
    const running = rig.run(planOf([{ id: 'a', [limit]: 5000 }]));
    await settle();
    rig.clock.advance(5000);
    expect(await running).toBe('failed');
    expect(rig.events.find((event) => event.type === 'task-failed')).toMatchObject({
      failure: { code, afterMs: 5000 },
    });
  });

  it('gives up on a behaviour that does not notice', async () => {
    const rig = new RunRig();
    rig.work = () => new Promise(() => {});
    const running = rig.run(planOf([{ id: 'a', timeoutMs: 1000 }]));
    await settle();
    rig.clock.advance(1000);
    rig.clock.advance(15_000);
    expect(await running).toBe('failed');
  });

  it('leaves no timer behind', async () => {
    const rig = new RunRig();
    await rig.run(planOf([{ id: 'a', timeoutMs: 1000, idleMs: 500 }]));
    expect(rig.clock.pending).toBe(0);
  });
});

describe('stopping', () => {
  it('is no news to a run that has ended: in a loop the switch outlives it', async () => {
    const rig = new RunRig();
    expect(await rig.run(planOf([{ id: 'a' }]))).toBe('passed');
    rig.stop.stop('SIGINT');
    expect(rig.ephemeral).toEqual([]);
  });

  it('starts nothing more, ends what runs, and is not a failure', async () => {
    const rig = new RunRig();
    rig.work = (context) =>
      new Promise((resolve) => context.signal.addEventListener('abort', () => resolve({ ok: true })));
    const running = rig.run(planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c' }]), { jobs: 1 });
    await settle();
    rig.stop.stop('SIGINT');
    expect(await running).toBe('cancelled');
    expect(rig.started).toEqual(['a']);
    expect(rig.events.at(-1)).toMatchObject({ type: 'run-finished', outcome: 'cancelled', signal: 'SIGINT' });
    expect(rig.ephemeral).toEqual([{ type: 'stopping', signal: 'SIGINT', running: 1 }]);
  });

  it('twice does not wait for anyone', async () => {
    const rig = new RunRig();
    rig.work = () => new Promise(() => {});
    const running = rig.run(planOf([{ id: 'a' }]));
    await settle();
    rig.stop.stop('SIGTERM');
    rig.stop.stop('SIGTERM');
    expect(await running).toBe('cancelled');
  });

  it('interrupts the pause before a retry', async () => {
    const rig = new RunRig();
    rig.work = async () => failed;
    const running = rig.run(planOf([{ id: 'a', retry: { attempts: 2, backoff: '1h' } }]));
    await settle();
    rig.stop.stop('SIGINT');
    expect(await running).toBe('cancelled');
    expect(rig.clock.pending).toBe(0);
  });
});

describe('any journal prefix resumes to the same end', () => {
  const graph = fc
    .array(fc.record({ needs: fc.array(fc.nat(), { maxLength: 3 }), fails: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    })
    .map((nodes) =>
      nodes.map(({ needs, fails }, index) => ({
        id: `t${index}`,
        needs: index === 0 ? [] : [...new Set(needs.map((need) => `t${need % index}`))],
        fails: fails && index % 3 === 0,
      })),
    );

  it('with no finished task run twice', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.nat(), async (nodes, at) => {
        const fails = new Set(nodes.filter((node) => node.fails).map((node) => node.id));
        const plan = planOf(nodes.map(({ id, needs }): TaskSketch => ({ id, needs, outputs: [`out/${id}`] })));
        const work =
          (rig: RunRig) =>
          async ({ task }: { task: string }) => {
            if (fails.has(task)) return failed;
            rig.files.write(`out/${task}`, `result of ${task}`);
            return { ok: true } as const;
          };
        const whole = new RunRig();
        whole.work = work(whole);
        const outcome = await whole.run(plan);

        const cut = new RunRig();
        cut.work = work(cut);
        await cut.run(plan);
        cut.entries = cut.entries.slice(0, 1 + (at % cut.entries.length));
        const finished = cut.story.filter((line) => line.endsWith(' finished')).map((line) => line.split(' ')[0]!);
        // What was done after the cut is lost with the machine, its files included.
        for (const { id } of plan.tasks) if (!finished.includes(id)) cut.files.remove(`out/${id}`);
        cut.started.length = 0;
        expect(await cut.run(plan)).toBe(outcome);
        expect(cut.started.filter((id) => finished.includes(id))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

/** Retries without a backoff still pass through the clock. */
async function pump(rig: RunRig, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await settle();
    rig.clock.advance(1);
  }
}
