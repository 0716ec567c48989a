import { describe, expect, it } from 'vitest';
import type { AgentAnswer } from '../../src/model/agents/agent.js';
import { coder, done, exit, failures, inTurn, of, passed } from '../support/attempts.js';
import { FakeLedger } from '../support/fake-ledger.js';
import { planOf, RunRig } from '../support/run-rig.js';

describe('a fix between two attempts', () => {
  const plan = planOf([{ id: 'a', stage: 'a', retry: { attempts: 3, fix: 'coder' } }]);

  it('by an agent is told what went wrong, is booked, and is followed by another try', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3), passed);
    rig.said = () => ['ValueError: bad shape'];
    const prompts: string[] = [];
    rig.answer = async ({ prompt, env, role }) => {
      prompts.push(`${role}\n${env.AUTORESEARCH_STDERR}\n${prompt}`);
      return done();
    };
    expect(await rig.run(plan, { agents: { coder } })).toBe('passed');
    expect(rig.events.map(({ type }) => type)).toEqual([
      'run-started',
      'task-started',
      'task-failed',
      'agent-invoked',
      'spend-recorded',
      'agent-completed',
      'fix-finished',
      'retry-scheduled',
      'task-started',
      'task-finished',
      'run-finished',
    ]);
    expect(prompts[0]).toContain('fixer\na/1/stderr.log\nAn attempt of the task "a" failed.');
    expect(prompts[0]).toContain('ValueError: bad shape');
    expect(of(rig, 'spend-recorded')).toMatchObject([{ usd: 0.5, source: 'reported', stage: 'a', role: 'fixer' }]);
  });

  it('whose reply does not fit is asked for again, at most twice, and each call is paid for', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3), exit(3));
    const replies: (AgentAnswer & { ok: true })['reply'][] = [
      undefined,
      { outcome: 'ok', summary: 'x' },
      { outcome: 'done', summary: ' ' },
      { outcome: 'done', summary: 'too late' },
    ];
    const prompts: string[] = [];
    rig.answer = async ({ prompt }) => {
      prompts.push(prompt);
      return { ok: true, reply: replies[prompts.length - 1] };
    };
    const two = planOf([{ id: 'a', retry: { attempts: 2, fix: 'coder' } }]);
    expect(await rig.run(two, { agents: { coder } })).toBe('failed');
    expect(prompts).toHaveLength(3);
    expect(prompts[1]).toContain('Your last answer could not be used: there was no JSON object in the answer.');
    expect(of(rig, 'agent-validation-failed').map(({ detail, again }) => [detail, again])).toEqual([
      ['there was no JSON object in the answer', true],
      ['"outcome" must be "done", "failed" or "escalate", not "ok"', true],
      ['"summary" must be a text that says what was done', false],
    ]);
    expect(of(rig, 'fix-finished')).toMatchObject([{ ok: false, by: 'coder' }]);
    // Nobody said what the calls cost, so each counts as its cap.
    expect(of(rig, 'spend-recorded').map(({ usd, source }) => [usd, source])).toEqual([
      [2, 'cap'],
      [2, 'cap'],
      [2, 'cap'],
    ]);
  });

  it.each([
    ['nothing', 0, 2, 'cap'],
    ['more than the cap', 7, 7, 'reported'],
  ] as const)('whose reply cannot be used and says it cost %s', async (_name, usd, booked, source) => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answer = async () => ({ ok: true, reply: { outcome: 'perhaps', summary: 'x', usd }, usd });
    const two = planOf([{ id: 'a', retry: { attempts: 2, fix: 'coder' } }]);
    await rig.run(two, { agents: { coder } });
    expect(of(rig, 'spend-recorded')[0]).toMatchObject({ usd: booked, source });
  });

  it('that calls it a mistake of design ends the loop at once', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answer = async () => ({ ok: true, reply: { outcome: 'escalate', reason: 'design', summary: 'wrong loss' } });
    expect(await rig.run(plan, { agents: { coder } })).toBe('failed');
    expect(rig.started).toEqual(['a']);
    expect(failures(rig)).toEqual(['1 exit:3', '1 exit:3 last']);
  });

  it('that the budget does not cover is not started, and the run is over budget', async () => {
    const rig = new RunRig();
    rig.work = async ({ task }) => (task === 'a' ? exit(3) : passed);
    rig.ledger = new FakeLedger(3);
    rig.answer = async () => ({ ok: true, reply: { outcome: 'done', summary: 'x' } });
    const both = planOf([{ id: 'a', retry: { attempts: 5, fix: 'coder' } }, { id: 'b' }]);
    expect(await rig.run(both, { agents: { coder } })).toBe('over-budget');
    expect(rig.ledger.calls).toHaveLength(1);
    expect(of(rig, 'budget-spent')).toEqual([
      { type: 'budget-spent', task: 'a', ceiling: 'budget.usdPerRun', limit: 3, spent: 2, wanted: 2 },
    ]);
    expect(of(rig, 'task-failed').at(-1)?.failure.code).toBe('budget-spent');
    expect(rig.story).toContain('b finished');
  });

  it('is cut short when the run is stopped', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3));
    rig.answer = async () => {
      rig.stop.stop('SIGINT');
      return { ok: false, why: 'cancelled', detail: 'stopped' };
    };
    expect(await rig.run(plan, { agents: { coder } })).toBe('cancelled');
    expect(rig.started).toEqual(['a']);
    expect(of(rig, 'fix-finished')).toEqual([]);
  });
});
