import { describe, expect, it } from 'vitest';
import type { GateAnswer, PersonAnswer } from '../../../src/model/gates/gate-answer.js';
import type { Gate } from '../../../src/model/generated/config.js';
import { of } from '../../support/attempts.js';
import { planOf, RunRig, settle, type TaskSketch } from '../../support/run-rig.js';

/** design → build → test (the gate) → train, and beside them something that has nothing to do with it. */
const chain = (gate: Gate, more: readonly TaskSketch[] = []) =>
  planOf([
    { id: 'design', outputs: ['design'] },
    { id: 'build', needs: ['design'], outputs: ['build'] },
    { id: 'test', needs: ['build'], outputs: ['test'], gate },
    { id: 'train', needs: ['test'], outputs: ['train'] },
    ...more,
  ]);

interface Told extends RunRig {
  readonly feedback: string[];
}

function rigOf(): Told {
  const rig = Object.assign(new RunRig(), { feedback: [] as string[] });
  let count = 0;
  rig.work = async ({ task, feedback }) => {
    if (feedback !== undefined) rig.feedback.push(`${task}: ${feedback}`);
    rig.files.write(task, `${task} ${++count}`);
    return { ok: true };
  };
  return rig;
}

/** Whoever answers does so for the question that is open, as often as there is one. */
const answering =
  (rig: RunRig, ...said: readonly Pick<PersonAnswer, 'verdict' | 'text'>[]): (() => readonly GateAnswer[]) =>
  () => {
    const opened = of(rig, 'gate-opened');
    const next = said[of(rig, 'gate-decided').length];
    const open = opened.at(-1);
    if (!next || !open) return [];
    const { task, question, shown } = open;
    return [{ id: 'a', run: '1-test', task, question, shown, by: 'ada', ...next }];
  };

const checked = (revise: { readonly stage?: string; readonly max: number }, more: object = {}): Gate => ({
  kind: 'auto',
  checks: ['1 > 2'],
  revise,
  ...more,
});

