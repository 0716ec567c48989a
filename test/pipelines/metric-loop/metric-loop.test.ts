import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIterations } from '../../../src/adapters/iteration/iteration-record.js';
import { Study } from '../study.js';

const name = 'metric-loop';

const rowsOf = (study: Study) => readIterations(join(study.dir, '.autoresearch/default/iterations.jsonl'))!.state!.rows;
const verdicts = (study: Study): string[] => rowsOf(study).map(({ number, verdict }) => `${number} ${verdict}`);

describe('the preset metric-loop, replayed', () => {
  it('keeps what is better, puts back what is not, remembers dead ends, and ends by patience', async () => {
    const study = new Study(name);
    const { code, stdout, stderr } = await study.exec('--replay');
    expect(stderr).toBe('');
    expect(
      stdout.slice(stdout.indexOf('fit-a-line: 4 iterations')),
    ).toBe(`fit-a-line: 4 iterations, ended because 3 iterations in a row made no progress
  #  metric
  0  5.51    kept       the baseline, measured 3 times, noise floor 0.02
  1  1       kept       metric is 1 after 5.51: won 4.51
  2  4       discarded  metric is 4 after 1: no better than the best
  3  -       failed     experiment: exited with code 1: Error: not ready
  4  0.99    discarded  metric is 0.99 after 1: won 0.01, not more than the noise floor of 0.02
  best: metric 1, iteration 1 (${study.git('rev-parse', 'HEAD').slice(0, 12)})
  table: iterations/1/results.tsv
  next: raise the rule that ended it and autoresearch exec goes on, or autoresearch exec --new begins another series
`);
    expect(code).toBe(0);
    expect(study.read('model.mjs')).toContain('slope = 2;\nexport const offset = 0;');
    expect(study.git('status', '--porcelain')).toBe('');
    expect(study.git('log', '--format=%s', '-2').split('\n')).toEqual([
      'Iteration 1: the slope is 2, as the goal says',
      'the study',
    ]);
    expect(study.git('show', 'auto/default-iter-3-1:model.mjs')).toContain("throw new Error('not ready')");
    expect(study.read('insights.md')).toContain('## Iteration 2: discarded\n\n- Tried: a negative offset\n');
    expect(study.read('iterations/1/results.tsv').split('\n')).toHaveLength(7);
    const again = await study.exec('--replay');
    expect([again.code, verdicts(study).length]).toEqual([0, 5]);
  });
});

