import { describe, expect, it } from 'vitest';
import type { GateQuestion } from '../../../src/model/gates/gate.js';
import type { GateAnswer, PersonAnswer } from '../../../src/model/gates/gate-answer.js';
import type { Gate } from '../../../src/model/generated/config.js';
import type { GatePorts } from '../../../src/run/gates/gate-ports.js';
import { of } from '../../support/attempts.js';
import { planOf, RunRig, settle, type TaskSketch } from '../../support/run-rig.js';

const study = (gate: Gate = 'human', more: Partial<TaskSketch> = {}, others: readonly TaskSketch[] = []) =>
  planOf([{ id: 'build', outputs: ['out'], gate, ...more }, { id: 'train', needs: ['build'] }, ...others]);

function rigOf(): RunRig {
  const rig = new RunRig();
  rig.work = async ({ task, attempt }) => {
    if (task === 'build') rig.files.write('out', `made ${attempt}`);
    return { ok: true };
  };
  return rig;
}

const answer = (rig: RunRig, more: Partial<GateAnswer> = {}): GateAnswer => {
  const { task, question, shown } = of(rig, 'gate-opened').at(-1)!;
  return { id: 'a', run: '1-test', task, question, shown, verdict: 'pass', by: 'ada', ...more };
};

describe('a gate that waits for a person', () => {
  it('saves the run, and starts nothing that needs the task; what was made is kept', async () => {
    const rig = rigOf();
    expect(await rig.run(study('human', {}, [{ id: 'aside' }]))).toBe('waiting');
    expect(rig.started.sort()).toEqual(['aside', 'build']);
    expect(rig.replayed.tasks.get('build')).toMatchObject({ status: 'passed', outputs: [{ path: 'out' }] });
  });

  it('is not asked twice for the same artefact, waiting or approved', async () => {
    const rig = rigOf();
    await rig.run(study());
    await rig.run(study());
    expect(of(rig, 'gate-opened')).toHaveLength(1);
    rig.answers = () => [answer(rig)];
    expect(await rig.run(study())).toBe('passed');
    rig.answers = () => [];
    // Done again, with the same result.
    rig.work = async ({ task }) => {
      if (task === 'build') rig.files.write('out', 'made 1');
      return { ok: true };
    };
    expect(await rig.run(study(), { selection: { force: ['build'] } })).toBe('passed');
    expect([of(rig, 'gate-opened').length, rig.started]).toEqual([1, ['build', 'train', 'build']]);
  });

  it('takes an answer that comes while other work goes on', async () => {
    const rig = rigOf();
    const { work } = rig;
    let end: (() => void) | undefined;
    rig.work = async (context) => {
      if (context.task === 'slow') await new Promise<void>((resolve) => (end = resolve));
      return work(context);
    };
    const running = rig.run(study('human', {}, [{ id: 'slow' }]));
    await settle();
    expect(of(rig, 'gate-decided')).toEqual([]);
    rig.answers = () => [answer(rig, { text: 'well done' })];
    rig.clock.advance(500);
    await settle();
    expect(rig.started).toContain('train');
    end!();
    expect(await running).toBe('passed');
    expect(of(rig, 'gate-decided')).toMatchObject([
      { verdict: 'pass', by: { kind: 'person', name: 'ada' }, reasons: ['well done'] },
    ]);
    expect(rig.dropped).toContain('a');
  });

  it('takes one that was left while nobody waited', async () => {
    const rig = rigOf();
    await rig.run(study());
    rig.answers = () => [answer(rig)];
    expect(await rig.run(study())).toBe('passed');
  });

  it.each<[string, Partial<GateAnswer>]>([
    ['for another run', { run: '2-test' }],
    ['for another task', { task: 'train' }],
    ['for another question', { question: 'q-of-yesterday' }],
    ['for something else than was shown', { shown: '0'.repeat(32) }],
  ])('an answer %s is none', async (_, more) => {
    const rig = rigOf();
    await rig.run(study());
    rig.answers = () => [answer(rig, more)];
    expect(await rig.run(study())).toBe('waiting');
    expect(of(rig, 'gate-decided')).toEqual([]);
  });

  it('nor is one of somebody who is not an approver', async () => {
    const rig = rigOf();
    const plan = study({ kind: 'human', approvers: ['grace'] });
    await rig.run(plan);
    rig.answers = () => [answer(rig)];
    expect(await rig.run(plan)).toBe('waiting');
    rig.answers = () => [answer(rig, { by: 'grace' })];
    expect(await rig.run(plan)).toBe('passed');
  });

  it('an artefact that was swapped after the question voids question and answer', async () => {
    const rig = rigOf();
    const plan = study({ kind: 'human', evidence: ['out', 'notes'] });
    rig.files.write('notes', 'as shown');
    await rig.run(plan);
    const late = answer(rig);
    rig.files.write('notes', 'swapped');
    rig.answers = () => [late];
    expect(await rig.run(plan)).toBe('waiting');
    expect(of(rig, 'gate-decided')).toEqual([]);
    expect(of(rig, 'gate-opened').map(({ because }) => because)).toEqual([
      undefined,
      'notes changed since it was asked',
    ]);
  });

  it('one that is swapped in the very moment of the answer is asked about again', async () => {
    const rig = rigOf();
    const plan = study({ kind: 'human', evidence: ['notes'] });
    rig.files.write('notes', 'as shown');
    await rig.run(plan);
    const late = answer(rig);
    let looks = 0;
    rig.answers = () => {
      looks += 1;
      if (looks === 1) rig.files.write('notes', 'swapped');
      return looks === 1 ? [late] : [];
    };
    expect(await rig.run(plan)).toBe('waiting');
    expect(of(rig, 'gate-decided')).toEqual([]);
    expect(of(rig, 'gate-opened')).toHaveLength(2);
  });

  it.each<[string, Gate, Partial<TaskSketch>, string]>([
    ['the gate', { kind: 'human', approvers: ['ada'] }, {}, 'the gate changed'],
    ['the task', 'human', { options: { lr: 2 } }, 'the plan that led to it changed'],
  ])('a plan that changed after the approval voids it: %s', async (_, gate, more, said) => {
    const rig = rigOf();
    await rig.run(study());
    rig.answers = () => [answer(rig)];
    expect(await rig.run(study())).toBe('passed');
    rig.answers = () => [];
    rig.work = async ({ task }) => {
      if (task === 'build') rig.files.write('out', 'made 1');
      return { ok: true };
    };
    expect(await rig.run(study(gate, more))).toBe('waiting');
    expect(of(rig, 'gate-opened').at(-1)!.because).toContain(said);
    expect(rig.replayed.tasks.get('train')!.status).toBe('skipped');
    // What follows from it is done again, also when the same is approved.
    rig.answers = () => [answer(rig)];
    expect(await rig.run(study(gate, more))).toBe('passed');
    expect(rig.started.filter((id) => id === 'train')).toHaveLength(2);
  });

  it('what protects the study is part of what was approved', async () => {
    const rig = rigOf();
    await rig.run(study());
    rig.answers = () => [answer(rig)];
    await rig.run(study());
    rig.answers = () => [];
    expect(await rig.run({ ...study(), protect: ['eval/**'] })).toBe('waiting');
  });

  it('rejects when nobody answers in time, while it waits and after a resume', async () => {
    const plan = study({ kind: 'human', expires: '2h' }, {}, [{ id: 'slow' }]);
    const rig = rigOf();
    const { work } = rig;
    let end: (() => void) | undefined;
    rig.work = async (context) => {
      if (context.task === 'slow') await new Promise<void>((resolve) => (end = resolve));
      return work(context);
    };
    const running = rig.run(plan);
    await settle();
    rig.clock.advance(7_200_000);
    await settle();
    end!();
    expect(await running).toBe('failed');
    expect(of(rig, 'gate-decided')).toMatchObject([
      { verdict: 'reject', by: { kind: 'time' }, reasons: ['nobody answered within 2h'] },
    ]);

    const later = rigOf();
    expect(await later.run(study({ kind: 'human', expires: '2h' }))).toBe('waiting');
    later.clock.advance(7_200_000);
    later.answers = () => [answer(later)];
    expect(await later.run(study({ kind: 'human', expires: '2h' }))).toBe('failed');
    expect(of(later, 'gate-decided')).toMatchObject([{ verdict: 'reject', by: { kind: 'time' } }]);
  });

  it('a rejection of the first task ends the run, stays, and can be got over', async () => {
    const rig = rigOf();
    await rig.run(study());
    rig.answers = () => [answer(rig, { verdict: 'reject', text: 'no baseline' })];
    expect(await rig.run(study())).toBe('failed');
    rig.answers = () => [];
    expect(rig.replayed.tasks.get('build')).toMatchObject({
      status: 'failed',
      failure: { code: 'gate-rejected', reasons: ['no baseline'] },
      product: expect.any(String),
    });
    // Going on neither approves it nor asks again nor does the work again.
    expect(await rig.run(study())).toBe('failed');
    expect([rig.started, of(rig, 'gate-opened').length]).toEqual([['build'], 1]);
    // Redone it is asked about, even when the same came out.
    rig.work = async ({ task }) => {
      if (task === 'build') rig.files.write('out', 'made 1');
      return { ok: true };
    };
    expect(await rig.run(study(), { selection: { force: ['build'] } })).toBe('waiting');
    rig.answers = () => [answer(rig)];
    expect(await rig.run(study())).toBe('passed');
    expect(rig.started).toEqual(['build', 'build', 'train']);
  });

  it('--only does not lead around it', async () => {
    const rig = rigOf();
    await rig.run(study());
    expect(await rig.run(study(), { selection: { only: ['train'] } })).toBe('waiting');
    expect(rig.started).toEqual(['build']);
  });

  it('an interruption leaves the question open', async () => {
    const rig = rigOf();
    const { work } = rig;
    rig.work = async (context) => {
      if (context.task !== 'slow') return work(context);
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      return { ok: false, failure: { code: 'cancelled', signal: 'SIGINT' } };
    };
    const running = rig.run(study('human', {}, [{ id: 'slow' }]));
    await settle();
    expect(of(rig, 'gate-opened')).toHaveLength(1);
    rig.stop.stop('SIGINT');
    expect(await running).toBe('cancelled');
    expect(of(rig, 'gate-decided')).toEqual([]);
    expect(rig.started).not.toContain('train');
  });

  it('in autonomous mode nobody is asked, and without an answer nothing passes', async () => {
    const rig = rigOf();
    let asked = 0;
    const gates: Partial<GatePorts> = {
      autonomous: true,
      askPerson: async () => {
        asked += 1;
        return { verdict: 'pass', by: 'ada' };
      },
    };
    expect(await rig.run(study(), { gates })).toBe('failed');
    expect(asked).toBe(0);
    expect(of(rig, 'gate-decided')).toMatchObject([
      { verdict: 'reject', failed: true, reasons: ['it asks a person, and in autonomous mode nobody is asked'] },
    ]);
  });
});

