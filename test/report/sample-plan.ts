import type { Decision, Plan, Reason, Task, TaskId } from '../../src/model/plan.js';

/** Plans for the tests of report/: small ones to be read, large ones to be counted. */
export function sampleTask(id: TaskId, more: Partial<Task> = {}): Task {
  return {
    id,
    stage: id.split(':')[0]!,
    uses: 'command',
    behaviour: 'b1946ac92492d2347c6235b4d2611184',
    options: {},
    needs: [],
    inferred: [],
    inputs: [],
    outputs: [],
    schema: {},
    env: {},
    cwd: '.',
    retry: { attempts: 1 },
    cache: true,
    description: { summary: `run ${id}`, commands: [`node scripts/${id.split(':')[0]}.mjs`] },
    ...more,
  };
}

export function samplePlan(waves: readonly (readonly Task[])[], more: Partial<Plan> = {}): Plan {
  return {
    version: 1,
    name: 'tiny-study',
    digest: '3f9c2a1b7d04e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e',
    waves: waves.map((wave) => wave.map(({ id }) => id)),
    tasks: waves.flat(),
    worstCase: { attempts: waves.flat().length, agentCalls: 0, usd: 0, timeMs: null },
    ...more,
  };
}

export const decide = (action: Decision['action'], ...reasons: Reason[]): Decision => ({ action, reasons });

export const neverRan = decide('run', { code: 'never-ran', detail: 'no earlier result' });
export const unchanged = decide('cached', { code: 'unchanged', detail: 'nothing it depends on has changed' });

export const decideAll = (plan: Plan, decision: Decision = neverRan): Map<TaskId, Decision> =>
  new Map(plan.tasks.map(({ id }) => [id, decision]));

/** Data, ten trainings, a summary, a verdict behind a gate, a figure that is switched off. */
export function study(): { plan: Plan; decisions: Map<TaskId, Decision> } {
  const data = sampleTask('data', {
    outputs: ['data/train.json', 'data/test.json'],
    description: { summary: 'node scripts/data.mjs --seed 7', commands: ['node scripts/data.mjs --seed 7 --out data'] },
    timeoutMs: 60_000,
  });
  const training = ['constant', 'schedule'].flatMap((arm) => [1, 2, 3, 4, 5].map((seed) => train(arm, seed)));
  const summary = sampleTask('summarise', {
    needs: training.map(({ id }) => id),
    inferred: training.map(({ id }) => ({ task: id, via: 'results/*.json' })),
    inputs: ['results/*.json'],
    outputs: ['results/summary.json'],
    schema: { 'results/summary.json': 'schemas/summary.json' },
    description: { summary: 'fill in templates/summary.hbs', writes: ['results/summary.json'] },
    uses: 'render',
  });
  const verdict = sampleTask('verdict', {
    needs: ['summarise'],
    outputs: ['results/verdict.md'],
    gate: { kind: 'human', approvers: ['ada', 'grace'], expires: '2d' },
    rawShell: ['{{{vars.flags}}}'],
    description: { summary: 'decide', commands: ['node scripts/verdict.mjs --strict --alpha 0.05'] },
  });
  const figure = sampleTask('figure', {
    needs: ['summarise'],
    skip: { code: 'when-false', detail: 'vars.figures is false' },
  });
  const plan = samplePlan([[data], training, [summary], [verdict, figure]], {
    worstCase: { attempts: 33, agentCalls: 0, usd: 0, timeMs: null },
  });
  const decisions = decideAll(plan);
  decisions.set('data', unchanged);
  for (const seed of [1, 2, 3]) decisions.set(`train:arm=constant,seed=${seed}`, unchanged);
  for (const seed of [4, 5]) {
    const reason: Reason = { code: 'option-changed', detail: 'lr changed 0.001 → 0.0003' };
    decisions.set(`train:arm=constant,seed=${seed}`, decide('run', reason));
  }
  decisions.set('summarise', decide('run', { code: 'upstream-stale', detail: 'train:arm=constant,seed=4 will run' }));
  decisions.set('figure', decide('skip', { code: 'when-false', detail: 'vars.figures is false' }));
  return { plan, decisions };
}

function train(arm: string, seed: number): Task {
  const command = `node scripts/train.mjs --arm ${arm} --seed ${seed} --epochs 40 --lr 0.0003 --batch 32 --out results/${arm}-${seed}.json`;
  return sampleTask(`train:arm=${arm},seed=${seed}`, {
    matrix: { arm, seed },
    needs: ['data'],
    inferred: [{ task: 'data', via: 'data/train.json' }],
    inputs: ['data/train.json'],
    outputs: [`results/${arm}-${seed}.json`],
    timeoutMs: 120_000,
    idleMs: 30_000,
    retry: { attempts: 3, backoff: '10s' },
    description: { summary: command, commands: [command] },
  });
}
