import { describe, expect, it } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../src/model/agents/agent.js';
import type { Agent } from '../../src/model/generated/config.js';
import type { AgentEnd, AgentWish } from '../../src/model/stage.js';
import { FakeLedger } from '../support/fake-ledger.js';
import { planOf, RunRig, type TaskSketch } from '../support/run-rig.js';
import { until } from '../support/until.js';

const done = { outcome: 'done', summary: 'did it' } as const;
const replied = (more: Partial<AgentAnswer> = {}): AgentAnswer =>
  ({ ok: true, reply: done, usd: 0.1, ...more }) as AgentAnswer;

const worker = (own: Partial<Agent> = {}): Record<string, Agent> => ({
  coder: { backend: 'command', run: './x', limits: { usd: 1 }, ...own },
});

const task = (own: Partial<TaskSketch> = {}): TaskSketch => ({
  id: 'a',
  agent: { name: 'coder', backend: 'command' },
  ...own,
});

const wish: AgentWish<'work'> = { prompt: 'do it', reply: 'work', access: 'write' };

/** A run of one task whose behaviour asks once; every question and how it ended. */
function asking(answers: readonly AgentAnswer[], own: Partial<AgentWish> = {}) {
  const rig = new RunRig();
  const asked: AgentRequest[] = [];
  const ends: AgentEnd<'work'>[] = [];
  rig.answer = async (request) => {
    asked.push(request);
    return answers[Math.min(asked.length, answers.length) - 1]!;
  };
  rig.work = async (context) => {
    const end = await context.ask({ ...wish, ...own } as AgentWish<'work'>);
    ends.push(end);
    return end.ok ? { ok: true, summary: end.reply.summary } : end;
  };
  return { rig, asked, ends };
}

