import { describe, expect, it } from 'vitest';
import { scriptedAgents } from '../scripted-agents.js';
import { Study } from '../study.js';

const name = 'deep-learning';
const team = (as: string): Record<string, string> =>
  Object.fromEntries(Object.keys(scriptedAgents[name]!).map((agent) => [agent, `team.mjs ${as}`]));
const json = (study: Study, path: string) => JSON.parse(study.read(path));

describe('the preset deep-learning, replayed', { timeout: 240_000 }, () => {
  it('goes from an idea to a paper, mends what tests find, and goes back to the implementation when the judge says so', async () => {
    const study = new Study(name);
    const { code, stdout, stderr } = await study.exec('--replay');
    expect([code, stderr], stdout).toEqual([0, '']);

    const finished = study.events('task-finished').map(({ task }) => task);
    const core = ['implement:T1', 'implement:T2', 'implement:T3', 'implement'];
    expect(finished.filter((task) => core.includes(String(task)))).toEqual([...core, ...core]);
    expect(study.events('revision-requested')).toMatchObject([{ task: 'code-review', stage: 'implement' }]);
    expect(study.read('src/training/train.mjs')).toContain('step > 200 ? rate / 10 : rate');

    // The first attempt of the tests failed, and the coder mended the cause.
    expect(study.events('task-failed')).toMatchObject([{ task: 'integration', failure: { code: 'checks-failed' } }]);
    expect(study.read('logs/errors.log')).toMatch(/integration[\s\S]*checkpoint save\/load/);
    const tests = ['short training', '100-step run', 'loss decreases', 'checkpoint save/load'];
    const more = ['evaluation of the short model', 'all metrics present'];
    expect(json(study, 'experiments/smoke/tests.json')).toEqual({
      tests: [...tests, ...more].map((test) => ({ name: test, status: 'passed' })),
    });

    expect(json(study, 'experiments/reproduction.json').reproduction).toMatchObject({
      arm: 'unigram',
      reported: 10.65,
      tolerance: 0.05,
      reproduced: true,
    });
    expect(json(study, 'analysis/comparison.json').variants).toMatchObject([
      { variant: 'bigram', verdict: 'supported', seeds: 3 },
    ]);
    expect(study.read('analysis/comparison.md')).toContain('"bigram has a lower perplexity than unigram": supported');
    const lines = study.read('experiments/summary.txt').trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[5]).toMatch(/^exp-bigram-3: perplexity [\d.]+, in experiments\/exp-bigram-3\/results\.yaml$/);
    for (const file of ['config.yaml', 'log.jsonl', 'results.yaml'])
      expect(study.exists(`experiments/exp-bigram-1/${file}`)).toBe(true);
    expect(study.read('experiments/exp-bigram-1/log.jsonl').trimEnd().split('\n')).toHaveLength(300);
    expect(study.read('papers/figures/loss.pdf')).toMatch(/^%PDF/);
    expect(study.read('papers/paper.md')).toBe(
      '# Method\n\nTwo tables of logits.\n\n# Results\n\nSee the comparison.\n\n',
    );
    expect(study.read('reviews/REVIEW.md')).toContain('verdict: HEALTHY');

    const asked = study.events('agent-invoked');
    expect(asked.filter(({ agent }) => agent === 'judge')).toHaveLength(2);
    expect(study.events('spend-recorded').every(({ usd }) => usd === 0)).toBe(true);

    // Another gate voids the verdict, and nothing else.
    const person = await study.exec('--replay', '--set', 'gate=human');
    expect(person.code).toBe(3);
    expect(`${person.stdout}${person.stderr}`).toMatch(/autoresearch approve code-review/);
    const routine = await study.exec('--replay', '--set', 'gate=auto');
    expect([routine.code, routine.stderr]).toEqual([0, '']);
    expect(study.events('agent-invoked')).toEqual([]);
  });
});

describe('the preset deep-learning, with those who cannot be trusted', { timeout: 240_000 }, () => {
  it('who edits the evaluation to get past the tests has ended the run', async () => {
    const study = new Study(name);
    const { code, stdout, stderr } = await study.execScripted(team('edits-evaluation'));
    expect(code).toBe(4);
    expect(`${stdout}${stderr}`).toContain('src/evaluation/evaluate.mjs');
    expect(study.read('src/evaluation/evaluate.mjs')).not.toContain('0.5 *');
    expect(study.exists('experiments/exp-bigram-1/log.jsonl')).toBe(false);
  });

  it('a baseline that is 7 % off goes to the Orchestrator, to the Planner, and to a person; nothing is trained', async () => {
    const study = new Study(name);
    const { code, stdout } = await study.execScripted(team('wrong-baseline'));
    expect(code).toBe(3);
    expect(stdout).toContain(
      'unigram is not reproduced: its perplexity is 10.647, reported is 9.95, and 5 % off is the most',
    );
    expect(stdout).toMatch(/orchestrator is asked[\s\S]*planner is asked[\s\S]*a person is asked/);
    expect(study.exists('experiments/smoke')).toBe(false);
    // Sent back to the coder twice, as that is what this study wants now; then a person is asked again.
    const debugged = await study.execScripted(team('wrong-baseline'), '--set', 'baseline_off=debug');
    expect(debugged.code).toBe(3);
    expect(study.events('revision-requested').map(({ stage }) => stage)).toEqual(['baselines', 'baselines']);
    expect(json(study, 'experiments/reproduction.json').reproduction).toMatchObject({ reproduced: false });
    expect(study.exists('experiments/smoke')).toBe(false);
  });
});

describe('the preset deep-learning, as it is set', () => {
  it('a reviewer of the family of the authors is refused', async () => {
    const study = new Study(name);
    const { code, stderr } = await study.exec('--replay', '--set', 'judge=codex', '--set', 'judge_model=gpt-5.3-codex');
    expect(code).toBe(2);
    expect(stderr).toContain('AR320 reviewer "reviewer" and author "coder" are both of the family openai');
    expect(stderr).toContain('AR320 judge "judge" and author "coder" are both of the family openai');
  });

  it('keeps every role and number', async () => {
    const study = new Study(name);
    const { stdout } = await study.run('config', '--json', '--set', 'baseline_off=debug');
    const { agents, stages, escalate } = JSON.parse(stdout);
    const lifecycles = Object.entries<{ lifecycle?: string }>(agents).map(([role, { lifecycle }]) => [
      role,
      lifecycle ?? 'fresh',
    ]);
    expect(Object.fromEntries(lifecycles)).toEqual({
      orchestrator: 'fresh',
      planner: 'fresh',
      coder: 'persistent',
      writer: 'fresh',
      scout: 'fresh',
      reviewer: 'stateless',
      judge: 'stateless',
    });
    expect(escalate).toEqual(['orchestrator', 'planner', 'human']);
    expect(stages.integration.retry).toEqual({ attempts: 3, fix: 'coder' });
    expect(stages.integration.protect).toEqual(['design/**', 'src/evaluation/**']);
    expect(stages.reproduction.with.reproduce).toMatchObject({ tolerance: '{{vars.tolerance}}', otherwise: 'flag' });
    expect(stages.reproduction.gate.revise).toEqual({ stage: 'baselines', max: 2 });
    expect(stages['code-review'].gate).toMatchObject({
      kind: 'auto-judge',
      revise: { stage: 'implement', max: 2 },
      exhausted: 'human',
    });
    expect(stages.implement.inputs.slice(0, 4)).toEqual([
      'design/plan.md',
      'design/tasks.yaml',
      'design/baselines.yaml',
      'design/metrics.yaml',
    ]);
  });
});
