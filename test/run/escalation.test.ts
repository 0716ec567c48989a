import { describe, expect, it } from 'vitest';
import type { GateAnswer } from '../../src/model/gates/gate-answer.js';
import { coder, done, exit, failures, inTurn, of, passed } from '../support/attempts.js';
import { planOf, RunRig, settle } from '../support/run-rig.js';

describe('when the tries are spent', () => {
  const agents = { coder, planner: { ...coder, run: './planner' } };

  it('the list is asked in its order, and who mends it earns another try', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3), exit(3), passed);
    const asked: string[] = [];
    rig.answer = async ({ name, role, prompt }) => {
      asked.push(`${name} ${role}`);
      expect(prompt).toContain('has used up all its tries');
      return name === 'planner' ? done() : { ok: true, reply: { outcome: 'failed', summary: 'no idea' } };
    };
    const plan = planOf([{ id: 'a', retry: { attempts: 2 } }]);
    expect(await rig.run(plan, { agents, escalate: ['coder', 'planner', 'human'] })).toBe('passed');
    expect(asked).toEqual(['coder planner', 'planner planner']);
    expect(of(rig, 'escalated').map(({ to, errorClass, reason }) => [to, errorClass, reason])).toEqual([
      ['coder', 'exit:3', 'command-failed'],
      ['planner', 'exit:3', 'command-failed'],
    ]);
  });

  it('a person is the last resort: the run waits', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answer = async () => done();
    const plan = planOf([{ id: 'a' }, { id: 'b', needs: ['a'] }, { id: 'c' }]);
    rig.work = async ({ task }) => (task === 'a' ? exit(3) : passed);
    expect(await rig.run(plan, { agents, escalate: ['coder', 'human'] })).toBe('waiting');
    expect(rig.story).toContain('c finished');
    expect(of(rig, 'escalated').map(({ to }) => to)).toEqual(['coder', 'human']);
    expect(failures(rig)).toEqual(['1 exit:3', '2 exit:3 last']);
  });

  it('a resume does not ask those again who have been asked', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answer = async () => done();
    const plan = planOf([{ id: 'a' }]);
    await rig.run(plan, { agents, escalate: ['coder', 'planner', 'fail'] });
    const next = new RunRig();
    next.entries = rig.entries.slice(0, rig.entries.findIndex(({ type }) => type === 'escalated') + 1);
    next.work = inTurn(exit(3));
    const asked: string[] = [];
    next.answer = async ({ name }) => {
      asked.push(name);
      return done();
    };
    expect(await next.run(plan, { agents, escalate: ['coder', 'planner', 'fail'] })).toBe('failed');
    expect(asked).toEqual(['planner']);
  });
});