describe('the question at the terminal', () => {
  const asking = (say: (question: GateQuestion, aborted: AbortSignal) => Promise<PersonAnswer | 'later'>) => ({
    gates: { askPerson: say },
  });

  it('is waited for, and its answer counts', async () => {
    const rig = rigOf();
    expect(
      await rig.run(
        study(),
        asking(async () => ({ verdict: 'pass', by: 'ada' })),
      ),
    ).toBe('passed');
  });

  it.each<[string, () => Promise<PersonAnswer | 'later'>]>([
    ['later', async () => 'later'],
    ['a terminal that breaks', () => Promise.reject(new Error('EIO'))],
    ['somebody who may not', async () => ({ verdict: 'pass', by: 'mallory' })],
  ])('%s is no answer', async (_, say) => {
    const rig = rigOf();
    expect(await rig.run(study({ kind: 'human', approvers: ['ada'] }), asking(say))).toBe('waiting');
    expect(of(rig, 'gate-decided')).toEqual([]);
  });

  it('one at a time; the answer of another shell takes the question away', async () => {
    const rig = rigOf();
    const plan = planOf([
      { id: 'a', gate: 'human' },
      { id: 'b', gate: 'human' },
    ]);
    const open: string[] = [];
    const say = ({ task }: GateQuestion, aborted: AbortSignal): Promise<PersonAnswer | 'later'> => {
      open.push(task);
      return new Promise((resolve) => aborted.addEventListener('abort', () => resolve('later')));
    };
    const running = rig.run(plan, asking(say));
    await settle();
    expect(open).toEqual(['a']);
    const [first, second] = of(rig, 'gate-opened');
    const about = ({ task, question, shown }: GateQuestion): GateAnswer => ({
      id: task,
      run: '1-test',
      task,
      question,
      shown,
      verdict: 'pass',
      by: 'ada',
    });
    rig.answers = () => [about(first!)];
    rig.clock.advance(500);
    await settle();
    expect(open).toEqual(['a', 'b']);
    rig.answers = () => [about(second!)];
    rig.clock.advance(500);
    expect(await running).toBe('passed');
  });
});