describe('asking the agent of a stage', () => {
  it('sends the prompt with how to answer, and takes the reply', async () => {
    const { rig, asked, ends } = asking([replied({ turns: 3, model: 'tiny-2', session: { id: 's1' } })]);
    rig.changed = ['src/a.py'];
    expect(await rig.run(planOf([task()]), { agents: worker() })).toBe('passed');
    expect(asked[0]).toMatchObject({
      name: 'coder',
      role: 'author',
      task: 'a',
      access: 'write',
      helpers: 0,
      dir: 'a/1/author-1',
    });
    expect(asked[0]!.prompt).toMatch(/^do it\n\nAnswer with one JSON object as the last thing you print/);
    expect(ends).toEqual([{ ok: true, reply: { ...done, files: [] }, files: ['src/a.py'] }]);
    const completed = rig.events.find(({ type }) => type === 'agent-completed');
    expect(completed).toEqual({
      type: 'agent-completed',
      call: 'call-1',
      task: 'a',
      agent: 'coder',
      durationMs: 0,
      session: { id: 's1' },
      turns: 3,
      model: 'tiny-2',
      files: ['src/a.py'],
      changedFiles: 1,
      outcome: 'done',
    });
  });

  it('never sends the value of a secret', async () => {
    const { rig, asked } = asking([replied()], { prompt: 'the password is hunter2' });
    await rig.run(planOf([task()]), { agents: worker() });
    expect(asked[0]!.prompt).toMatch(/^the password is \[secret PASSWORD\]\n/);
    expect(JSON.stringify(rig.entries)).not.toContain('hunter2');
  });

  it.each([
    [
      'gave up',
      { outcome: 'failed', summary: 'no data' },
      { code: 'agent-gave-up', agent: 'coder', summary: 'no data' },
    ],
    [
      'asks for more scope',
      { outcome: 'escalate', reason: 'scope', summary: 'more', files: ['b.py', { path: 'c.py', lines: '1-2' }] },
      { code: 'agent-escalated', agent: 'coder', reason: 'scope', summary: 'more', files: ['b.py', 'c.py'] },
    ],
  ])('an agent that %s is a failure, whatever else it did', async (_, reply, failure) => {
    const { rig, ends } = asking([replied({ reply } as never)]);
    expect(await rig.run(planOf([task({ retry: { attempts: 1 } })]), { agents: worker() })).toBe('failed');
    expect(ends).toEqual([{ ok: false, failure }]);
  });

  it('a mistake of design ends the loop at once, although tries are left', async () => {
    const reply = { outcome: 'escalate', reason: 'design', summary: 'it cannot work' };
    const { rig, asked } = asking([replied({ reply } as never)]);
    expect(await rig.run(planOf([task({ retry: { attempts: 5 } })]), { agents: worker(), escalate: ['human'] })).toBe(
      'waiting',
    );
    expect(asked).toHaveLength(1);
    expect(rig.events.find(({ type }) => type === 'escalated')).toMatchObject({ to: 'human', errorClass: 'design' });
  });

  it('asks again, more strictly, at most twice; then it is a failure', async () => {
    const { rig, asked, ends } = asking([{ ok: true, reply: { outcome: 'great' } }]);
    expect(await rig.run(planOf([task()]), { agents: worker() })).toBe('failed');
    expect(asked.map(({ dir }) => dir)).toEqual(['a/1/author-1', 'a/1/author-2', 'a/1/author-3']);
    expect(asked[1]!.prompt).toContain('Your last answer could not be used: "outcome" must be');
    expect(ends[0]).toMatchObject({ ok: false, failure: { code: 'agent-reply-unusable', agent: 'coder' } });
    expect(rig.events.filter(({ type }) => type === 'spend-recorded')).toHaveLength(3);
  });

  it('a quota that says when it is full again is waited for and costs no try', async () => {
    const { rig, asked } = asking([]);
    const resetAt = rig.clock.now() + 3_600_000;
    rig.answer = async (request) => {
      asked.push(request);
      return asked.length === 1 ? { ok: false, why: 'quota', detail: 'limit', resetAt } : replied();
    };
    const run = rig.run(planOf([task()]), { agents: worker() });
    await until(() => rig.story.includes('a scheduled'));
    rig.clock.advance(3_600_000);
    expect(await run).toBe('passed');
    const failed = rig.events.find(({ type }) => type === 'task-failed');
    expect(failed).toMatchObject({ errorClass: 'quota', counted: false, retrying: true });
  });

  it.each(['not-installed', 'not-logged-in', 'refused', 'no-recording'] as const)(
    '%s is not tried again',
    async (why) => {
      const { rig, asked } = asking([{ ok: false, why, detail: 'no' }]);
      expect(await rig.run(planOf([task({ retry: { attempts: 3 } })]), { agents: worker() })).toBe('failed');
      expect(asked).toHaveLength(1);
    },
  );

  it('words about a quota in what the agent wrote are no quota', async () => {
    const { rig } = asking([{ ok: false, why: 'crashed', detail: 'exited with code 1' }]);
    rig.said = () => ['Error: 429 rate limit exceeded, resets in 5 hours'];
    expect(await rig.run(planOf([task()]), { agents: worker() })).toBe('failed');
    expect(rig.events.find(({ type }) => type === 'task-failed')).toMatchObject({
      errorClass: 'agent:crashed',
      counted: true,
    });
  });

  it('without money nothing is asked, and the run says so', async () => {
    const { rig, asked } = asking([replied()]);
    rig.ledger = new FakeLedger(0.5);
    expect(await rig.run(planOf([task({ retry: { attempts: 3 } })]), { agents: worker() })).toBe('over-budget');
    expect(asked).toEqual([]);
    expect(rig.story).toEqual(['a started', 'a budget-spent', 'a failed']);
  });

  it('recordings are free: nothing is set aside for them', async () => {
    const { rig } = asking([replied({ usd: 0 })]);
    await rig.run(planOf([task()]), { agents: worker({ backend: 'replay' }) });
    expect(rig.events.find(({ type }) => type === 'agent-invoked')).toMatchObject({ capUsd: 0 });
  });

  it('more files than it may change is a failure', async () => {
    const { rig, ends } = asking([replied()]);
    rig.changed = ['a', 'b', 'c'];
    await rig.run(planOf([task()]), { agents: worker({ limits: { files: 2, usd: 1 } }) });
    expect(ends[0]).toMatchObject({
      failure: { why: 'too-many-files', detail: 'it changed 3 files; limits.files is 2' },
    });
  });

  it('an optional agent that is not there leaves its task out, and what comes after goes on', async () => {
    const { rig } = asking([{ ok: false, why: 'not-installed', detail: 'no claude' }]);
    const ask = rig.work;
    rig.work = (context) => (context.task === 'a' ? ask(context) : Promise.resolve({ ok: true }));
    const plan = planOf([task(), { id: 'b', needs: ['a'] }]);
    expect(await rig.run(plan, { agents: worker({ optional: true }) })).toBe('passed');
    expect(rig.events.find(({ type }) => type === 'task-skipped')).toEqual({
      type: 'task-skipped',
      task: 'a',
      cause: 'agent-unreachable',
      reasons: [{ code: 'agent-unreachable', detail: 'coder: no claude' }],
    });
    expect(rig.story.at(-1)).toBe('b finished');
  });

  it('the next try is told what went wrong before', async () => {
    const rig = new RunRig();
    const seen: unknown[] = [];
    rig.said = (dir) => (dir === 'a/1' ? ['FileNotFoundError: [Errno 2] No such file or directory: data.csv'] : []);
    rig.work = async ({ trouble, attempt }) => {
      seen.push(trouble);
      return attempt === 1 ? { ok: false, failure: { code: 'command-failed', exitCode: 2 } } : { ok: true };
    };
    expect(await rig.run(planOf([task({ retry: { attempts: 2 } })]), { agents: worker() })).toBe('passed');
    expect(seen).toEqual([
      undefined,
      {
        attempt: 1,
        what: 'command-failed',
        errorClass: 'not-found',
        lines: ['FileNotFoundError: [Errno 2] No such file or directory: data.csv'],
      },
    ]);
  });
});

