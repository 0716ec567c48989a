import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';
import { until } from '../support/until.js';

const honest = (to: string): string => `mkdir -p out; echo '{"loss": 0.5}' > ${to}`;

/** Each way is a stage with an output of its own, by which another stage measures. */
function study(ways: readonly string[], outputs = (way: string) => `out/${way}.json`): Project {
  const stages = ways.map(
    (way) => `  ${way}: { uses: command, with: { run: sh ${way}.sh }, inputs: [${way}.sh], outputs: [${outputs(way)}] }
  read-${way}: { uses: extract, needs: [${way}], with: { metrics: { loss: { from: out/${way}.json, value: loss } }, to: results/${way}.yaml } }`,
  );
  const project = new Project({
    'autoresearch.config.yaml': `name: study\nstages:\n${stages.join('\n')}\n`,
  });
  for (const way of ways) project.write(`${way}.sh`, honest(`out/${way}.json`));
  return project;
}

const failureOf = (project: Project, task: string): unknown =>
  project.journal().findLast(({ type, task: whose }) => type === 'task-failed' && whose === task)?.failure;

const notWritten = (way: string) => ({ code: 'output-not-written', outputs: [`out/${way}.json`] });

describe('a result of an older run is none of this one', () => {
  const hostile = {
    idle: 'true',
    touched: 'touch -c out/touched.json; test -e out/touched.json || touch -r old.json out/touched.json',
    dated: 'touch -c -d "next year" out/dated.json',
    chmodded: 'chmod 600 out/chmodded.json || true',
    linked: 'ln -sf ../old.json out/linked.json',
    refreshed: 'touch old.json; ln -sf ../old.json out/refreshed.json',
    named: 'ln -f old.json out/named.json',
    moved: 'cp old.json kept.json; mv older.json out/moved.json',
    own: 'ln -sf ../own.sh out/own.json',
  };
  const ways = Object.keys(hostile);

  it('however it is made to look new', async () => {
    const project = study(ways);
    for (const name of ['old.json', 'older.json']) project.write(name, '{"loss": 0.1}');
    expect((await project.run('exec')).code).toBe(0);
    for (const [way, script] of Object.entries(hostile)) project.write(`${way}.sh`, script);
    expect((await project.run('exec')).code).toBe(1);
    const found = Object.fromEntries(ways.map((way) => [way, failureOf(project, way)]));
    expect(found).toEqual({
      ...Object.fromEntries(ways.map((way) => [way, notWritten(way)])),
      touched: { code: 'output-empty', outputs: ['out/touched.json'] },
    });
    // What nobody wrote anew is where it was, and nothing is left lying about.
    for (const way of ['idle', 'touched', 'dated', 'chmodded'])
      expect(JSON.parse(project.read(`out/${way}.json`))).toEqual({ loss: 0.5 });
    expect(project.exists('.autoresearch/default/aside')).toBe(false);
  });

  it('while the same number made again is a result, in place, by a rename, or by a link to what was made with it', async () => {
    const again = {
      inplace: honest('out/inplace.json'),
      renamed: `${honest('out/tmp')}; mv out/tmp out/renamed.json`,
      linked: `${honest('out/epoch-3.json')}; ln -s epoch-3.json out/linked.json`,
      copied: 'cp -p old.json out/copied.json',
    };
    const project = study(Object.keys(again));
    project.write('old.json', '{"loss": 0.1}');
    expect((await project.run('exec')).code).toBe(0);
    for (const [way, script] of Object.entries(again)) project.write(`${way}.sh`, `${script} # again`);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(0);
    expect(stdout).toContain('passed');
  });

  it('what stands in inputs too is updated in place, and what nobody measures by is left where it is', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  grow: { uses: command, with: { run: "echo '{\\"loss\\": 0.5}' >> log.jsonl" }, inputs: ["log.json*"], outputs: [log.jsonl], cache: false }
  edit: { uses: command, with: { run: "sed -i s/a/b/ text.txt" }, outputs: [text.txt], cache: false }
  read: { uses: extract, needs: [grow], with: { metrics: { rows: { from: log.jsonl, value: loss, pick: count } }, to: results.yaml } }
`,
      'log.jsonl': '{"loss": 0.9}\n',
      'text.txt': 'aaa\n',
    });
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(0);
    expect(stdout).toContain('rows 2');
    expect(project.read('text.txt')).toBe('baa\n');
  });

  it('one of several files in a folder is put back, and not believed', async () => {
    const project = study(['many'], () => 'out');
    expect((await project.run('exec')).code).toBe(0);
    project.write('out/README.md', 'mine');
    project.write('many.sh', 'touch -c out/many.json; echo 1 > out/other.txt');
    const { code } = await project.run('exec');
    expect(code).toBe(1);
    expect(failureOf(project, 'many')).toBeUndefined();
    expect(failureOf(project, 'read-many')).toEqual({
      code: 'metrics-unusable',
      lines: [
        'loss: out/many.json is older than the run or its plan: it was there before, and no task has written it as one of its outputs',
      ],
    });
    expect(project.read('out/README.md')).toBe('mine');
    expect(JSON.parse(project.read('out/many.json'))).toEqual({ loss: 0.5 });
  });

  it('a runner that is killed loses nothing', async () => {
    const project = study(['slow']);
    expect((await project.run('exec')).code).toBe(0);
    const { ino } = statSync(join(project.dir, 'out/slow.json'));
    project.write('slow.sh', 'touch begun; while ! test -e go; do sleep 0.05; done; exit 3');
    const child = project.start(['exec']);
    await until(() => project.exists('begun'));
    expect(project.exists('out/slow.json')).toBe(false);
    expect(JSON.parse(project.read('.autoresearch/default/aside/slow/out/slow.json'))).toEqual({ loss: 0.5 });
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await gone;
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(1);
    expect(failureOf(project, 'slow')).toMatchObject({ code: 'command-failed', exitCode: 3 });
    expect(statSync(join(project.dir, 'out/slow.json')).ino).toBe(ino);
    expect(project.exists('.autoresearch/default/aside')).toBe(false);
  });

  it('nothing is put back through a link that an attempt made of a folder', async () => {
    const project = study(['trap']);
    project.write('elsewhere/keep', '');
    expect((await project.run('exec')).code).toBe(0);
    project.write('trap.sh', 'rm -r out; ln -s elsewhere out; exit 1');
    expect((await project.run('exec')).code).toBe(1);
    expect(project.exists('elsewhere/trap.json')).toBe(false);
    // It is not lost either.
    expect(JSON.parse(project.read('.autoresearch/default/aside/trap/out/trap.json'))).toEqual({ loss: 0.5 });
  });
});

describe('a file that no task makes', () => {
  it.each([
    ['touched', 'touch m.json'],
    ['dated', 'touch -d "next year" m.json; touch m.json'],
    ['with another mode', 'chmod 600 m.json; touch m.json'],
    ['a link to an old one', 'rm m.json; touch old.json; ln -s old.json m.json'],
    ['another name of an old one', 'touch old.json; ln -f old.json m.json'],
  ])('is older than the run when it is %s', async (_name, run) => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  train: { uses: command, with: { run: '${run}' } }
  read: { uses: extract, needs: [train], with: { metrics: { loss: { from: m.json, value: loss } }, to: results.yaml } }
`,
      'm.json': '{"loss": 0.1}',
      'old.json': '{"loss": 0.1}',
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(failureOf(project, 'read')).toEqual({
      code: 'metrics-unusable',
      lines: [
        'loss: m.json is older than the run or its plan: it was there before, and no task has written it as one of its outputs',
      ],
    });
  });
});

