import { describe, expect, test } from 'vitest';
import type { Gate } from '../../src/model/generated/config.js';
import type { Plan, Reason } from '../../src/model/plan.js';
import { gateText } from '../../src/report/gates/gate-text.js';
import { type PlanTextOptions, planText } from '../../src/report/plan/plan-text.js';
import { whyText } from '../../src/report/plan/why-text.js';
import { displayWidth } from '../../src/report/words/text-width.js';
import { golden } from './golden.js';
import { decide, decideAll, neverRan, samplePlan, sampleTask, study, unchanged } from './sample-plan.js';

const options: PlanTextOptions = { color: false, notices: [], width: 80, verbose: false };

describe('planText', () => {
  test('a study at 80 columns', async () => {
    const { plan, decisions } = study();
    await golden('plan-80.txt', planText(plan, decisions, options));
  });

  test('what may be spared is told apart from what runs for sure', () => {
    const tasks = ['a', 'b', 'c'].map((id) => sampleTask(id));
    const plan = samplePlan(tasks.map((task) => [task]));
    const spared = decide('run', {
      code: 'upstream-stale',
      detail: 'a will run; spared if that makes the same as before',
    });
    const decisions = new Map([
      ['a', neverRan],
      ['b', { ...spared, maybe: true } as const],
      ['c', unchanged],
    ]);
    const text = planText(plan, decisions, options);
    expect(text).toContain('\n  ▶ run    a (command)\n');
    expect(text).toContain('\n  ▶ maybe  b (command)\n');
    expect(text).toContain('\nIn all:     1 to run, 1 that may run, 1 cached.\n');
  });

  test('where every task is left out, no result is said to hold', () => {
    const plan = samplePlan([[sampleTask('a')]]);
    const text = planText(plan, decideAll(plan, decide('skip', { code: 'when-false', detail: 'vars.a' })), options);
    expect(text).toMatch(/\nNothing to run: every task is left out, for the reasons above\.\n$/);
  });

  test('a study at 120 columns', async () => {
    const { plan, decisions } = study();
    await golden('plan-120.txt', planText(plan, decisions, { ...options, width: 120 }));
  });

  test('a study in full', async () => {
    const { plan, decisions } = study();
    await golden('plan-verbose.txt', planText(plan, decisions, { ...options, verbose: true }));
  });

  test('a study in ASCII', async () => {
    const { plan, decisions } = study();
    const text = planText(plan, decisions, { ...options, unicode: false });
    await golden('plan-ascii.txt', text);
    // The arrow stands in a reason that the run has recorded.
    expect(text.replaceAll('→', '')).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('a study in colour', async () => {
    const { plan, decisions } = study();
    await golden('plan-colour.txt', planText(plan, decisions, { ...options, color: true }));
  });

  test('no line is wider than the terminal', () => {
    const { plan, decisions } = study();
    for (const width of [80, 100, 120]) {
      for (const line of planText(plan, decisions, { ...options, width }).split('\n'))
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  test('everything cached', async () => {
    const { plan } = study();
    await golden('plan-cached.txt', planText(plan, decideAll(plan, unchanged), options));
  });

  test('what exec would refuse is said first, and exec is not offered', async () => {
    const { plan, decisions } = study();
    const text = planText(plan, decisions, {
      ...options,
      notices: [
        {
          code: 'AR701',
          message: 'stages.verdict has a human gate, which this version shows in the plan but does not yet wait for',
          place: { file: 'autoresearch.config.yaml', line: 40, column: 5 },
        },
      ],
    });
    await golden('plan-refused.txt', text);
    expect(text).not.toContain('Next:');
  });

  test('money, time and calls that are bounded', () => {
    const plan = samplePlan([[sampleTask('a', { timeoutMs: 60_000 })]], {
      worstCase: { attempts: 3, agentCalls: 4, usd: 8.5, timeMs: 5_400_000 },
    });
    expect(planText(plan, decideAll(plan), options)).toMatch(
      /Worst case: 3 attempts, 4 agent calls, at most \$8\.50, 1 h 30 m one\s+after\s+another\.\n/,
    );
  });

  test('a budget that stops it, and who is asked when the tries are spent', () => {
    const plan = samplePlan([[sampleTask('a', { timeoutMs: 60_000, retry: { attempts: 2, fix: 'coder' } })]], {
      worstCase: { attempts: 3, agentCalls: 4, usd: 42, timeMs: 60_000, stoppedAt: { usd: 1, calls: 2 } },
      escalate: ['planner', 'human'],
    });
    const text = planText(plan, decideAll(plan), { ...options, width: 200 });
    expect(text).toContain(
      'Worst case: 3 attempts; 4 agent calls, but budget.callsPerRun stops it at 2; at most $42.00, but budget.usdPerRun stops it at $1.00; 1 m one after another.\n' +
        'Last tries: when the tries of a task are spent, agent planner is asked, then a person.\n',
    );
    expect(text).toContain('up to 2 tries per kind of error, 10 in all; between tries agent coder mends\n');
  });

  test('a list without a person ends in a failure', () => {
    const text = (escalate: string[]) => {
      const plan = samplePlan([[sampleTask('a')]], { escalate });
      return planText(plan, decideAll(plan), { ...options, width: 200 });
    };
    const failing = 'Last tries: when the tries of a task are spent, agent a is asked, then agent b; then it fails.\n';
    expect(text(['a', 'b'])).toContain(failing);
    expect(text(['a', 'b', 'fail'])).toContain(failing);
    expect(text(['instructions', 'a'])).toContain(
      'Last tries: when the tries of a task are spent, a person (for instructions) is asked, then agent a; then it fails.\n',
    );
    expect(text(['fail'])).toContain('Last tries: when the tries of a task are spent, it fails.\n');
  });

  test('what is unknown is never zero', () => {
    const plan = samplePlan([[sampleTask('a')]], {
      worstCase: { attempts: 1, agentCalls: 1, usd: null, timeMs: null },
    });
    expect(planText(plan, decideAll(plan), options)).toContain(
      'Worst case: 1 attempt, 1 agent call, money not bounded, time not bounded (no\n            timeout in a).\n',
    );
  });

  test('commands of several lines, needs one each, reasons without end', async () => {
    const seeds = [1, 2, 3, 5, 8, 13, 21, 34];
    const train = seeds.map((seed) => sampleTask(`train:seed=${seed}`, { matrix: { seed } }));
    const check = seeds.map((seed) =>
      sampleTask(`check:seed=${seed}`, {
        matrix: { seed },
        needs: [`train:seed=${seed}`],
        description: { summary: 'look at it' },
      }),
    );
    const report = sampleTask('report', {
      needs: ['train:seed=1', 'check:seed=1', 'check:seed=2'],
      inferred: [{ task: 'check:seed=2', via: 'out/2.json' }],
      env: { MODE: 'full' },
      cwd: 'paper',
      cache: false,
      gate: { kind: 'auto', checks: ['metrics.loss < 0.1', 'metrics.n == 8'], revise: { max: 2 }, exhausted: 'human' },
      retry: { attempts: 2, backoff: '1m', fix: 'coder' },
      description: {
        summary: 'write it up',
        commands: ['set -e\nmake figures\nmake tables\nmake paper\nmake check\n', 'ls paper'],
      },
    });
    const plan = samplePlan([train, check, [report]]);
    const decisions = decideAll(plan);
    const changed: Reason[] = Array.from({ length: 12 }, (_, index) => ({
      code: 'input-changed',
      detail: `data/${index}.csv changed`,
    }));
    decisions.set('report', decide('run', ...changed));
    seeds.forEach((seed, index) => {
      decisions.set(`check:seed=${seed}`, decide('run', changed[index]!));
    });
    await golden('plan-details.txt', planText(plan, decisions, options));
  });
});

describe('large plans', () => {
  const wide = (tasks: number): Plan =>
    samplePlan([
      Array.from({ length: tasks }, (_, index) => sampleTask(`train:seed=${index}`, { matrix: { seed: index } })),
      [sampleTask('collect', { needs: Array.from({ length: tasks }, (_, index) => `train:seed=${index}`) })],
    ]);

  test('ten thousand tasks of one stage are a few lines', async () => {
    const plan = wide(10_000);
    await golden('plan-10000.txt', planText(plan, decideAll(plan), options));
  });

  test('a wave of many stages is cut', async () => {
    const plan = samplePlan([Array.from({ length: 300 }, (_, index) => sampleTask(`stage-${index}`))]);
    const decisions = decideAll(plan);
    for (let index = 0; index < 100; index++) decisions.set(`stage-${index * 3}`, unchanged);
    await golden('plan-many-stages.txt', planText(plan, decisions, options));
  });

  test('a long chain is shown by its ends', () => {
    const chain = Array.from({ length: 1000 }, (_, index) => [
      sampleTask(`s${index}`, { needs: index === 0 ? [] : [`s${index - 1}`] }),
    ]);
    const plan = samplePlan(chain);
    const text = planText(plan, decideAll(plan), options);
    expect(text).toContain('\nWaves 21 to 998  978 tasks: 978 to run (--verbose shows them)\n\nWave 999\n');
    expect(text.split('\n').length).toBeLessThan(200);
    expect(planText(plan, decideAll(plan), { ...options, verbose: true })).toContain('▶ run    s500 (command)');
  });

  test('ten thousand tasks with ten thousand needs do not take quadratic time', () => {
    const plan = wide(10_000);
    const inferred = plan.tasks[0]
      ? plan.tasks.slice(0, 10_000).map(({ id }) => ({ task: id, via: 'results/*.json' }))
      : [];
    const tasks = plan.tasks.map((task) => (task.stage === 'collect' ? { ...task, inferred } : task));
    expect(planText({ ...plan, tasks }, decideAll(plan), options)).toContain(
      'needs   train ×10000 (inferred through results/*.json)',
    );
  });
});

test('a task without a decision is a bug, not a guess', () => {
  const { plan } = study();
  expect(() => planText(plan, new Map(), options)).toThrow('no decision for task data');
});

test.each<[Gate, string]>([
  ['human', 'a person approves'],
  ['auto', 'nothing is checked, so it never passes'],
  [{ kind: 'human' }, 'a person approves'],
  [{ kind: 'auto', checks: ['a > 1'] }, '1 check must hold: a > 1'],
  [
    {
      kind: 'auto-judge',
      agent: 'judge',
      criteria: ['x', 'y'],
      votes: 3,
      revise: { stage: 'implement', max: 2 },
      exhausted: 'human',
    },
    'judge judges by 2 criteria in 3 votes; sent back to implement at most 2 times, then a person decides',
  ],
])('gate %j', (gate, text) => {
  expect(gateText(gate)).toBe(text);
});

test('whyText lists every reason', () => {
  const task = sampleTask('train');
  const reasons: Reason[] = [
    { code: 'input-changed', detail: 'data.csv changed' },
    { code: 'option-changed', detail: 'lr changed 0.1 → 0.2' },
    { code: 'upstream-stale', detail: '' },
  ];
  expect(whyText(task, decide('run', ...reasons), { color: false })).toBe(
    '▶ train would run:\n    input: data.csv changed\n    option: lr changed 0.1 → 0.2\n    what it needs changes\n',
  );
  expect(whyText(task, unchanged, { color: false })).toBe(
    '≡ train would not run, its result still holds:\n    nothing changed\n',
  );
  expect(whyText(task, neverRan, { color: false, unicode: false })).toBe('> train would run:\n    never ran\n');
});