describe('what an agent may change', () => {
  const scoped = task({ scope: ['src/**'], outputs: [], retry: { attempts: 3 } });

  it('outside of its scope: the run is violated, at once, although it says "done"', async () => {
    const { rig, asked, ends } = asking([replied()]);
    rig.changed = ['src/a.py', 'eval/score.py'];
    expect(await rig.run(planOf([scoped]), { agents: worker() })).toBe('violated');
    expect(asked).toHaveLength(1);
    expect(ends[0]).toEqual({
      ok: false,
      failure: { code: 'scope-violated', agent: 'coder', files: ['eval/score.py'] },
    });
    expect(rig.events.find(({ type }) => type === 'agent-validation-failed')).toMatchObject({
      detail: 'it changed eval/score.py, which it may not',
      again: false,
    });
  });

  it('also when the call itself failed', async () => {
    const { rig } = asking([{ ok: false, why: 'crashed', detail: 'x' }]);
    rig.changed = ['eval/score.py'];
    expect(await rig.run(planOf([scoped]), { agents: worker() })).toBe('violated');
  });

  it('also when the backend itself breaks: the call is settled all the same', async () => {
    const { rig } = asking([]);
    rig.answer = async () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    rig.changed = ['eval/score.py'];
    expect(await rig.run(planOf([scoped]), { agents: worker() })).toBe('violated');
    expect(rig.ledger.calls).toMatchObject([{ cost: { wallMs: 0 } }]);
    rig.changed = [];
    expect(await rig.run(planOf([task({ id: 'b' })]), { agents: worker() })).toBe('failed');
    expect(rig.events.find((event) => event.type === 'agent-failed' && event.task === 'b')).toMatchObject({
      why: 'crashed',
    });
  });

  it('who is asked to look only may change nothing', async () => {
    const { rig } = asking([replied()], { access: 'read' });
    rig.changed = ['src/a.py'];
    expect(await rig.run(planOf([task()]), { agents: worker() })).toBe('violated');
  });

  it('who mends is bound by the scope of the stage too', async () => {
    const rig = new RunRig();
    rig.work = async () => ({ ok: false, failure: { code: 'command-failed', exitCode: 1 } });
    rig.answer = async () => replied();
    rig.changed = ['eval/score.py'];
    const plan = planOf([{ id: 'a', scope: ['src/**'], retry: { attempts: 3, fix: 'coder' } }]);
    expect(await rig.run(plan, { agents: worker() })).toBe('violated');
    expect(rig.story).toEqual([
      'a started',
      'a failed',
      'a agent-invoked',
      'a spend-recorded',
      'a agent-completed',
      'a agent-validation-failed',
      'a failed',
    ]);
  });

  it('what another task that runs meanwhile has declared is put down to that one', async () => {
    const { rig } = asking([replied()]);
    const ask = rig.work;
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let go = (): void => {};
    const mayAnswer = new Promise<void>((resolve) => (go = resolve));
    rig.answer = async () => {
      asked();
      await mayAnswer;
      rig.changed = ['other/b.txt'];
      return replied();
    };
    rig.work = async (context) => {
      if (context.task === 'a') return ask(context);
      await isAsked;
      rig.files.write('other/b.txt', 'x');
      go();
      return { ok: true };
    };
    const plan = planOf([scoped, { id: 'b', outputs: ['other/b.txt'] }]);
    expect(await rig.run(plan, { agents: worker() })).toBe('passed');
  });
});