describe('what a run says it used', () => {
  const parity = (more: string, files: Record<string, string>): Project =>
    new Project({
      'autoresearch.config.yaml': `name: study
stages:
  run: { uses: command, with: { run: sh run.sh }${more} }
  same:
    uses: parity
    needs: [run]
    with: { check: ab, resolved: { a: run/a.json, b: run/b.json } }
  before: { uses: parity, with: { check: ab } }
parity:
  ab: { arms: { a: a.json, b: b.json }, params: [lr] }
`,
      'a.json': '{"lr": 0.1}',
      'b.json': '{"lr": 0.1}',
      ...files,
    });
  const wrote = (name: string) => `echo '{"lr": 0.1}' > run/${name}.json`;

  it.each([
    [
      'a link to its own config',
      'ln -s ../a.json run/a.json',
      'a (run/a.json): it is the file of the arm itself, a.json',
    ],
    [
      'its own config under another name',
      'ln a.json run/a.json',
      'a (run/a.json): it is the file of the arm itself, a.json',
    ],
    [
      'a link to what the other one wrote',
      'ln -s b.json run/a.json',
      'a and b of resolved are read from the same file, run/a.json and run/b.json',
    ],
  ])('is not %s', async (_name, made, detail) => {
    const project = parity('', { 'run.sh': `mkdir -p run; ${wrote('b')}; ${made}` });
    const { code } = await project.run('exec');
    expect(code).toBe(1);
    expect(failureOf(project, 'same')).toEqual({ code: 'behaviour-failed', detail });
  });

  it('is not a link that its task calls an output either', async () => {
    const project = parity(', outputs: [run/a.json, run/b.json]', {
      'run.sh': `mkdir -p run; ${wrote('b')}; ln -s ../a.json run/a.json`,
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(failureOf(project, 'run')).toEqual({ code: 'output-not-written', outputs: ['run/a.json'] });
  });

  it('is what it wrote itself', async () => {
    const project = parity(', outputs: [run/a.json, run/b.json]', {
      'run.sh': `mkdir -p run; ${wrote('b')}; ${wrote('a')}`,
    });
    const { code, stdout } = await project.run('exec');
    expect({ code, stdout }).toMatchObject({ code: 0 });
  });
});