describe('the preset metric-loop, with coders that cannot be trusted', () => {
  const one = ['--set', 'patience=1', '--set', 'repeats=1', '--set', 'failures=1'] as const;
  const attack = (how: string, study = new Study(name), more: readonly string[] = []) =>
    study.execScripted({ coder: `hostile.mjs ${how}` }, ...one, ...more).then((end) => ({ study, ...end }));

  it.each([
    [
      'prints',
      'measure: there are numbers that cannot be used: metric: value is there 2 times: say which with pick (iterations/1/001/run.log)',
    ],
    [
      'prints-another',
      'measure: there are numbers that cannot be used: metric: value is "score=0" in iterations/1/001/run.log:1, not a finite number (iterations/1/001/run.log)',
    ],
  ])('a metric line of its own counts for nothing: %s', async (how, why) => {
    const { study, code } = await attack(how);
    expect(code).toBe(1);
    expect(verdicts(study)).toEqual(['0 kept', '1 failed']);
    expect(rowsOf(study)[1]!.why).toBe(why);
    expect(study.git('status', '--porcelain')).toBe('');
  });

  it('what is kept is what was measured: a program that replaces itself meanwhile has failed', async () => {
    const { study, code } = await attack('replaces-itself');
    expect(code).toBe(1);
    expect(verdicts(study)).toEqual(['0 kept', '1 failed']);
    expect(rowsOf(study)[1]!.why).toBe(
      'model.mjs is no longer what experiment was given: it was changed while the iteration was measured',
    );
    expect(study.git('status', '--porcelain')).toBe('');
  });

  it('a program that prints the line and leaves does not count where a command of its own measures', async () => {
    const study = new Study(name, {
      'model.mjs': "import { writeFileSync } from 'node:fs';\nwriteFileSync('iterations/left.json', '[1]');\n",
      'score.mjs':
        "import { readFileSync } from 'node:fs';\nconsole.log(`METRIC loss=${JSON.parse(readFileSync('iterations/left.json', 'utf8'))[0]}`);\n",
      'autoresearch.config.yaml': `name: fit-a-line
extends: ["autoresearch:metric-loop"]
vars: { goal: goal.md, files: [model.mjs], evaluation: [score.mjs], run: rm -f iterations/left.json; node model.mjs, evaluate: node score.mjs, metric: loss, time: 60s }
`,
    });
    const { code } = await attack('prints-and-leaves', study);
    expect(code).toBe(1);
    expect(verdicts(study)).toEqual(['0 kept', '1 failed']);
    expect(rowsOf(study)[0]).toMatchObject({ value: 1 });
    expect(rowsOf(study)[1]!.why).toMatch(/^evaluate: exited with code 1: Error: /);
    expect(study.read('iterations/1/001/run.log')).toBe('METRIC loss=0.000001\n');
  });

  it('a program that stays behind to write over the number is ended before it is measured', async () => {
    const study = new Study(name, {
      'model.mjs': "import { writeFileSync } from 'node:fs';\nwriteFileSync('iterations/left.json', '[1]');\n",
      'score.mjs':
        "import { readFileSync } from 'node:fs';\nconst left = readFileSync('iterations/left.json', 'utf8');\nconsole.log(`METRIC loss=${JSON.parse(left)[0]}`);\nconst until = Date.now() + 3000;\nwhile (Date.now() < until && readFileSync('iterations/left.json', 'utf8') === left);\n",
      'autoresearch.config.yaml': `name: fit-a-line
extends: ["autoresearch:metric-loop"]
vars: { goal: goal.md, files: [model.mjs], evaluation: [score.mjs], run: node model.mjs, evaluate: node score.mjs, metric: loss, time: 60s }
`,
    });
    const { code } = await attack('stays-behind', study);
    expect(code).toBe(0);
    expect(rowsOf(study).map(({ verdict, value }) => `${verdict} ${value}`)).toEqual(['kept 1', 'discarded 1']);
  });

  it.each(['edits-evaluation', 'program-edits-evaluation'])('the evaluation cannot be changed: %s', async (how) => {
    const study = new Study(name);
    const before = study.read('evaluate.mjs');
    const { code } = await attack(how, study);
    expect(code).toBe(4);
    expect(study.read('evaluate.mjs')).toBe(before);
    expect(verdicts(study)).toEqual(['0 kept']);
  });

  it('what takes too long has failed, although it had printed a number', async () => {
    const { study, code } = await attack('hangs', new Study(name), ['--set', 'time=5s']);
    expect(code).toBe(1);
    expect(rowsOf(study)[1]).toMatchObject({ verdict: 'failed' });
    expect(rowsOf(study)[1]!.why).toMatch(/^experiment: timed out after 5/);
    expect(rowsOf(study)[1]).not.toHaveProperty('value');
    expect(study.git('status', '--porcelain')).toBe('');
  });

  it('a seed is no progress', async () => {
    const seeded = 'export const seed = 1;\nexport const predict = (x) => (seed === 1 ? x : 2 * x + 1);\n';
    const { study, code } = await attack('seed', new Study(name, { 'model.mjs': seeded }));
    expect(code).toBe(0);
    expect(rowsOf(study)[1]).toMatchObject({
      verdict: 'discarded',
      why: 'nothing but a seed was changed, so a better number would be luck',
    });
    expect(study.read('model.mjs')).toBe(seeded);
  });
});
