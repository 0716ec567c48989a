import { describe, expect, test } from 'vitest';
import { autonomousConfig } from '../../src/compile/expand/autonomous.js';
import type { Config, Gate } from '../../src/model/generated/config.js';
import { at, codesOf, planOf, problemsOf, taskOf } from './study.js';

const agents = {
  judge: { backend: 'command', run: './judge', family: 'google' },
  coder: { backend: 'command', run: './coder', family: 'meta' },
} as const;

const study = (gate: Gate, more: object = {}) => ({ agents, stages: { a: { outputs: ['o'], gate, ...more } } });

describe('gates that cannot be meant', () => {
  test('AR330: no checks', async () => {
    expect(await problemsOf(study('auto'))).toEqual([
      {
        code: 'AR330',
        message: 'a gate without checks would let everything pass',
        at: at('/stages/a/gate'),
        hint: 'Write { kind: auto, checks: […] }, or take the gate out: a task has to pass anyway',
      },
    ]);
  });

  test.each([
    [{ lifecycle: 'persistent' as const }, 'judge "judge" is persistent: it would remember what it was told before'],
    [{ lifecycle: 'fresh' as const }, 'judge "judge" is fresh: it would remember what it was told before'],
  ])('AR331: a judge that remembers: %j', async (more, message) => {
    const gate: Gate = { kind: 'auto-judge', agent: 'judge', criteria: ['x'] };
    const remembering = { ...study(gate), agents: { judge: { ...agents.judge, ...more } } };
    expect(await problemsOf(remembering)).toMatchObject([{ code: 'AR331', message, at: at('/stages/a/gate/agent') }]);
    const stateless = { ...study(gate), agents: { judge: { ...agents.judge, lifecycle: 'stateless' as const } } };
    expect(await codesOf(stateless)).toEqual([]);
  });

  test.each([
    [{ timeout: '1m' }, 'this check looks at nothing'],
    [{ command: 'true', file: 'o' }, 'this is two checks in one: a command and a file'],
    [{ file: 'o', timeout: '1m' }, 'timeout has no effect without a command'],
    [{ command: 'true', schema: 's.json' }, 'schema has no effect without a file'],
  ])('AR332: %j', async (check, message) => {
    const found = await problemsOf(study({ kind: 'auto', checks: ['true', check] }));
    expect(found).toMatchObject([{ code: 'AR332', message, at: at('/stages/a/gate/checks/1') }]);
  });

  test('AR335: work goes back to what comes before, or to the stage itself', async () => {
    const to = (stage: string): Gate => ({ kind: 'human', revise: { stage, max: 1 } });
    const stages = (gate: Gate) => ({
      stages: { first: {}, a: { needs: ['first'], outputs: ['o'], gate }, later: { needs: ['a'] } },
    });
    expect(await codesOf(stages(to('first')))).toEqual([]);
    expect(await codesOf(stages(to('a')))).toEqual([]);
    expect(await problemsOf(stages(to('later')))).toMatchObject([
      {
        code: 'AR335',
        message: 'work cannot be sent back from "a" to "later", which does not come before it',
        at: at('/stages/a/gate/revise/stage'),
      },
    ]);
  });

  test('AR336: a judge that would see nothing', async () => {
    const gate: Gate = { kind: 'auto-judge', agent: 'judge', criteria: ['x'] };
    expect(await codesOf({ agents, stages: { a: { gate } } })).toEqual(['AR336']);
    expect(await codesOf({ agents, stages: { a: { outputs: ['o'], gate: { ...gate, evidence: [] } } } })).toEqual([
      'AR336',
    ]);
  });

  test('AR336: a person that would see nothing, and whose yes would count for anything', async () => {
    expect(await codesOf({ stages: { a: { gate: 'human' } } })).toEqual(['AR336']);
    expect(await codesOf({ stages: { a: { outputs: ['o'], gate: { kind: 'human', evidence: [] } } } })).toEqual([
      'AR336',
    ]);
    expect(await codesOf({ stages: { a: { gate: { kind: 'human', evidence: ['src/**'] } } } })).toEqual([]);
  });

  test('AR337: a person is not asked about what is done again anyway', async () => {
    expect(await codesOf(study('human', { cache: false }))).toEqual(['AR337']);
    expect(await codesOf(study({ kind: 'auto', checks: ['true'], exhausted: 'human' }, { cache: false }))).toEqual([
      'AR337',
    ]);
    expect(await codesOf(study({ kind: 'auto', checks: ['true'] }, { cache: false }))).toEqual([]);
  });

  test('AR206, AR209, AR405, AR504: limits, words without effect, unknown names, paths that lead out', async () => {
    expect(await codesOf(study({ kind: 'human', expires: '0s' }))).toEqual(['AR206']);
    expect(await codesOf(study({ kind: 'human', exhausted: 'fail' }))).toEqual(['AR209']);
    expect(await codesOf(study({ kind: 'auto', checks: ['metric.loss < 1.0'] }))).toEqual(['AR405']);
    expect(await codesOf(study({ kind: 'human', evidence: ['../secret'] }))).toEqual(['AR504']);
    expect(await codesOf(study({ kind: 'auto', checks: [{ file: '/etc/passwd' }] }))).toEqual(['AR504']);
  });
});

