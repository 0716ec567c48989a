import { beforeAll, describe, expect, it } from 'vitest';
import { alive } from '../../adapters/command/room.js';
import type { CliEnd } from '../../support/project.js';
import { Study } from '../study.js';

const name = 'rl-parity';
/** Each runs the real command line with worktrees and jobs, on a machine that others use too. */
const timeout = 180_000;

const scripted = (slip: string) => ({
  executor: `agent.mjs executor ${slip}`,
  verifier: 'agent.mjs verifier',
  reviewer: 'agent.mjs reviewer',
});

class RlStudy extends Study {
  constructor() {
    super(name);
  }

  /** A file of the newest run's folder. */
  left(file: string): string {
    return this.read(`.autoresearch/default/runs/${String(this.journal()[0]!.run)}/${file}`);
  }

  /** What the newest run gives back. */
  given(): Record<string, unknown> {
    return JSON.parse(this.left('execution.json')).return;
  }

  change(path: string, from: string, to: string): void {
    const text = this.read(path);
    expect(text).toContain(from);
    this.write(path, text.replace(from, to));
    this.git('commit', '-qm', `change ${path}`, path);
  }
}

describe('the preset rl-parity, replayed', () => {
  let study: RlStudy;
  let end: CliEnd;
  beforeAll(async () => {
    study = new RlStudy();
    end = await study.exec('--autonomous');
  }, timeout);

  it('carries out the plans in waves, each in a worktree of its own, and leaves a summary and a commit of each', () => {
    expect([end.code, end.stderr]).toEqual([0, '']);
    const waves = JSON.parse(study.left('plan.json')).waves as string[][];
    expect(waves.slice(0, 4)).toEqual([['exec:tasks'], ['exec:01-01', 'exec:01-02'], ['exec:01-03'], ['exec']]);
    const work = study.git('log', '--topo-order', '--no-merges', '--format=%s', '--reverse').split('\n');
    expect(work.filter((subject) => subject.startsWith('feat(')).sort()).toEqual([
      'feat(auto-default-iter-1-01-01): debate-v1 in source and installed copy',
      'feat(auto-default-iter-1-01-02): the treatment trains on debate-v1',
      'feat(auto-default-iter-1-01-03): the study is described',
    ]);
    expect(work.filter((subject) => !subject.startsWith('feat('))).toEqual([
      'first',
      'the study',
      'fix(auto-default-iter-1-parity): 18 parameters are equal',
      'fix(auto-default-iter-1-verify): passed, 15/15 after one round of closing gaps',
      expect.stringContaining('docs(auto-default-iter-1-review): WARNING, plan fidelity FULL'),
    ]);
    for (const plan of ['01-01', '01-02', '01-03'])
      expect(study.read(`phase/${plan}-SUMMARY.md`)).toContain(`task: "${plan}"\nstatus: complete\n`);
    expect(study.events('worktree-created').map(({ branch }) => branch)).toContain('auto/default-iter-1-exec-01-02');
    // Nothing is left lying about.
    expect(study.git('branch', '--list', 'auto/*')).toBe('');
    expect(study.git('status', '--porcelain')).toBe('');
  });

  it('finds the default that an executor changed for one arm, and has it mended before anything is paid for', () => {
    const difference = 'KL_BETA: 0.04 in baseline, 0.01 in treatment (different values)';
    expect(study.events('task-failed')).toMatchObject([
      { task: 'parity', failure: { code: 'parity-broken', lines: [difference] } },
    ]);
    expect(study.read('configs/common.py')).toContain('KL_BETA = 0.01\n');
    const types = study.journal().map(({ type, task }) => `${String(type)} ${String(task)}`);
    expect(types.indexOf('fix-finished parity')).toBeLessThan(
      types.findIndex((line) => line.startsWith('job-submitting')),
    );
    expect(study.events('tests-recorded').find(({ task }) => task === 'config')).toMatchObject({
      tests: [
        { name: 'the treatment maps the environment', status: 'passed' },
        { name: 'the baseline does not', status: 'passed' },
        { name: 'the patches have the same keys', status: 'passed' },
        { name: 'the environment is registered', status: 'passed' },
        { name: 'the queue of the treatment is long enough', status: 'passed' },
        { name: 'the queue of the baseline is long enough', status: 'passed' },
      ],
    });
  });

  it('gives every arm the smaller batch that one of them needed, and shows that both really used it', () => {
    const again = study.events('job-submitting').filter(({ because }) => because !== undefined);
    expect(again[0]).toMatchObject({
      because: {
        diagnosis: 'the GPU ran out of memory: the batch or the sequence is too large',
        fix: 'set TRAIN_BATCH_SIZE=4',
      },
    });
    for (const arm of ['treatment', 'baseline']) {
      expect(JSON.parse(study.read(`results/smoke/${arm}.json`))).toMatchObject({ TRAIN_BATCH_SIZE: 4, SEED: 17 });
      expect(study.read(`results/smoke/${arm}.jsonl`).trim().split('\n')).toHaveLength(5);
    }
    expect(study.left('tasks/as-run/1/stdout.log')).toMatch(
      /^= +TRAIN_BATCH_SIZE +4 +4 +changed for every arm to mend a job; the files say 8$/m,
    );
  });

  it('verifies the must-haves of all plans, and has the one gap closed', () => {
    expect(study.read('phase/debate-VERIFICATION.md')).toBe(verification);
    expect(study.events('fix-finished').map(({ task, by }) => [task, by])).toEqual([
      ['parity', 'executor'],
      ['verify', 'executor'],
    ]);
  });

  it('is reviewed by another model, whose warning is in the record', () => {
    expect(study.read('phase/debate-REVIEW.md')).toBe(review);
    const text = study.left('execution.md');
    expect(text).toContain(`- review: WARNING, fidelity FULL, confidence 0.8: WARNING, `);
    expect(text).toContain(`${warning}\n`);
    expect(text).toContain('- verify, in the middle of attempt 1: mended by executor: the environment of the baseline');
    expect(text).toMatch(/; it followed another one, because the GPU ran out of memory: .*; set TRAIN_BATCH_SIZE=4$/m);
    expect(text).toMatch(/^\| smoke:arm=baseline.* \| results\/smoke\/baseline.jsonl \| 5 \| 0\.04 \| 0\.2 /m);
    expect(study.read('logs/errors.log')).toContain(`review: WARNING: ${warning}`);
  });

  it('gives back, as a whole', { timeout }, async () => {
    const ids = study.events('job-submitted').map(({ id }) => id);
    expect(study.given()).toEqual({
      STATUS: 'PARTIAL',
      REASON: 'review: WARNING',
      JOB_IDS: expect.arrayContaining(ids),
      PLANS_EXECUTED: '3 of 3',
      VALIDATION: 'PASSED (5)',
      VERIFICATION: 'passed 15/15',
      REVIEW: 'WARNING (fidelity FULL)',
      EXECUTE_BRANCH: 'main',
      EXECUTE_WORKTREE_PATH: '.',
      SUMMARY: [
        expect.stringMatching(/^debate, run 1-\w{4}: PARTIAL, because review: WARNING$/),
        expect.stringMatching(/^14 of 14 tasks passed in .* of work$/),
        // Parity, the arm without memory, and the other one when it had begun already.
        expect.stringMatching(/^[23] failed attempts, [23] followed by one that passed$/),
        '8 calls of agents: 0 USD',
        expect.stringMatching(/^6 commits: [0-9a-f]{10}, [0-9a-f]{10} and 4 more$/),
        expect.stringMatching(new RegExp(`^${ids.length} jobs: `)),
      ],
    });
    expect(study.given().JOB_IDS).toHaveLength(ids.length);
    expect(study.left('execution.md')).toContain((await study.run('report', '--text')).stdout);
    expect((await study.run('verify')).code).toBe(0);
  });

  it('without a key for the reviewer the review is SKIPPED, and that is no success', { timeout }, async () => {
    const reviewer = { backend: 'api', baseUrl: 'http://127.0.0.1:9/v1', model: 'google/x', apiKeyEnv: 'NO_SUCH_KEY' };
    study.write('key.config.json', JSON.stringify({ extends: ['./autoresearch.config.yaml'], agents: { reviewer } }));
    const { code, stdout } = await study.exec('--autonomous', '--config', 'key.config.json', '--only', 'review');
    expect(code, stdout).toBe(0);
    expect(study.events('task-skipped').filter(({ cause }) => cause === 'agent-unreachable')).toMatchObject([
      { task: 'review', reasons: [{ detail: expect.stringContaining('NO_SUCH_KEY') }] },
    ]);
    expect(study.given()).toMatchObject({
      STATUS: 'PARTIAL',
      REVIEW: 'SKIPPED (fidelity not told)',
      EXECUTE_BRANCH: 'main',
      EXECUTE_WORKTREE_PATH: '.',
    });
    expect(study.git('branch', '--list', 'auto/*')).toBe('');
  });

  it('a config that was changed after its job is found', { timeout }, async () => {
    study.change('configs/common.py', 'SEED = 17', 'SEED = 18');
    const { code, stdout } = await study.exec('--autonomous', '--only', 'still-alike');
    expect([code, stdout]).toEqual([1, expect.stringContaining('baseline ran with 17, its file says 18')]);
    study.change('configs/common.py', 'SEED = 18', 'SEED = 17');
  });

  it('a loss that is no number ends the job early', { timeout }, async () => {
    study.change('train.py', '1.0 / step\n', 'float("nan")\n');
    study.change('train.py', '        file.write(', `        time.sleep(600)\n        file.write(`);
    study.change('train.py', 'os.makedirs(', 'print("pid", os.getpid(), flush=True)\nos.makedirs(');
    const { code, stdout } = await study.exec('--autonomous', '--only', 'smoke');
    expect(code).toBe(1);
    expect(stdout).toContain('it is no number any more: step 1 step_time=0.04 reward=0.10 loss=nan');
    const ends = study.events('job-finished');
    expect(ends.map(({ how }) => how)).toEqual(['sick', 'sick']);
    const logs = study.events('task-started').map(({ task }) => study.left(`tasks/${String(task)}/1/stdout.log`));
    const pids = logs.flatMap((log) => /^pid (\d+)$/m.exec(log)?.[1] ?? []);
    expect(pids).toHaveLength(2);
    expect(pids.map(Number).filter(alive)).toEqual([]);
  });

  it('arms that somebody set apart after the validation are found before a job', { timeout }, async () => {
    const { tasks } = JSON.parse(study.left('plan.json')) as { tasks: { stage: string; needs: string[] }[] };
    expect(tasks.flatMap(({ stage, needs }) => (stage === 'smoke' ? needs : []))).toEqual(['ready', 'ready']);
    study.change('configs/treatment.py', 'KL_BETA = 0.01', 'KL_BETA = 0.02');
    const { code, stdout } = await study.exec('--autonomous', '--only', 'ready');
    expect([code, stdout]).toEqual([1, expect.stringContaining('KL_BETA: 0.01 in baseline, 0.02 in treatment')]);
    study.change('configs/treatment.py', 'KL_BETA = 0.02', 'KL_BETA = 0.01');
  });

  it('an installed copy that is not the source is found before any job', { timeout }, async () => {
    study.change('site/envs/debate.py', '1.0', '0.5');
    const { code, stdout } = await study.exec('--autonomous', '--only', 'config');
    expect(code).toBe(1);
    expect(stdout).toContain('site/envs/debate.py has another content than envs/debate.py');
    expect(study.events('fix-finished').filter(({ task }) => task === 'config')).toHaveLength(3);
  });
});