describe('sessions', () => {
  const two = planOf([task(), task({ id: 'b', needs: ['a'] })]);
  const numbered = () => {
    const setup = asking([]);
    setup.rig.answer = async (request) => {
      setup.asked.push(request);
      return replied({ session: { id: request.session?.id ?? `s${setup.asked.length}` } });
    };
    return setup;
  };
  const idsOf = (asked: readonly AgentRequest[]): unknown[] => asked.map(({ session }) => session?.id);

  it('persistent: one for the whole run', async () => {
    const { rig, asked } = numbered();
    await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) });
    expect(idsOf(asked)).toEqual([undefined, 's1']);
  });

  it('fresh: one for each task, kept over its attempts', async () => {
    const { rig, asked } = numbered();
    const ask = rig.work;
    rig.work = async (context) => {
      const end = await ask(context);
      return context.task === 'a' && context.attempt === 1
        ? { ok: false, failure: { code: 'command-failed', exitCode: 1 } }
        : end;
    };
    const plan = planOf([task({ retry: { attempts: 2 } }), task({ id: 'b', needs: ['a'] })]);
    await rig.run(plan, { agents: worker() });
    expect(idsOf(asked)).toEqual([undefined, 's1', undefined]);
  });

  it('stateless: never one', async () => {
    const { rig, asked } = numbered();
    await rig.run(two, { agents: worker({ lifecycle: 'stateless' }) });
    expect(idsOf(asked)).toEqual([undefined, undefined]);
  });

  it('who reviews is stateless unless stated', async () => {
    const { rig, asked } = numbered();
    rig.work = async (context) => {
      await context.ask({ prompt: 'judge', reply: 'review', access: 'read' });
      return { ok: true };
    };
    await rig.run(two, { agents: worker() });
    expect(asked[0]!.role).toBe('reviewer');
    expect(new Set(idsOf(asked))).toEqual(new Set([undefined]));
  });

  it('survive the process: the journal has them', async () => {
    const { rig, asked } = numbered();
    await rig.run(planOf([task()]), { agents: worker({ lifecycle: 'persistent' }) });
    rig.entries = rig.entries.filter(({ type }) => type !== 'run-finished');
    await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) });
    expect(idsOf(asked)).toEqual([undefined, 's1']);
  });

  /** Whoever asks to go on with a session hears that it is gone. */
  const forgetting = () => {
    const { rig, asked } = numbered();
    const answer = rig.answer;
    rig.answer = async (request) => {
      if (!request.session) {
        const answered = await answer(request);
        rig.words.set(request.dir, { prompt: request.prompt, reply: '{"summary":"did it"}' });
        return answered;
      }
      asked.push(request);
      return { ok: false, why: 'session-lost', detail: 'gone' };
    };
    return { rig, asked };
  };
  const replaced = (rig: RunRig) =>
    rig.entries.flatMap((entry) => (entry.type === 'agent-invoked' && entry.replaces ? [entry.replaces] : []));

  it('one that is lost is begun anew, once, and told what the lost one was asked and replied', async () => {
    const { rig, asked } = forgetting();
    expect(await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) })).toBe('passed');
    expect(idsOf(asked)).toEqual([undefined, 's1', undefined]);
    const [first, again, anew] = asked.map(({ prompt }) => prompt);
    expect(anew).toMatch(/^# What you did before\n\nYour earlier session is gone/);
    expect(anew).toContain(`You were asked:\n\n${first}`);
    expect(anew).toContain('You replied:\n\n{"summary":"did it"}');
    expect(anew!.endsWith(`# What is asked of you now\n\n${again}`)).toBe(true);
    expect(replaced(rig)).toEqual([{ session: 's1', told: 1, of: 1 }]);
  });

  it('one that is lost again is told of everything, and of nothing twice', async () => {
    const { rig, asked } = forgetting();
    const three = planOf([task(), task({ id: 'b', needs: ['a'] }), task({ id: 'c', needs: ['b'] })]);
    expect(await rig.run(three, { agents: worker({ lifecycle: 'persistent' }) })).toBe('passed');
    const last = asked.at(-1)!.prompt;
    expect(last.match(/# What you did before/g)).toHaveLength(1);
    expect(last.match(/^## \d+\. Task \w+/gm)).toEqual(['## 1. Task a', '## 2. Task b']);
    expect(replaced(rig)).toEqual([
      { session: 's1', told: 1, of: 1 },
      { session: 's3', told: 2, of: 2 },
    ]);
  });

  it('one that was lost when the runner died is told of by the next', async () => {
    const { rig, asked } = forgetting();
    await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) });
    const lostAt = rig.entries.findIndex((entry) => entry.type === 'agent-failed');
    rig.entries = rig.entries.slice(0, lostAt + 1);
    asked.length = 0;
    expect(await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) })).toBe('passed');
    expect(asked[0]!.prompt).toMatch(/^# What you did before/);
    expect(replaced(rig)).toEqual([{ session: 's1', told: 1, of: 1 }]);
  });

  it('one of which nothing is kept fails the task rather than to go on without its memory', async () => {
    const { rig, asked } = forgetting();
    rig.words.set = () => rig.words;
    expect(await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) })).toBe('failed');
    expect(idsOf(asked)).toEqual([undefined, 's1']);
    expect(rig.entries.find((entry) => entry.type === 'task-failed')).toMatchObject({
      failure: {
        code: 'agent-failed',
        why: 'session-lost',
        detail: 'its session s1 is gone, and nothing is kept of the 1 call in it',
      },
    });
  });

  it('much of it is cut, and that is said', async () => {
    const { rig, asked } = forgetting();
    const answer = rig.answer;
    rig.answer = async (request) => {
      const answered = await answer(request);
      if (!request.session) rig.words.set(request.dir, { prompt: `front ${'x'.repeat(100_000)} back` });
      return answered;
    };
    expect(await rig.run(two, { agents: worker({ lifecycle: 'persistent' }) })).toBe('passed');
    const { prompt } = asked.at(-1)!;
    expect(prompt.length).toBeLessThan(50_000);
    expect(prompt).toMatch(/front x+\n\[… \d+ letters are left out …\]\nx+ back/);
    expect(prompt).toContain('Your reply is not kept.');
  });

  it('a correction goes into the session alone', async () => {
    const { rig, asked } = asking([
      { ok: true, reply: undefined, session: { id: 's' } },
      replied({ session: { id: 's' } }),
    ]);
    expect(await rig.run(planOf([task()]), { agents: worker() })).toBe('passed');
    expect(asked[1]!.session).toEqual({ id: 's' });
    expect(asked[1]!.prompt).toMatch(/^Your last answer could not be used: there was no JSON object/);
  });

  it('one session answers one question at a time', async () => {
    const { rig, asked } = numbered();
    let running = 0;
    let most = 0;
    const answer = rig.answer;
    rig.answer = async (request) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return answer(request);
    };
    const wide = planOf(['a', 'b', 'c'].map((id) => task({ id })));
    await rig.run(wide, { agents: worker({ lifecycle: 'persistent' }), jobs: 3 });
    expect(most).toBe(1);
    expect(idsOf(asked)).toEqual([undefined, 's1', 's1']);
  });
});

describe('protected files', () => {
  it('are looked at once more at the end, every byte of them', async () => {
    const rig = new RunRig();
    const looks: boolean[] = [];
    rig.guard = {
      check({ thorough = false } = {}) {
        looks.push(thorough);
        return thorough ? { files: ['eval/score.py'], evidence: '/e', problems: [] } : undefined;
      },
      during: () => ({ check: () => undefined }),
    };
    expect(await rig.run(planOf([{ id: 'a' }]))).toBe('violated');
    expect(looks).toEqual([false, false, true]);
    expect(rig.events.find(({ type }) => type === 'protection-violated')).toEqual({
      type: 'protection-violated',
      files: ['eval/score.py'],
      evidence: '/e',
    });
  });
});