describe('the gate of a task', () => {
  test('has its templates filled in, and quoted for the shell', async () => {
    const plan = await planOf({
      vars: { name: "it's" },
      stages: {
        a: {
          matrix: { seed: [1] },
          outputs: ['runs/{{matrix.seed}}.json'],
          gate: { kind: 'auto', checks: [{ command: 'check {{vars.name}}' }, { file: './runs/{{matrix.seed}}.json' }] },
        },
      },
    });
    expect(taskOf(plan, 'a:seed=1').gate).toEqual({
      kind: 'auto',
      checks: [{ command: `check 'it'\\''s'` }, { file: 'runs/1.json' }],
    });
  });

  test('knows its judge', async () => {
    const gate: Gate = { kind: 'auto-judge', agent: 'judge', criteria: ['x'] };
    const plan = await planOf(study(gate));
    expect(taskOf(plan, 'a').judge).toEqual({ name: 'judge', backend: 'command', family: 'google', run: './judge' });
  });

  test('AR320: whoever made what it shows must be of another family, wherever it stands', async () => {
    const gate: Gate = { kind: 'auto-judge', agent: 'judge', criteria: ['x'], evidence: ['src/**'] };
    const same = { ...agents, coder: { ...agents.coder, family: 'google' } };
    const author = { agent: 'coder', outputs: ['src/a.py'] };
    // The author's work reaches the gate as evidence, without an edge.
    expect(await codesOf({ agents: same, stages: { write: author, check: { gate } } })).toEqual(['AR320']);
    expect(await codesOf({ agents, stages: { write: author, check: { gate } } })).toEqual([]);
  });
});

describe('worst case', () => {
  test('each revision runs the stage again, and all that depends on it; samples are asked about once', async () => {
    const gate: Gate = {
      kind: 'auto-judge',
      agent: 'judge',
      criteria: ['x'],
      revise: { stage: 'write', max: 2 },
      calibrate: { good: ['g1', 'g2'], bad: ['b'] },
    };
    const plan = await planOf({
      agents: { ...agents, coder: { ...agents.coder, limits: { usd: 1 } } },
      stages: {
        write: { agent: 'coder', outputs: ['o'] },
        check: { needs: ['write'], outputs: ['p'], gate },
        aside: {},
      },
    });
    expect(plan.worstCase).toMatchObject({ attempts: 3 + 3 + 1, agentCalls: 3 * (3 + (3 + 3)) });
  });
});

describe('autonomous', () => {
  const config = (more: Partial<Config>): Config => ({
    name: 'study',
    stages: { a: { uses: 'command', gate: 'human' } },
    ...more,
  });

  test('nothing that asks is left, whatever it was', () => {
    const made = autonomousConfig(
      config({
        escalate: ['planner', 'human'],
        autonomous: { human: 'auto-judge', judge: 'judge', criteria: ['good'], votes: 3 },
        stages: {
          a: { uses: 'command', gate: { kind: 'human', approvers: ['ada'], evidence: ['e'], revise: { max: 2 } } },
          b: { uses: 'command', gate: { kind: 'auto', checks: ['true'], exhausted: 'human' } },
        },
      }),
    );
    expect(made.problems).toEqual([]);
    expect(made.config.escalate).toEqual(['planner', 'fail']);
    expect(made.config.stages.a!.gate).toEqual({
      kind: 'auto-judge',
      agent: 'judge',
      criteria: ['good'],
      votes: 3,
      evidence: ['e'],
      revise: { max: 2 },
    });
    expect(made.config.stages.b!.gate).toMatchObject({ exhausted: 'fail' });
  });

  test('without a word about it, each place that asks is named', () => {
    const { problems } = autonomousConfig(
      config({ stages: { a: { uses: 'command', gate: { kind: 'auto', checks: ['true'], exhausted: 'human' } } } }),
    );
    expect(problems).toMatchObject([{ code: 'AR333', at: at('/stages/a/gate/exhausted') }]);
  });

  test('nobody gives instructions: that is said, and with a stand-in the next one in the list is asked', () => {
    const asking = { stages: { a: { uses: 'command' } }, escalate: ['instructions', 'human'] };
    const hint =
      'Say what stands in: autonomous: { human: auto-judge, judge: NAME, criteria: […] }, or { human: fail }';
    expect(autonomousConfig(config(asking)).problems).toEqual([
      {
        code: 'AR333',
        message: 'spent tries wait for instructions, and in autonomous mode nobody is asked',
        at: at('/escalate/0'),
        hint,
      },
      {
        code: 'AR333',
        message: 'spent tries are brought before a person, and in autonomous mode nobody is asked',
        at: at('/escalate/1'),
        hint,
      },
    ]);
    const { problems, config: unasked } = autonomousConfig(config({ ...asking, autonomous: { human: 'fail' } }));
    expect({ problems, escalate: unasked.escalate }).toEqual({ problems: [], escalate: ['fail'] });
  });
});