describe('the preset rl-parity, with executors that do not keep to it', () => {
  let study: RlStudy;
  beforeAll(() => {
    study = new RlStudy();
  });

  it('who says that a plan is done and has changed nothing has not done it', { timeout }, async () => {
    const { code, stdout, stderr } = await study.execScripted(scripted('lazy'), '--autonomous');
    expect(code, `${stdout}${stderr}`).toBe(1);
    expect(stdout).toContain('✗ exec:01-03  ');
    expect(study.exists('phase/01-03-SUMMARY.md')).toBe(false);
    expect(study.events('task-failed').filter(({ task }) => task === 'exec:01-03')).toHaveLength(3);
    expect(study.given()).toMatchObject({ STATUS: 'PARTIAL', PLANS_EXECUTED: '2 of 3', JOB_IDS: [] });
  });

  it('arms that nobody brings together again: three fixes, exit code 1, and no job', { timeout }, async () => {
    const { code, stdout } = await study.execScripted(scripted('stubborn'), '--autonomous');
    expect(code).toBe(1);
    expect(stdout).toContain('not alike in 1 of 18 parameters: KL_BETA: 0.04 in baseline, 0.01 in treatment');
    expect(study.events('fix-finished').map(({ task, summary }) => `${String(task)}: ${String(summary)}`)).toEqual([
      'parity: the arms are alike',
      'parity: the arms are alike',
      'parity: the arms are alike',
    ]);
    expect(study.events('job-submitting')).toEqual([]);
    expect(study.given()).toMatchObject({
      STATUS: 'PARTIAL',
      PLANS_EXECUTED: '3 of 3',
      JOB_IDS: [],
      VALIDATION: expect.stringContaining('FAILED (parity'),
    });
  });
});

