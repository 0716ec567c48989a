import { describe, expect, it } from 'vitest';
import { replay } from '../../src/journal/apply.js';
import type { Plan } from '../../src/model/plan.js';
import { preview } from '../../src/run/freshness/decider.js';
import { alsoForced, forcedTasks, select } from '../../src/run/select.js';
import { planOf, RunRig, type TaskSketch } from '../support/run-rig.js';

const chain: TaskSketch[] = [
  { id: 'data', inputs: ['seed'], outputs: ['data.json'], options: { size: 10 } },
  { id: 'train', needs: ['data'], outputs: ['model'], options: { lr: 0.001 } },
  { id: 'report', needs: ['train'], outputs: ['report.md'] },
];

async function finished(): Promise<RunRig> {
  const rig = new RunRig();
  rig.files.write('seed', '1');
  rig.work = async ({ task, outputs }) => {
    for (const output of outputs) rig.files.write(output, `made by ${task}`);
    return { ok: true };
  };
  await rig.run(planOf(chain));
  rig.started.length = 0;
  return rig;
}

function reasons(rig: RunRig, plan: Plan, then: Plan = plan): Record<string, string> {
  const tasks = new Map(then.tasks.map((task) => [task.id, task]));
  const states = replay(rig.entries)!.tasks;
  const decisions = preview(plan, {
    files: rig.files,
    selected: select(plan, { only: [], from: [], force: [] }),
    past: (id) => {
      const state = states.get(id);
      const task = tasks.get(id);
      return state && { state, ...(task ? { task } : {}) };
    },
  });
  return Object.fromEntries(
    [...decisions].map(([id, { action, maybe, reasons: why }]) => [
      id,
      `${maybe ? 'maybe ' : ''}${action}: ${why.map(({ code, detail }) => `${code} (${detail})`).join(', ')}`,
    ]),
  );
}

const change = (id: string, sketch: Partial<TaskSketch>): Plan =>
  planOf(chain.map((task) => (task.id === id ? { ...task, ...sketch } : task)));

