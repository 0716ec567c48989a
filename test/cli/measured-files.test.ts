import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const table = (better: number): string =>
  JSON.stringify({
    runs: ['base', 'new'].flatMap((arm) =>
      [0.51, 0.49, 0.53, 0.505, 0.52].map((loss, at) => ({
        arm,
        seed: at + 1,
        metrics: { loss: arm === 'new' ? loss - better - at / 1000 : loss },
      })),
    ),
  });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A table from before lies there; whoever is to make it runs `make.sh`. */
function study(stages: string, files: Record<string, string> = {}): Project {
  return new Project({
    'autoresearch.config.yaml': `name: study
stages:
${stages}`,
    'out/table.json': table(0.1),
    'old.json': table(0.1),
    'make.sh': 'true',
    ...files,
  });
}

const compare = (more = '', results = 'out/table.json'): string =>
  `  compare:
    uses: compare
    with: { results: ${results}, metric: loss, better: lower, baseline: base, to: comparison.json, report: c.md }
    outputs: [comparison.json, c.md]${more}
`;
const maker = (outputs: string, more = ''): string =>
  `  make: { uses: command, with: { run: sh make.sh }, inputs: [make.sh], outputs: [${outputs}]${more} }\n`;

const failureOf = (project: Project, task: string): unknown =>
  project.journal().findLast(({ type, task: whose }) => type === 'task-failed' && whose === task)?.failure;

const toldIn = (text: string): readonly string[] => text.match(/AR\d+ (?!for).*|hint: .*/g) ?? [];

const strange = {
  code: 'metrics-unusable',
  lines: [
    'out/table.json: it is not what a task of this run made; a table from elsewhere has to be named under inputs',
  ],
};