describe('instructions', () => {
  const agents = { coder };
  const escalate = ['instructions', 'human'];
  const plan = planOf([
    { id: 'a', retry: { attempts: 2 } },
    { id: 'b', needs: ['a'] },
  ]);

  /** Whoever answers the newest question from another shell. */
  const answered = (rig: RunRig, text: string, verdict: GateAnswer['verdict'] = 'revise') => {
    const { task, question, shown } = of(rig, 'gate-opened').at(-1)!;
    return [{ id: 'f1', run: '1-test', task, question, shown, verdict, by: 'ada', text }];
  };

  it('of a person go into the next attempts, with their tries anew', async () => {
    const rig = new RunRig();
    const told: (string | undefined)[] = [];
    rig.work = async ({ task, feedback }) => {
      if (task === 'b') return passed;
      told.push(feedback);
      return told.length < 4 ? exit(3) : passed;
    };
    rig.answers = () => answered(rig, 'use the other loader');
    expect(await rig.run(plan, { escalate })).toBe('passed');
    expect(told).toEqual([undefined, undefined, 'use the other loader', 'use the other loader']);
    expect(failures(rig)).toEqual(['1 exit:3', '2 exit:3', '3 exit:3']);
    expect(of(rig, 'escalated').map(({ to, attempt }) => [to, attempt])).toEqual([['instructions', 2]]);
    expect(of(rig, 'gate-decided').map(({ verdict, by, reasons }) => [verdict, by, reasons])).toEqual([
      ['revise', { kind: 'person', name: 'ada' }, ['use the other loader']],
    ]);
    expect(rig.dropped).toEqual(['f1']);
    expect(rig.replayed.tasks.get('a')!.words!.said).toEqual([]);
  });

  it('are asked for once: then the next one in the list is asked', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answers = () => answered(rig, 'try harder');
    expect(await rig.run(plan, { escalate })).toBe('waiting');
    expect(of(rig, 'escalated').map(({ to, attempt }) => [to, attempt])).toEqual([
      ['instructions', 2],
      ['human', 4],
    ]);
    expect(failures(rig)).toEqual(['1 exit:3', '2 exit:3', '3 exit:3', '4 exit:3 last']);
  });

  it('are waited for while nobody gives them, by each resume, and nothing is tried', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    expect(await rig.run(plan, { escalate })).toBe('waiting');
    expect(await rig.run(plan, { escalate })).toBe('waiting');
    expect(rig.started).toEqual(['a', 'a']);
    expect(of(rig, 'gate-opened').map(({ kind, because }) => [kind, because])).toEqual([
      ['instructions', 'command-failed'],
    ]);
    expect(of(rig, 'escalated')).toHaveLength(1);
    rig.work = async ({ feedback, task }) => (task === 'b' || feedback === 'now' ? passed : exit(3));
    rig.answers = () => answered(rig, 'now');
    expect(await rig.run(plan, { escalate })).toBe('passed');
  });

  it.each(['escalated', 'gate-opened', 'gate-decided'] as const)(
    'a runner killed after %s goes on from there',
    async (last) => {
      const rig = new RunRig();
      rig.work = inTurn(exit(3), exit(3), passed);
      rig.answers = () => answered(rig, 'like this');
      await rig.run(plan, { escalate });
      const next = new RunRig();
      next.entries = rig.entries.slice(0, rig.entries.findIndex(({ type }) => type === last) + 1);
      const told: (string | undefined)[] = [];
      next.work = async ({ task, feedback }) => {
        if (task === 'a') told.push(feedback);
        return passed;
      };
      next.answers = () => answered(next, 'like this');
      expect(await next.run(plan, { escalate })).toBe('passed');
      expect(told).toEqual(['like this']);
      for (const type of ['escalated', 'gate-opened', 'gate-decided'] as const) expect(of(next, type)).toHaveLength(1);
    },
  );

  it('a kill while the fix is owed after the words does not ask for words again', async () => {
    const fixed = planOf([{ id: 'a', retry: { attempts: 2, fix: 'coder' } }]);
    const rig = new RunRig();
    rig.work = inTurn(exit(3), exit(3), exit(3), passed);
    rig.answer = async () => done();
    rig.answers = () => answered(rig, 'like this');
    expect(await rig.run(fixed, { agents, escalate })).toBe('passed');
    const third = rig.entries.findIndex((entry) => entry.type === 'task-failed' && entry.attempt === 3);
    const next = new RunRig();
    next.entries = rig.entries.slice(0, third + 1);
    const asked: string[] = [];
    next.answer = async ({ role, prompt }) => {
      asked.push(role);
      expect(prompt).toContain('\nA person says about it: like this\n');
      return done();
    };
    expect(await next.run(fixed, { agents, escalate })).toBe('passed');
    expect(asked).toEqual(['fixer']);
    expect(of(next, 'gate-opened')).toHaveLength(1);
  });

  it('are not asked for any more when what the task needs is sent back meanwhile', async () => {
    const rig = new RunRig();
    const gated = planOf([
      { id: 'a' },
      { id: 'b', needs: ['a'] },
      { id: 'c', needs: ['a'], gate: { kind: 'human', revise: { stage: 'a', max: 1 } } },
    ]);
    let rounds = 0;
    rig.work = async ({ task }) => {
      if (task === 'a') rounds += 1;
      return task === 'b' && rounds < 2 ? exit(3) : passed;
    };
    rig.answers = () => {
      const asked = of(rig, 'gate-opened').filter(({ kind }) => kind === 'human');
      const isBothAsked = of(rig, 'gate-opened').some(({ kind }) => kind === 'instructions');
      return isBothAsked
        ? asked.map(({ task, question, shown }, round) => ({
            ...{ id: `f${round}`, run: '1-test', task, question, shown, by: 'ada', text: 'once more' },
            verdict: round === 0 ? ('revise' as const) : ('pass' as const),
          }))
        : [];
    };
    const run = rig.run(gated, { escalate });
    await settle();
    rig.clock.advance(400);
    expect(await run).toBe('passed');
    expect(rig.started.filter((task) => task === 'b')).toHaveLength(2);
    expect(rig.replayed.tasks.get('b')!.words).toBeUndefined();
    expect(rig.replayed.tasks.get('b')!.escalations).toBeUndefined();
  });

  it('cannot be given by approving or rejecting', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answers = () => answered(rig, 'fine', 'pass');
    expect(await rig.run(plan, { escalate })).toBe('waiting');
    expect(of(rig, 'gate-decided')).toEqual([]);
    expect(new Set(rig.dropped)).toEqual(new Set(['f1']));
  });

  it('are not waited for any more once the task is another one, and then it has all its tries', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    await rig.run(plan, { escalate });
    const other = planOf([{ id: 'a', retry: { attempts: 2 }, options: { run: 'other' } }]);
    expect(await rig.run(other, { escalate })).toBe('waiting');
    expect(rig.started).toEqual(['a', 'a', 'a', 'a']);
    expect(of(rig, 'gate-opened')).toHaveLength(2);
  });

  it('keep nobody else from working, and can come while others do', async () => {
    const rig = new RunRig();
    const long = planOf([{ id: 'a' }, { id: 'b' }]);
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    rig.work = async ({ task, feedback }) => {
      if (task === 'b') await held;
      return task === 'b' || feedback ? passed : exit(3);
    };
    const run = rig.run(long, { escalate, jobs: 1 });
    await settle();
    expect(rig.started).toEqual(['a', 'b']);
    rig.answers = () => answered(rig, 'go');
    rig.clock.advance(400);
    await settle();
    end();
    expect(await run).toBe('passed');
    expect(of(rig, 'gate-decided')).toHaveLength(1);
  });

  it('end with the run when that is stopped, and are asked for again by the next, as the same question', async () => {
    const rig = new RunRig();
    const two = planOf([{ id: 'a' }, { id: 'b' }]);
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    rig.work = async ({ task }) => {
      if (task === 'b') await held;
      return task === 'b' ? passed : exit(3);
    };
    const run = rig.run(two, { escalate });
    await settle();
    rig.stop.stop('SIGTERM');
    end();
    expect(await run).toBe('cancelled');
    const next = new RunRig();
    next.entries = rig.entries;
    next.answers = () => answered(next, 'go');
    expect(await next.run(two, { escalate })).toBe('passed');
    expect(of(next, 'gate-opened')).toHaveLength(1);
    expect(of(next, 'escalated')).toHaveLength(1);
  });
});