describe('freshness', () => {
  it('finds nothing to do after a finished run', async () => {
    const rig = await finished();
    expect(Object.values(reasons(rig, planOf(chain)))).toEqual(
      Array(3).fill('cached: unchanged (nothing it depends on has changed)'),
    );
    expect(await rig.run(planOf(chain))).toBe('passed');
    expect(rig.started).toEqual([]);
  });

  it('names the input, and says that what follows will run', async () => {
    const rig = await finished();
    rig.files.write('seed', '2');
    expect(reasons(rig, planOf(chain))).toEqual({
      data: 'run: input-changed (seed changed)',
      train: 'maybe run: upstream-stale (data will run; spared if that makes the same as before)',
      report: 'maybe run: upstream-stale (train will run; spared if that makes the same as before)',
    });
  });

  it('promises nothing where there is another reason, or where nobody can tell what was made', async () => {
    const rig = new RunRig();
    const tasks: TaskSketch[] = [
      { id: 'say', inputs: ['seed'] },
      { id: 'after', needs: ['say'] },
    ];
    rig.files.write('seed', '1');
    await rig.run(planOf(tasks));
    rig.files.write('seed', '2');
    expect(reasons(rig, planOf(tasks)).after).toBe('run: upstream-stale (say will run)');

    const other = await finished();
    other.files.write('seed', '2');
    other.files.remove('model');
    expect(reasons(other, planOf(chain)).train).toBe(
      'run: upstream-stale (data will run), output-missing (model is gone)',
    );
  });

  it('promises nothing behind a gate when a definition changed that its verdict is bound to', async () => {
    const rig = await finished();
    const gated = (size: number, options: object = { lr: 0.001 }): Plan =>
      planOf([
        { ...chain[0]!, options: { size } },
        { ...chain[1]!, options, gate: 'human' },
        chain[2]!,
      ] as TaskSketch[]);
    rig.files.write('seed', '2');
    expect(reasons(rig, gated(10)).report).toMatch(/^maybe run/);
    const after = 'run: upstream-stale (train will run)';
    expect(reasons(rig, gated(11)).report).toBe(after);
    expect(reasons(rig, gated(10, { lr: 1 })).report).toBe(after);
    const open = planOf([{ ...chain[0]!, options: { size: 11 } }, chain[1]!, chain[2]!]);
    expect(reasons(rig, open).report).toMatch(/^maybe run/);
  });

  it('does not believe a result that was recorded in a format it does not know', async () => {
    const rig = await finished();
    rig.entries = rig.entries.map((entry) =>
      entry.type === 'task-finished' && entry.task === 'train'
        ? { ...entry, fingerprint: { v: 2, whatever: ['else'] } as never }
        : entry,
    );
    expect(reasons(rig, planOf(chain))).toMatchObject({
      data: expect.stringMatching(/^cached/),
      train: 'run: format-changed (its result was recorded in format 2, and this version knows 1)',
    });
    expect(await rig.run(planOf(chain))).toBe('passed');
    expect(rig.started).toEqual(['train']);
  });

  it('still forces what an interrupted run was to force, until it has passed', async () => {
    const rig = await finished();
    const plan = planOf(chain);
    const states = replay(rig.entries)!.tasks;
    const none = select(plan, { only: [], from: [], force: [] });
    const actions = (selected: typeof none): string[] =>
      [...preview(plan, { files: rig.files, selected, past: (id) => ({ state: states.get(id)! }) })].map(
        ([id, { action, reasons: why }]) => `${id} ${action} ${why[0]!.code}`,
      );
    const forced = new Set(['report']);
    const selected = alsoForced(none, forced);
    expect(actions(selected)).toEqual(['data cached unchanged', 'train cached unchanged', 'report run forced']);
    forced.delete('report');
    expect(actions(selected)[2]).toBe('report cached unchanged');
    expect(forcedTasks(plan, select(plan, { only: ['report'], from: ['train'], force: [] }))).toEqual(['report']);
  });

  it('cuts off early: a rerun with the same product makes nothing stale', async () => {
    const rig = await finished();
    rig.files.write('seed', '2');
    await rig.run(planOf(chain));
    expect(rig.started).toEqual(['data']);
  });

  it('names the option with both values', async () => {
    const rig = await finished();
    const now = change('train', { options: { lr: 0.0003 } });
    expect(reasons(rig, now, planOf(chain))).toMatchObject({
      data: expect.stringMatching(/^cached/),
      train: 'run: option-changed (lr changed 0.001 → 0.0003)',
    });
  });

  it.each<[string, (rig: RunRig) => Plan, string]>([
    ['another environment', () => change('train', { env: { A: '1' } }), 'run: env-changed (env is different)'],
    [
      'another behaviour version',
      () => change('train', { behaviour: 'fake@2' }),
      'run: behaviour-changed (fake is another version)',
    ],
    [
      'a missing output',
      (rig) => {
        rig.files.remove('model');
        return planOf(chain);
      },
      'run: output-missing (model is gone)',
    ],
    [
      'an output that was edited',
      (rig) => {
        rig.files.write('model', 'forged');
        return planOf(chain);
      },
      'run: output-changed (model was changed after the task wrote it)',
    ],
    ['cache: false', () => change('train', { cache: false }), 'run: not-cached (the stage says cache: false)'],
    [
      'a new input',
      (rig) => {
        rig.files.write('extra', 'x');
        return change('train', { inputs: ['extra'] });
      },
      'run: input-changed (extra is new)',
    ],
    [
      'a new need',
      () =>
        planOf([
          { id: 'other' },
          ...chain.map((task) => (task.id === 'train' ? { ...task, needs: ['data', 'other'] } : task)),
        ]),
      'run: upstream-stale (other is needed now)',
    ],
  ])('reruns for %s', async (_name, edit, expected) => {
    const rig = await finished();
    expect(reasons(rig, edit(rig)).train).toBe(expected);
  });

  it('believes an output that was rewritten with the same content', async () => {
    const rig = await finished();
    rig.files.write('model', 'made by train');
    expect(reasons(rig, planOf(chain)).train).toMatch(/^cached/);
  });

  it('is not made stale by what the task itself makes', async () => {
    const rig = new RunRig();
    rig.work = async () => {
      rig.files.write('out', `made in attempt ${rig.started.length}`);
      return { ok: true };
    };
    const plan = planOf([{ id: 'a', inputs: ['out'], outputs: ['out'] }]);
    rig.files.write('out', 'before');
    await rig.run(plan);
    expect(reasons(rig, plan).a).toMatch(/^cached/);
  });

  it('names a schema that changed', async () => {
    const rig = new RunRig();
    rig.files.write('x.schema.json', '{}');
    rig.work = async () => {
      rig.files.write('x', '{}');
      return { ok: true };
    };
    const plan = planOf([{ id: 'a', outputs: ['x'], schema: { x: 'x.schema.json' } }]);
    await rig.run(plan);
    rig.files.write('x.schema.json', '{"type":"object"}');
    expect(reasons(rig, plan).a).toBe('run: input-changed (x.schema.json changed)');
  });

  it('says that nothing ever ran', () => {
    const rig = new RunRig();
    rig.files.write('seed', '1');
    rig.entries = [];
    const plan = planOf(chain);
    const decisions = preview(plan, {
      files: rig.files,
      selected: select(plan, { only: [], from: [], force: [] }),
      past: () => undefined,
    });
    expect([...decisions.values()].map(({ reasons: [reason] }) => reason!.code)).toEqual([
      'never-ran',
      'never-ran',
      'never-ran',
    ]);
  });
});