describe('a comparison of a table that no task of the run made', () => {
  it.each([
    ['lies in a folder of outputs', 'echo 1 > out/other.txt'],
    ['is linked there', 'ln -sf ../old.json out/table.json; echo 1 > out/other.txt'],
    ['is another name of an old one', 'ln -f old.json out/table.json; echo 1 > out/other.txt'],
    ['is moved there', 'mv old.json out/table.json; echo 1 > out/other.txt'],
  ])('fails when it %s', async (_name, script) => {
    const project = study(maker('out') + compare(), { 'make.sh': script });
    expect((await project.run('exec')).code).toBe(1);
    expect(failureOf(project, 'compare')).toEqual(strange);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it('fails when it stepped aside, and was only touched', async () => {
    const project = study(maker('out') + compare(), { 'make.sh': 'touch out/table.json; echo 1 > out/other.txt' });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect([code, stdout]).toEqual([1, expect.stringContaining('compare  skipped: make did not pass')]);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it('fails where the table itself is the output and was only touched', async () => {
    const project = study(maker('out/table.json') + compare(), { 'make.sh': 'touch -c out/table.json' });
    expect((await project.run('exec')).code).toBe(1);
    expect(failureOf(project, 'make')).toEqual({ code: 'output-not-written', outputs: ['out/table.json'] });
  });

  it('is not made when its maker is switched off, also where inputs name it', async () => {
    const project = study(
      maker('out/table.json', ', when: "false"') + compare('\n    inputs: [out/table.json]\n    needs: [make]'),
    );
    await project.run('exec');
    expect(project.exists('comparison.json')).toBe(false);
    expect(project.journal().filter(({ type }) => type === 'task-skipped')).toMatchObject([
      { task: 'make' },
      { task: 'compare' },
    ]);
  });

  it('fails when somebody put another one there since', async () => {
    const project = study(
      `${maker('out/table.json')}  between: { uses: command, needs: [make], with: { run: cp old.json out/table.json } }
${compare('\n    needs: [between]')}`,
      { 'make.sh': `echo '${table(0)}' > out/table.json` },
    );
    expect((await project.run('exec')).code).toBe(1);
    expect(project.exists('comparison.json')).toBe(false);
  });

  it.each([
    ['nobody makes it', '', 'no stage has out/table.json among its outputs'],
    ['only a pattern names it', '\n    inputs: ["out/*.json"]', 'no stage has out/table.json among its outputs'],
  ])('is found before anything runs: %s', async (_name, more, words) => {
    const project = study(compare(more));
    const { code, stdout, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(toldIn(`${stdout}${stderr}`)).toEqual([
      `AR369 ${words}`,
      'hint: Name it under outputs of the stage that makes it; a table from elsewhere under inputs of "compare"',
    ]);
  });

  it('is found before anything runs: an extract that does not have it among its outputs', async () => {
    const project = study(
      `  read: { uses: extract, with: { metrics: { loss: { from: old.json, at: runs, value: metrics.loss } }, to: r.yaml } }
${compare('', 'r.yaml')}`,
    );
    const { stdout, stderr } = await project.run('plan');
    expect(toldIn(`${stdout}${stderr}`)).toEqual(
      expect.arrayContaining([
        'AR369 stage "read" writes r.yaml, and does not have it among its outputs',
        'hint: Name it under outputs of "read"',
      ]),
    );
  });
});

describe('a table from elsewhere that the config names', () => {
  it('is compared, and everybody is told: log, result, summary, verify', async () => {
    const project = study(compare('\n    inputs: [out/table.json]'));
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    const digest = sha256(table(0.1));
    const words = `out/table.json is no work of this run: the config names it as an input (sha256 ${digest})`;
    expect(code).toBe(0);
    expect(stdout).toContain(words);
    expect(JSON.parse(project.read('comparison.json'))).toMatchObject({
      outside: [{ file: 'out/table.json', sha256: digest, what: 'table' }],
      variants: [{ verdict: 'supported' }],
    });
    expect(project.read('c.md')).toContain(words);
    expect(project.read('logs/errors.log')).toContain(words);
    const verified = await project.run('verify');
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining(
        `compare:out/table.json: no work of the run: the config names it as an input, sha256 ${digest}`,
      ),
    ]);
    project.write('out/table.json', table(0.2));
    expect((await project.run('verify')).code).toBe(1);
  });

  it('a reported number from elsewhere is told as such, and is no warning', async () => {
    const project = study(
      maker('out/table.json') +
        compare().replace(
          'better: lower',
          'better: lower, reproduce: { reported: { from: paper.yaml, at: loss }, otherwise: flag }',
        ),
      { 'make.sh': `echo '${table(0.1)}' > out/table.json`, 'paper.yaml': 'loss: 0.51\n' },
    );
    expect((await project.run('exec')).code).toBe(0);
    expect(JSON.parse(project.read('comparison.json')).outside).toEqual([
      { file: 'paper.yaml', sha256: sha256('loss: 0.51\n'), what: 'reported' },
    ]);
    expect(project.exists('logs/errors.log')).toBe(false);
  });

  it('a table that a task made is none, also when its result is taken over from an earlier run', async () => {
    const project = study(maker('out/table.json') + compare(), {
      'make.sh': `echo '${table(0.1)}' > out/table.json`,
    });
    expect((await project.run('exec')).code).toBe(0);
    expect(JSON.parse(project.read('comparison.json'))).not.toHaveProperty('outside');
    const text = project.read('autoresearch.config.yaml');
    project.write('autoresearch.config.yaml', text.replace('better: lower', 'better: lower, confidence: 0.9'));
    expect((await project.run('exec')).code).toBe(0);
    const verified = await project.run('verify');
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining('compare:out/table.json: made by make'),
    ]);
    project.write('autoresearch.config.yaml', text.replace('better: lower', 'better: lower, confidence: 0.8'));
    expect((await project.run('exec', '--only', 'compare')).code).toBe(0);
  });
});

describe('numbers that a gate goes by', () => {
  const gated = (more: string): string =>
    `  train: { uses: command, with: { run: sh make.sh }, outputs: [log.txt]${more} }
  after: { uses: command, needs: [train], with: { run: touch reached } }
`;
  const wrote = { 'make.sh': 'date > log.txt', 'metrics.json': '{"loss": 0.01}' };
  const gate = ', gate: { kind: auto, evidence: [metrics.json], checks: ["metrics.loss < 0.1"] }';
  const words =
    'metrics.loss < 0.1: metrics.json is not what a task of this run made; a file from elsewhere has to be named under inputs';
  const reasons = (project: Project): unknown =>
    project.journal().findLast(({ type }) => type === 'gate-decided')?.reasons;

  it.each([
    ['lay there before', 'true'],
    ['was touched', 'touch metrics.json'],
    ['was written by a task that does not have it among its outputs', `echo '{"loss": 0.01}' > metrics.json`],
  ])('are not believed from a file that %s', async (_name, more) => {
    const project = study(gated(gate), { ...wrote, 'make.sh': `date > log.txt; ${more}` });
    expect((await project.run('exec')).code).toBe(1);
    expect(reasons(project)).toEqual([words]);
    expect(project.exists('reached')).toBe(false);
  });

  it('are not believed where an expression only looks whether something is not there', async () => {
    const project = study(gated(gate.replace('metrics.loss < 0.1', '!has(metrics.diverged)')), wrote);
    expect((await project.run('exec')).code).toBe(1);
    expect(reasons(project)).toEqual([words.replace('metrics.loss < 0.1', '!has(metrics.diverged)')]);
  });

  it.each([
    ['touched', 'touch metrics.json'],
    ['linked', 'ln -sf kept.json metrics.json'],
    ['moved', 'mv kept.json metrics.json'],
  ])('are no result of a task by being %s', async (_name, script) => {
    const project = study(gated(gate).replace('[log.txt]', '[log.txt, metrics.json]'), {
      ...wrote,
      'kept.json': '{"loss": 0.01}',
      'make.sh': `date > log.txt; ${script}`,
    });
    expect((await project.run('exec')).code).toBe(1);
    const failure = failureOf(project, 'train') as { code: string; outputs: string[] };
    expect(failure.outputs).toEqual(['metrics.json']);
    expect(['output-not-written', 'output-empty']).toContain(failure.code);
    expect(project.exists('reached')).toBe(false);
  });

  it('are believed from what tasks made, and from a file that inputs name, which verify tells', async () => {
    const project = study(
      `  measure: { uses: command, with: { run: "echo '{\\"loss\\": 0.05}' > metrics.json" }, outputs: [metrics.json] }
  train: { uses: command, needs: [measure], with: { run: sh make.sh }, outputs: [log.txt], inputs: [most.yaml], gate: { kind: auto, evidence: [metrics.json, most.yaml], checks: ["metrics.loss < metrics.most"] } }
`,
      { ...wrote, 'most.yaml': 'most: 0.1\n' },
    );
    expect((await project.run('exec')).code).toBe(0);
    const { code, stdout } = await project.run('verify', '--verbose');
    expect(code).toBe(0);
    expect(stdout).toContain('train:metrics.json: made by measure');
    expect(stdout).toContain(
      `train:most.yaml: no work of the run: the config names it as an input, sha256 ${sha256('most: 0.1\n')}`,
    );
  });
});
