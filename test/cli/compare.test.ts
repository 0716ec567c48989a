import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const losses = { base: [0.512, 0.498, 0.53, 0.505, 0.521], new: [0.471, 0.489, 0.48, 0.466, 0.493] };
const files = Object.fromEntries(
  Object.entries(losses).flatMap(([arm, values]) =>
    values.map((loss, at) => [`data/${arm}-${at + 1}`, JSON.stringify({ arm, seed: at + 1, loss })]),
  ),
);

const config = (compare: string, head = ''): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study${head}
stages:
  train:
    uses: command
    matrix: { arm: [base, new], seed: [1, 2, 3, 4, 5] }
    with: { run: 'mkdir -p runs && cp data/{{matrix.arm}}-{{matrix.seed}} runs/{{matrix.arm}}-{{matrix.seed}}.json' }
    outputs: ['runs/{{matrix.arm}}-{{matrix.seed}}.json']
  results:
    uses: extract
    with:
      each: { arm: [base, new], seed: [1, 2, 3, 4, 5] }
      must: { arm: '{arm}', seed: '{seed}' }
      metrics: { loss: { from: 'runs/{arm}-{seed}.json', value: loss } }
      to: results.yaml
    outputs: [results.yaml]
  compare:
    uses: compare
    with: { results: results.yaml, metric: loss, better: lower, baseline: base, to: comparison.json${compare} }
    outputs: [comparison.json]`,
    ...files,
  });

describe('from runs to a verdict', () => {
  it('trains, collects, compares; the edges follow from the files', async () => {
    const project = config('');
    const { code, stdout } = await project.run('exec');
    expect(stdout).toContain('new supported');
    expect(code).toBe(0);
    expect(JSON.parse(project.read('comparison.json')).variants[0]).toMatchObject({
      variant: 'new',
      verdict: 'supported',
      seeds: 5,
    });
    const again = await project.run('exec');
    expect(again.stdout).toContain('nothing to do, all 12 tasks still hold');
    expect((await project.run('status')).stdout).toContain('compare: improvement[new] 0.0334');
  });

  it('names that the table will not have are found before anything is trained', async () => {
    const project = config(', variants: [nwe], reproduce: { reported: 0.5, otherwise: replace, replacement: old }');
    project.write(
      'autoresearch.config.yaml',
      project
        .read('autoresearch.config.yaml')
        .replace('baseline: base', 'baseline: bse')
        .replace('metric: loss', 'metric: los'),
    );
    const { code, stdout, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`.split('\n').filter((line) => /: AR|AR\d+ [a-z]+:|hint/.test(line))).toEqual([
      'autoresearch.config.yaml:18:44 AR327 metric: stage "results" makes the table, and has no metric "los"; it has loss',
      '    hint: Did you mean "loss"?',
      'autoresearch.config.yaml:18:74 AR327 baseline: stage "results" makes the table, and has no arm "bse"; it has base, new',
      '    hint: Did you mean "base"?',
      'autoresearch.config.yaml:18:110 AR327 variants: stage "results" makes the table, and has no arm "nwe"; it has base, new',
      '    hint: Did you mean "new"?',
      'autoresearch.config.yaml:18:128 AR327 reproduce: stage "results" makes the table, and has no arm "old"; it has base, new',
      '    hint: Name one that it has, or add "old" to stage "results"',
    ]);
    expect(project.exists('runs')).toBe(false);
  });

  it('too few seeds to decide anything are told by plan, and refused by nobody', async () => {
    const project = config(', minSeeds: 6');
    const { code, stdout } = await project.run('plan', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      notices: [],
      doubts: [
        {
          code: 'AR516',
          message: 'stage "compare" asks for at least 6 seeds, and there will be 5: it will decide nothing',
        },
      ],
    });
    expect((await project.run('plan')).stdout).toContain('AR516');
    expect(JSON.parse((await config('').run('plan', '--json')).stdout).doubts).toEqual([]);
    const { stdout: shown } = await project.run('exec');
    expect(shown).toMatch(
      /^⚠ autoresearch\.config\.yaml:18:\d+ AR516 stage "compare" asks for at least 6 seeds, and there will be 5: it will decide nothing\n/,
    );
    expect(shown).toContain('new inconclusive');
    // Nothing to do, nothing to ask.
    expect((await project.run('exec')).stdout).not.toContain('AR516');
  });

  it('a table without the arm or the seed is found as well; of one that something else makes nothing is known', async () => {
    const project = config('');
    const text = project.read('autoresearch.config.yaml');
    const renamed = text
      .replaceAll('each: { arm: [base, new], seed:', 'each: { way: [base, new], run:')
      .replaceAll("'{arm}', seed: '{seed}'", "'{way}', seed: '{run}'");
    project.write('autoresearch.config.yaml', renamed.replace('{arm}-{seed}', '{way}-{run}'));
    const { code, stdout, stderr } = await project.run('plan');
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`.match(/AR\d+ .*/g)).toEqual([
      'AR327 arm: stage "results" makes the table, and has no name in each "arm"; it has run, way',
      'AR327 seed: stage "results" makes the table, and has no name in each "seed"; it has run, way',
      'AR327 for more.',
    ]);
    project.write(
      'autoresearch.config.yaml',
      renamed.replace('{arm}-{seed}', '{way}-{run}').replace('better: lower', 'better: lower, arm: way, seed: run'),
    );
    expect((await project.run('plan')).code).toBe(0);
    project.write(
      'autoresearch.config.yaml',
      `${text.replace('baseline: base', 'baseline: bse').replace('results: results.yaml', 'results: own.yaml')}\n    inputs: [own.yaml]`,
    );
    project.write('own.yaml', 'runs: []');
    expect((await project.run('plan')).code).toBe(0);
  });

  it('a baseline that is not reproduced: a person is asked, and asked once', async () => {
    const project = config(', reproduce: { reported: 0.3, otherwise: ask }', '\nescalate: [human]');
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(3);
    expect(stdout).toContain('base is not reproduced: its loss is 0.5132, reported is 0.3, and 5 % off is the most');
    expect(project.journal().filter(({ type }) => type === 'task-failed')).toHaveLength(1);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it('a baseline that is not reproduced: whoever debugs it is asked, then a person for instructions, at most once', async () => {
    const head = `\nescalate: [instructions, fail]
agents: { fixer: { backend: command, run: "cat > prompt.txt; echo '{\\"outcome\\":\\"done\\",\\"summary\\":\\"looked\\"}'" } }`;
    const project = config(', reproduce: { reported: 0.3, otherwise: debug }', head);
    project.write(
      'autoresearch.config.yaml',
      `${project.read('autoresearch.config.yaml')}\n    retry: { attempts: 2, fix: fixer }`,
    );
    const steps = (): unknown[] =>
      project
        .journal()
        .flatMap(({ type, to, errorClass }): unknown[] =>
          type === 'escalated' ? [[to, errorClass]] : type === 'fix-finished' ? ['fix'] : [],
        );
    expect((await project.run('exec')).code).toBe(3);
    expect(project.read('prompt.txt')).toContain('base is not reproduced: its loss is 0.5132, reported is 0.3');
    expect(steps()).toEqual(['fix', ['instructions', 'baseline-not-reproduced']]);
    expect((await project.run('revise', 'compare', '--feedback', 'the paper has a typo')).code).toBe(0);
    expect((await project.run('exec')).code).toBe(1);
    expect(steps()).toEqual(['fix', ['instructions', 'baseline-not-reproduced'], 'fix']);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it('a baseline that is not reproduced: another arm takes its place, and nobody is asked', async () => {
    const reproduce = ', reproduce: { reported: 0.3, otherwise: replace, replacement: new }';
    const project = config(reproduce, '\nescalate: [human]');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.journal().some(({ type }) => type === 'escalated')).toBe(false);
    expect(JSON.parse(project.read('comparison.json'))).toMatchObject({
      baseline: 'new',
      reproduction: { arm: 'base', reproduced: false, otherwise: 'replace' },
      variants: [],
    });
  });

  it('a run that is missing stops it before anything is compared', async () => {
    const project = config('');
    project.write('data/new-3', '{"arm": "new", "seed": 2, "loss": 0.1}');
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('arm=new,seed=3: loss: it is of another run: seed is 2, not 3');
  });
});