describe('work that is sent back', () => {
  it('runs again from the named stage, with all that depends on it; the rest is left alone', async () => {
    const rig = rigOf();
    rig.answers = answering(rig, { verdict: 'revise', text: 'more tests' }, { verdict: 'pass' });
    const plan = chain({ kind: 'human', revise: { stage: 'build', max: 3 } }, [{ id: 'aside', outputs: ['aside'] }]);
    expect(await rig.run(plan, { jobs: 1 })).toBe('passed');
    expect(rig.started.filter((id) => id !== 'aside')).toEqual(['design', 'build', 'test', 'build', 'test', 'train']);
    expect(rig.started.filter((id) => id === 'aside')).toHaveLength(1);
    expect(rig.feedback).toEqual(['build: more tests']);
    expect(of(rig, 'revision-requested')).toEqual([
      {
        type: 'revision-requested',
        task: 'test',
        stage: 'build',
        to: ['build'],
        downstream: ['test', 'train'],
        feedback: 'more tests',
        round: 1,
      },
    ]);
    expect(rig.replayed.sentBack.size).toBe(0);
  });

  it('goes to the own stage unless another is named; each round tells of those before', async () => {
    const rig = rigOf();
    rig.answers = answering(
      rig,
      { verdict: 'revise', text: 'one' },
      { verdict: 'revise', text: 'two' },
      { verdict: 'pass' },
    );
    expect(await rig.run(chain('human'), { jobs: 1 })).toBe('passed');
    expect(rig.started).toEqual(['design', 'build', 'test', 'test', 'test', 'train']);
    expect(rig.feedback).toEqual(['test: one', 'test: two\n\nBefore that it was sent back with:\n- one']);
  });

  it('an answer for what was shown before the rework is no answer for the rework', async () => {
    const rig = rigOf();
    const late: GateAnswer[] = [];
    rig.answers = () => late;
    expect(await rig.run(chain({ kind: 'human', revise: { stage: 'build', max: 3 } }))).toBe('waiting');
    const { task, question, shown } = of(rig, 'gate-opened')[0]!;
    const about = { run: '1-test', task, question, shown, by: 'ada' };
    late.push({ ...about, id: 'a', verdict: 'revise', text: 'again' }, { ...about, id: 'b', verdict: 'pass' });
    expect(await rig.run(chain({ kind: 'human', revise: { stage: 'build', max: 3 } }))).toBe('waiting');
    expect(of(rig, 'gate-decided').map(({ verdict }) => verdict)).toEqual(['revise']);
    expect(rig.started).toEqual(['design', 'build', 'test', 'build', 'test']);
  });

  it.each<[string, object, string]>([
    ['unless stated', {}, 'failed'],
    ['with exhausted: fail', { exhausted: 'fail' }, 'failed'],
    ['with exhausted: human', { exhausted: 'human' }, 'waiting'],
  ])('ends when it was sent back often enough: %s', async (_, more, outcome) => {
    const rig = rigOf();
    const plan = chain(checked({ stage: 'build', max: 2 }, more));
    expect(await rig.run(plan)).toBe(outcome);
    expect(rig.started.filter((id) => id === 'build')).toHaveLength(3);
    expect(rig.started).not.toContain('train');
    // Nor does going on give it new rounds.
    expect(await rig.run(plan)).toBe(outcome);
    expect(rig.started.filter((id) => id === 'build')).toHaveLength(3);
    expect(of(rig, 'revision-requested')).toHaveLength(2);
    const last = of(rig, 'gate-opened').at(-1)!;
    if (outcome === 'waiting')
      expect(last).toMatchObject({
        kind: 'human',
        because:
          'a check wants it revised (1 > 2 is false), and it was sent back 2 times, which is all that revise.max allows',
      });
    else
      expect(of(rig, 'gate-decided').at(-1)).toMatchObject({
        verdict: 'reject',
        reasons: ['1 > 2 is false', 'it was sent back 2 times, which is all that revise.max allows'],
      });
  });

  it('when nothing may be sent back, a check that fails rejects', async () => {
    const rig = rigOf();
    expect(await rig.run(chain({ kind: 'auto', checks: ['false'] }))).toBe('failed');
    expect(of(rig, 'revision-requested')).toEqual([]);
    expect(rig.replayed.tasks.get('test')!.failure).toMatchObject({
      code: 'gate-rejected',
      reasons: ['false is false'],
    });
  });

  it('a person may send it back as often as revise.max says, and then only decide', async () => {
    const rig = rigOf();
    rig.answers = answering(rig, { verdict: 'revise', text: 'one' }, { verdict: 'revise', text: 'two' });
    expect(await rig.run(chain({ kind: 'human', revise: { max: 1 } }), { jobs: 1 })).toBe('waiting');
    expect(of(rig, 'gate-decided')).toHaveLength(1);
    expect(of(rig, 'gate-opened').at(-1)!.noRevise).toMatch(/^it was sent back once/);
    const strict = rigOf();
    strict.answers = answering(strict, { verdict: 'revise', text: 'one' }, { verdict: 'revise', text: 'two' });
    expect(await strict.run(chain({ kind: 'human', revise: { max: 1 }, exhausted: 'fail' }), { jobs: 1 })).toBe(
      'failed',
    );
    expect(of(strict, 'gate-decided').at(-1)).toMatchObject({ verdict: 'reject', by: { name: 'ada' } });
  });

  it('waits for what is under way, and then does that again too', async () => {
    const rig = rigOf();
    // The gate is on one branch, while another task that depends on build is still at work.
    const plan = planOf([
      { id: 'build', outputs: ['build'] },
      { id: 'test', needs: ['build'], outputs: ['test'], gate: { kind: 'human', revise: { stage: 'build', max: 1 } } },
      { id: 'bench', needs: ['build'], outputs: ['bench'] },
    ]);
    rig.answers = answering(rig, { verdict: 'revise', text: 'again' }, { verdict: 'pass' });
    const { work } = rig;
    let end: (() => void) | undefined;
    rig.work = async (context) => {
      if (context.task === 'bench' && !end) await new Promise<void>((resolve) => (end = resolve));
      return work(context);
    };
    const running = rig.run(plan);
    await settle();
    expect(rig.started).toEqual(['build', 'test', 'bench']);
    expect(of(rig, 'revision-requested')).toHaveLength(1);
    end!();
    expect(await running).toBe('passed');
    expect(rig.started).toEqual(['build', 'test', 'bench', 'build', 'test', 'bench']);
  });

  it('what failed beside it is forgotten when it passes the second time', async () => {
    const rig = rigOf();
    const plan = planOf([
      { id: 'build', outputs: ['build'] },
      { id: 'bench', needs: ['build'] },
      { id: 'test', needs: ['build'], outputs: ['test'], gate: { kind: 'human', revise: { stage: 'build', max: 1 } } },
    ]);
    rig.answers = answering(rig, { verdict: 'revise', text: 'again' }, { verdict: 'pass' });
    const { work } = rig;
    rig.work = async (context) =>
      context.task === 'bench' && context.attempt === 1
        ? { ok: false, failure: { code: 'command-failed', exitCode: 1 } }
        : work(context);
    expect(await rig.run(plan, { jobs: 1 })).toBe('passed');
    expect(rig.replayed.tasks.get('bench')!.status).toBe('passed');
  });

  it('an interruption in the middle loses neither the feedback nor what has to be done again', async () => {
    const rig = rigOf();
    const plan = chain({ kind: 'human', revise: { stage: 'design', max: 2 } });
    rig.answers = answering(rig, { verdict: 'revise', text: 'redesign' }, { verdict: 'pass' });
    await rig.run(plan, { jobs: 1 });
    const whole = [...rig.entries];
    const cut = whole.findIndex(({ type }) => type === 'revision-requested') + 1;
    for (let length = cut; length < whole.length; length += 1) {
      const again = rigOf();
      again.entries = whole.slice(0, length);
      // The files of this rig are new, so it may be asked once more.
      again.answers = answering(again, { verdict: 'revise' }, { verdict: 'pass' }, { verdict: 'pass' });
      expect(await again.run(plan, { jobs: 1 }), `cut after ${length} records`).toBe('passed');
      const rounds = of(again, 'revision-requested');
      expect(rounds, `cut after ${length} records`).toHaveLength(1);
      const finished = of(again, 'task-finished').map(({ task }) => task);
      for (const task of ['design', 'build', 'test'])
        expect(finished.filter((id) => id === task).length, `${task}, cut after ${length}`).toBeGreaterThanOrEqual(2);
    }
  });
});