describe('selection', () => {
  it('--force runs the stage, --from also what depends on it, --only nothing else', async () => {
    const forced = await finished();
    await forced.run(planOf(chain), { selection: { force: ['data'] } });
    expect(forced.started).toEqual(['data']);
    const from = await finished();
    await from.run(planOf(chain), { selection: { from: ['train'] } });
    expect(from.started).toEqual(['train', 'report']);
    const only = await finished();
    only.files.write('seed', '2');
    await only.run(planOf(chain), { selection: { only: ['train'], force: ['train'] } });
    expect(only.started).toEqual(['train']);
  });
});

describe('outputs', () => {
  const one = planOf([{ id: 'a', outputs: ['x', 'y'] }]);
  const failureOf = (rig: RunRig): unknown =>
    rig.events.flatMap((event) => (event.type === 'task-failed' ? [event.failure] : []))[0];

  it.each<[string, (rig: RunRig) => void, unknown]>([
    ['are not there', () => {}, { code: 'output-missing', outputs: ['x', 'y'] }],
    [
      'are empty',
      (rig) => {
        rig.files.write('x', '');
        rig.files.write('y', 'ok');
      },
      { code: 'output-empty', outputs: ['x'] },
    ],
  ])('that %s fail the task', async (_name, leave, failure) => {
    const rig = new RunRig();
    rig.work = async () => {
      leave(rig);
      return { ok: true };
    };
    expect(await rig.run(one)).toBe('failed');
    expect(failureOf(rig)).toEqual(failure);
  });

  it('left over from an older run do not count', async () => {
    const rig = new RunRig();
    rig.files.write('x', 'old');
    rig.files.write('y', 'old');
    rig.work = async () => {
      rig.files.write('y', 'new');
      return { ok: true };
    };
    expect(await rig.run(one)).toBe('failed');
    expect(failureOf(rig)).toEqual({ code: 'output-not-written', outputs: ['x'] });
  });

  it('have to satisfy their schema', async () => {
    const rig = new RunRig();
    rig.work = async () => {
      rig.files.write('x', '{}');
      return { ok: true };
    };
    expect(await rig.run(planOf([{ id: 'a', outputs: ['x'], schema: { x: 'never' } }]))).toBe('failed');
    expect(failureOf(rig)).toEqual({ code: 'output-invalid', output: 'x', detail: 'x is not right' });
  });

  it('inputs that are not there fail before anything starts', async () => {
    const rig = new RunRig();
    expect(await rig.run(planOf([{ id: 'a', inputs: ['gone'] }]))).toBe('failed');
    expect(rig.started).toEqual([]);
    expect(failureOf(rig)).toEqual({ code: 'input-missing', inputs: ['gone'] });
  });
});