describe('the preset rl-parity asks nobody', () => {
  it('a gate, or a person at the end of all tries: exit code 2, and nothing was run', async () => {
    const study = new RlStudy();
    const more = { extends: ['./autoresearch.config.yaml'], stages: { smoke: { gate: 'human' } }, escalate: ['human'] };
    study.write('more.config.json', JSON.stringify(more));
    const { code, stderr } = await study.exec('--autonomous', '--config', 'more.config.json');
    expect(code).toBe(2);
    for (const words of ['the gate of "smoke" asks a person', 'spent tries are brought before a person'])
      expect(stderr).toContain(`AR333 ${words}, and in autonomous mode nobody is asked`);
    expect(study.exists('.autoresearch')).toBe(false);
  });

  it('a plan that is not autonomous, likewise', async () => {
    const study = new RlStudy();
    study.change('phase/01-03-PLAN.md', 'autonomous: true', 'autonomous: false');
    const { code, stderr } = await study.exec('--autonomous');
    const words = 'task "01-03" in phase/01-03-PLAN.md waits for a person, and in autonomous mode nobody is asked';
    expect([code, stderr]).toEqual([2, expect.stringContaining(`AR333 ${words}`)]);
    expect(study.exists('.autoresearch')).toBe(false);
  });
});

const warning =
  'the smoke job needed a smaller batch than the configs say: write it into configs/common.py before the long run';

const review = `---
verdict: WARNING
fidelity: FULL
confidence: 0.8
reviewer: "reviewer"
fix_rounds: 0
---

# Review: WARNING

Plan fidelity FULL, confidence 0.8.

## Issues

- ${warning}

## Risks

- five steps say nothing about the memory that long sequences need

## Validation

- ✓ \`python3 configs/treatment.py\`
- ✓ \`python3 configs/baseline.py\`
- ✓ \`python3 -m envs | grep -qxF debate-v1\`
`;

const verification = `---
status: passed
score: 15/15
stage: "verify"
closure_rounds: 1
gaps: []
---

# Verification: 15/15 passed

| | kind | must have | seen |
|---|---|---|---|
| ✓ | artifact | results/smoke/treatment.jsonl | 327 bytes |
| ✓ | artifact | results/smoke/baseline.jsonl | 327 bytes |
| ✓ | artifact | envs/debate.py (the environment) | 177 bytes |
| ✓ | artifact | site/envs/debate.py (its installed copy) | 177 bytes |
| ✓ | artifact | configs/treatment.py (the arm) | 237 bytes |
| ✓ | artifact | docs/study.md (the description) | 67 bytes |
| ✓ | link | envs/__init__.py → envs/debate.py | envs/__init__.py has debate-v1 |
| ✓ | link | configs/treatment.py → configs/common.py | configs/treatment.py has from common import |
| ✓ | truth | The work of the plans is committed | \`git log --format=%s \\| grep -q '^feat(auto-default-iter-'\` exited with 0 |
| ✓ | truth | Source and installed copy are identical | \`diff -r -x __pycache__ envs site/envs\` exited with 0 |
| ✓ | command | python3 configs/treatment.py \\| node -e 'JSON.parse(fs.readFileSync(0, "utf8"))' | \`python3 configs/treatment.py \\| node -e 'JSON.parse(fs.readFileSync(0, "utf8"))'\` exited with 0 |
| ✓ | command | python3 configs/baseline.py \\| node -e 'JSON.parse(fs.readFileSync(0, "utf8"))' | \`python3 configs/baseline.py \\| node -e 'JSON.parse(fs.readFileSync(0, "utf8"))'\` exited with 0 |
| ✓ | truth | Two models argue before one of them is rewarded | verifier: seen (envs/debate.py) |
| ✓ | truth | The baseline does not use the environment debate-v1 | verifier: seen (configs/baseline.py) |
| ✓ | truth | docs/study.md says which environment each arm trains on | verifier: seen (docs/study.md) |
`;
