import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const two = configYaml(
  `
a: { uses: command, with: { run: 'echo {{vars.word}} > a.txt' }, outputs: [a.txt] }
b: { uses: command, with: { run: 'cat a.txt > b.txt' }, inputs: [a.txt], outputs: [b.txt] }`,
  'name: study\nvars: { word: hello }',
);

describe('a config', () => {
  const typescript = {
    'autoresearch.config.ts': `import { defineConfig } from 'autoresearch';
import { stages } from './lab/stages';
export default defineConfig({ name: 'typed', stages });
`,
    'lab/stages.ts': `import type { Stage } from 'autoresearch';
export const stages: Record<string, Stage> = { a: { uses: './lab/greet.ts', with: { who: 'world' }, outputs: ['hi.txt'] } };
`,
    'lab/greet.ts': `import { defineStage } from 'autoresearch';
export default defineStage({
  name: 'greet',
  summary: 'greets',
  version: '1',
  options: { type: 'object', additionalProperties: false, required: ['who'], properties: { who: { type: 'string' } } },
  describe: ({ who }) => ({ summary: \`greet \${who}\`, writes: ['hi.txt'] }),
  async run({ who }, context) {
    await context.writeFile('hi.txt', \`hi \${who}\\n\`);
    return { ok: true };
  },
});
`,
  };

  it('in TypeScript imports other files and behaviours, and writes nothing beside them', async () => {
    const project = new Project(typescript);
    const before = project.snapshot();
    expect((await project.run('plan')).stdout).toContain('greet world');
    expect(project.snapshot()).toEqual(before);
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('hi.txt')).toBe('hi world\n');
  });

  it('reruns a stage when the code of its behaviour changed', async () => {
    const project = new Project(typescript);
    await project.run('exec');
    project.write('lab/greet.ts', project.read('lab/greet.ts').replace('`hi ${who}', '`hello ${who}'));
    expect((await project.run('why', 'a')).stdout).toContain('the code of ./lab/greet.ts changed');
    await project.run('exec');
    expect(project.read('hi.txt')).toBe('hello world\n');
  });

  it.each([
    [
      'autoresearch.config.json',
      JSON.stringify({ name: 'x', stages: { a: { uses: 'command', with: { run: 'true' } } } }),
    ],
    [
      'autoresearch.config.mjs',
      `export default { name: 'x', stages: { a: { uses: 'command', with: { run: 'true' } } } };`,
    ],
    ['.autoresearchrc', 'name: x\nstages: { a: { uses: command, with: { run: "true" } } }\n'],
    [
      'package.json',
      JSON.stringify({
        name: 'p',
        autoresearch: { name: 'x', stages: { a: { uses: 'command', with: { run: 'true' } } } },
      }),
    ],
  ])('is found as %s', async (file, text) => {
    const project = new Project({ [file]: text });
    const { code, stdout } = await project.run('plan', '--json');
    expect({ code, name: JSON.parse(stdout).name }).toEqual({ code: 0, name: 'x' });
  });

  it('reports all mistakes at once with their places, and exits 2', async () => {
    const project = new Project({
      'autoresearch.config.yaml':
        'name: study\nvars: { unused: 1 }\nstages:\n  a:\n    uses: comand\n    needs: [c]\n    with: { run: "echo {{vars.x}}" }\n',
    });
    const { code, stdout, stderr } = await project.run('exec');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`autoresearch.config.yaml:2:9 AR307 nothing uses the variable "unused"
  2 | vars: { unused: 1 }
    |         ^~~~~~
    hint: Use it as {{vars.unused}}, or take it out

autoresearch.config.yaml:5:11 AR302 unknown behaviour "comand"
  5 |     uses: comand
    |           ^~~~~~
    hint: Did you mean "command"?

autoresearch.config.yaml:6:13 AR301 there is no stage "c"
  6 |     needs: [c]
    |             ^
    hint: Did you mean "a"?

autoresearch.config.yaml:7:31 AR402 unknown name "vars.x"
  7 |     with: { run: "echo {{vars.x}}" }
    |                               ^
    hint: Known here: unused

4 problems. Run autoresearch explain AR307 for more (also AR302, AR301 and AR402).
`);
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('is told by --set, and --origin says who said what', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const { stdout } = await project.run('config', '--origin', '--set', 'word=bye');
    expect(stdout).toContain('vars.word');
    expect(stdout).toMatch(/vars\.word\s+"bye" {2}\(--set\)/);
    expect(stdout).toMatch(/name\s+"study" {2}\(autoresearch\.config\.yaml\)/);
    await project.run('exec', '--set', 'word=bye');
    expect(project.read('b.txt')).toBe('bye\n');
  });
});

describe('what is known to be missing', () => {
  it('is refused before anything runs, and plan says so', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'touch ran' }, inputs: [data.csv] }
b: { uses: command, needs: [a], with: { run: 'true' }, inputs: [made-by-a], outputs: [o.json], schema: { o.json: no.schema.json } }`),
    });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('AR507 data.csv is not there, and nothing makes it');
    expect(stderr).toContain('AR507 no.schema.json is not there, and nothing makes it');
    expect(stderr).not.toContain('AR507 made-by-a');
    expect(project.exists('ran')).toBe(false);
    expect((await project.run('plan')).stdout).toContain('AR507');
  });

  it('inputs of later tasks that no stage says it makes are asked about by plan', async () => {
    const project = new Project({
      'data/train.csv': 'x',
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'mkdir -p runs; touch runs/1 undeclared' }, outputs: [runs/1, made] }
b: { uses: command, needs: [a], with: { run: 'true' }, inputs: [runs/1, runs/*, made/inside, dta/train.csv] }
c: { uses: command, needs: [a], with: { run: 'true' }, inputs: [data/train.csv, undeclared, run/1] }`),
    });
    const { code, stdout } = await project.run('plan', '--json');
    expect(code).toBe(0);
    const { notices, doubts } = JSON.parse(stdout);
    expect(notices).toEqual([]);
    expect(doubts.map(({ code, message }: { code: string; message: string }) => `${code} ${message}`)).toEqual([
      'AR515 dta/train.csv is not there, and no stage has it as an output (did you mean "data/train.csv"?)',
      'AR515 undeclared is not there, and no stage has it as an output; 1 more of this stage',
    ]);
    const shown = (await project.run('plan')).stdout;
    expect(shown).toContain('AR515 dta/train.csv');
    expect(shown).toContain(
      '⚠ exec goes ahead with what 2 lines at the top doubt; look there first.\nNext:       autoresearch exec\n',
    );
    expect(shown).not.toContain('exec would refuse');
  });

  it('results that are measured and that no stage says it makes are asked about: nobody waits for them', async () => {
    const config = (outputs: string, inputs = '[]') => ({
      'autoresearch.config.yaml': configYaml(`
train: { uses: command, matrix: { seed: [1, 2] }, with: { run: 'true' }, outputs: ${outputs} }
results:
  uses: extract
  with: { each: { seed: [1, 2] }, metrics: { loss: { from: "m-{seed}.json", value: loss } }, to: r.yaml }
  inputs: ${inputs}
  outputs: [r.yaml]`),
    });
    const doubtsOf = async (files: Record<string, string>): Promise<string[]> =>
      JSON.parse((await new Project(files).run('plan', '--json')).stdout).doubts.map(
        ({ message }: { message: string }) => message,
      );
    expect(await doubtsOf(config('["log-{{matrix.seed}}.txt"]'))).toEqual([
      'results reads m-1.json, and no stage has it as an output, so results waits for nobody to make it; 1 more of this stage',
    ]);
    expect(await doubtsOf(config('["m-{{matrix.seed}}.json"]'))).toEqual([]);
    const given = {
      ...config('["log-{{matrix.seed}}.txt"]', '[m-1.json, m-2.json]'),
      'm-1.json': '{}',
      'm-2.json': '{}',
    };
    expect(await doubtsOf(given)).toEqual([]);
  });

  it('exec says the same in a line each, goes ahead, and tells programs nothing', async () => {
    const files = {
      'data/train.csv': 'x',
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'touch undeclared' } }
b: { uses: command, needs: [a], with: { run: 'true' }, inputs: [dta/train.csv] }
c: { uses: command, needs: [a], with: { run: 'true' }, inputs: [undeclared] }`),
    };
    const told = [
      '⚠ autoresearch.config.yaml:5:67 AR515 dta/train.csv is not there, and no stage has it as an output (did you mean "data/train.csv"?)',
      '⚠ autoresearch.config.yaml:6:67 AR515 undeclared is not there, and no stage has it as an output',
    ];
    const plain = new Project(files);
    const { stdout, stderr } = await plain.run('exec', '--reporter', 'plain');
    // The first is a mistake: no such file. The second is none: a makes it without saying so.
    expect(stdout.split('\n').slice(0, 3)).toEqual([...told, expect.stringMatching(/^study: run 1-\w+, 3 tasks/)]);
    expect(stdout).toContain('✓ c ');
    expect(stderr).toBe('');
    for (const args of [['--json'], ['--reporter', 'json'], ['--reporter', 'silent'], ['--quiet']]) {
      const silent = await new Project(files).run('exec', ...args);
      expect(`${silent.stdout.split('\n')[0]}${silent.stderr}`).not.toContain('AR515');
    }
    const tree = await new Project(files).run('exec', '--reporter', 'tree');
    expect(tree.stdout.split('\n').slice(0, 2)).toEqual(told);
  });

  it('a gate as a stage of its own is told where it belongs', async () => {
    const project = new Project({ 'autoresearch.config.yaml': configYaml('\na: { uses: gate }') });
    const { code, stderr } = await project.run('plan');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'hint: A gate is no stage of its own: write gate: { kind: human } into the stage whose result is judged',
    );
  });

  it('inputs that an earlier task should have made fail the task', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`
a: { uses: command, with: { run: 'true' } }
b: { uses: command, needs: [a], with: { run: 'true' }, inputs: [made-by-a] }`),
    });
    expect((await project.run('exec')).code).toBe(1);
    expect(project.journal().find((event) => event.type === 'task-failed')).toMatchObject({
      failure: { code: 'input-missing', inputs: ['made-by-a'] },
    });
  });
});

describe('results of a seed that was dropped', () => {
  const study = configYaml(
    `
train: { uses: command, matrix: { seed: '{{vars.seeds}}' }, with: { run: 'echo {{matrix.seed}} > runs-{{matrix.seed}}.txt' }, outputs: ['runs-{{matrix.seed}}.txt'] }
compare: { uses: command, with: { run: 'cat runs-*.txt > all.txt' }, inputs: ['runs-*.txt'], outputs: [all.txt] }`,
    'name: study\nvars: { seeds: [1, 2, 3] }',
  );

  it('never go into the comparison unseen', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study, 'runs-notes.md': 'not a result' });
    expect((await project.run('exec')).code).toBe(0);
    const { code, stderr } = await project.run('exec', '--set', 'seeds=1,2');
    expect(code).toBe(2);
    expect(stderr).toContain('AR508 runs-*.txt would also collect runs-3.txt, which no task of this plan makes');
    expect((await project.run('plan', '--set', 'seeds=1,2')).stdout).toContain('AR508');
    rmSync(join(project.dir, 'runs-3.txt'));
    expect((await project.run('exec', '--set', 'seeds=1,2')).code).toBe(0);
    expect(project.read('all.txt')).toBe('1\n2\n');
  });
});

describe('mistakes in the shape of a config', () => {
  it('are explained by the bundle as they are by the sources', async () => {
    const project = new Project({
      'autoresearch.config.yaml':
        'name: a\nstagess: 1\nstages:\n  a: { uses: command, with: { run: "true" }, timeout: 30, retry: { attempts: 0 } }\n',
    });
    const { code, stderr } = await project.run('plan');
    expect(code).toBe(2);
    for (const words of [
      'AR201 unknown key "stagess"',
      'AR206 stages.a.timeout must be a duration',
      'AR204 stages.a.retry.attempts must be',
    ]) {
      expect(stderr).toContain(words);
    }
  });

  it('name the file that was meant, and a plan of some stages the command that runs them', async () => {
    const project = new Project({
      'autoresearch.config.yaml':
        'name: a\nstages: { a: { uses: ./stages/mien.mjs }, b: { uses: command, with: { run: x } } }\n',
      'stages/mine.mjs': '',
    });
    const { stderr } = await project.run('plan');
    expect(stderr).toContain('AR302 there is no file ./stages/mien.mjs');
    expect(stderr).toContain('hint: Did you mean "./stages/mine.mjs"?');
    project.write('autoresearch.config.yaml', 'name: a\nstages: { b: { uses: command, with: { run: x } } }\n');
    expect((await project.run('plan', 'b')).stdout).toMatch(/\nNext: +autoresearch exec --only b\n$/);
  });

  it('do not keep back what else is wrong', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: a
vars: { n: 1, m: 2 }
stages:
  a: { uses: comand, timeout: 30, with: { run: x } }
  b: { uses: command, needs: [c], inputs: [out.txt], with: { run: 'echo {{vars.nn}}', shell: zsh } }
  c: { uses: command, needs: [b], tiemout: 5m, with: { run: 'echo {{vars.n}}' }, outputs: [out.txt] }
`,
    });
    const { code, stderr } = await project.run('plan');
    const told = [...stderr.matchAll(/^\S+yaml:(\d+):\d+ (AR\d+)/gm)].map(([, line, number]) => `${line} ${number}`);
    expect({ code, told }).toEqual({
      code: 2,
      told: ['2 AR307', '4 AR302', '4 AR206', '5 AR501', '5 AR402', '5 AR201', '6 AR201'],
    });
  });
});

describe('after tampering', () => {
  it('a new run goes past the journal that cannot be trusted, and runs still lists it', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    await project.run('exec');
    const { run } = JSON.parse((await project.run('status', '--json')).stdout);
    const file = `.autoresearch/default/runs/${run}/journal.jsonl`;
    project.write(file, project.read(file).replace('"outcome":"passed"', '"outcome":"failed"'));
    expect((await project.run('exec')).code).toBe(4);
    expect((await project.run('exec', '--new')).code).toBe(0);
    expect((await project.run('runs')).stdout).toContain(run);
  });
});

describe('code of the user that does what it should not', () => {
  const config = (text: string): Record<string, string> => ({
    'autoresearch.config.mjs': `${text}\nexport default { name: 'x', stages: { a: { uses: './b.mjs' } } };`,
  });
  const behaviour = (run: string): Record<string, string> => ({
    'b.mjs': `export default { name: 'b', summary: 'b', version: '1', options: { type: 'object' }, describe: () => ({ summary: 'b' }), run: ${run} };`,
  });
  const fine = behaviour('async () => ({ ok: true })');

  it.each([
    ['a config that exits', { ...config('process.exit(0);'), ...fine }],
    ['a behaviour that exits', { ...config(''), ...behaviour('async () => process.exit(0)') }],
    [
      'a behaviour that throws from a timer',
      { ...config(''), ...behaviour(`() => new Promise(() => setTimeout(() => { throw new Error('late'); }, 20))`) },
    ],
  ])('%s never looks like success', async (_name, files) => {
    const { code, stderr } = await new Project(files).run('exec');
    expect(code).toBe(70);
    expect(stderr).not.toBe('');
  });

  it('a config that waits for what cannot come is told so at once', async () => {
    const project = new Project({ ...config('await new Promise(() => {});'), ...fine });
    expect(await project.run('exec')).toEqual({
      code: 2,
      stdout: '',
      stderr: `autoresearch.config.mjs AR104 evaluation was ended: it waits for something that did not come within 30 s, or that cannot come any more
    hint: Look at what it awaits: a config is data, so let a script fetch what it needs, and write it into a file

1 problem. Run autoresearch explain AR104 for more.
`,
    });
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it.each([
    `({ ok: 'false' })`,
    `({ ok: 1 })`,
    '({ ok: false })',
    `({ ok: false, failure: {} })`,
    '({})',
    'undefined',
    'true',
  ])('the answer %s is no pass', async (answer) => {
    const project = new Project({ ...config(''), ...behaviour(`async () => ${answer}`) });
    expect((await project.run('exec')).code).toBe(1);
    expect(project.journal().find((event) => event.type === 'task-failed')).toMatchObject({
      failure: { code: 'behaviour-crashed' },
    });
  });

  it('a throw without a promise is a failure too', async () => {
    const project = new Project({ ...config(''), ...behaviour(`() => { throw new Error('now'); }`) });
    expect((await project.run('exec')).code).toBe(1);
  });

  it('what it prints stays out of the data', async () => {
    const project = new Project({ ...config(`console.log('hello');`), ...fine });
    expect(JSON.parse((await project.run('plan', '--json')).stdout).name).toBe('x');
  });
});

describe('a saved plan', () => {
  it('that was edited is refused', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    await project.run('plan', '--out', 'plan.json');
    project.write('plan.json', project.read('plan.json').replace('cat a.txt', 'cat x.txt'));
    const { code, stderr } = await project.run('exec', '--plan', 'plan.json');
    expect(code).toBe(2);
    expect(stderr).toContain('was changed since it was saved');
  });

  it('is not written over the config', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    expect((await project.run('plan', '--out', 'autoresearch.config.yaml')).code).toBe(2);
    expect(project.read('autoresearch.config.yaml')).toBe(two);
  });
});

describe('a config that leaves something open', () => {
  it('does not keep the command from ending', async () => {
    const project = new Project({
      'autoresearch.config.mjs': `setInterval(() => {}, 1000); export default { name: 'x', stages: { a: { uses: 'command', with: { run: 'true' } } } };`,
    });
    expect((await project.run('plan')).code).toBe(0);
    expect((await project.run('exec')).code).toBe(0);
  });
});

describe('plan', () => {
  it('gives the shape of the contract', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const plan = JSON.parse((await project.run('plan', '--json')).stdout);
    expect(plan).toMatchObject({
      version: 1,
      name: 'study',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      waves: [['a'], ['b']],
      tasks: [
        {
          id: 'a',
          stage: 'a',
          uses: 'command',
          needs: [],
          action: 'run',
          reasons: [{ code: 'never-ran' }],
          outputs: ['a.txt'],
        },
        { id: 'b', stage: 'b', uses: 'command', needs: ['a'], action: 'run', outputs: ['b.txt'] },
      ],
      worstCase: { agentCalls: 0, usd: 0 },
    });
  });

  it('quotes values for the shell, and points at raw ones', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'printf %s {{vars.evil}} > out; printf %s {{{vars.raw}}} >> out' }, outputs: [out] }`,
        `name: study\nvars: { evil: "$(touch pwned); 'x'", raw: plain }`,
      ),
    });
    expect((await project.run('plan')).stdout).toContain('vars.raw');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('out')).toBe("$(touch pwned); 'x'plain");
    expect(project.exists('pwned')).toBe(false);
  });

  it.each([
    ['mermaid', 'flowchart'],
    ['dot', 'digraph'],
    ['svg', '<svg'],
  ])('draws the graph as %s', async (form, word) => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const { code, stdout } = await project.run('plan', '--graph', form);
    expect(code).toBe(0);
    expect(stdout).toContain(word);
  });
});

describe('init', () => {
  it.each([[[]], [['--yaml']], [['--preset', 'two-arms']]])('%s gives a study that plans and runs', async (options) => {
    const project = new Project({ '.gitignore': 'node_modules/\n' });
    expect((await project.run('init', ...options)).code).toBe(0);
    expect(project.read('.gitignore')).toMatch(/^node_modules\/\n[\s\S]*\.autoresearch\//);
    expect((await project.run('plan')).code).toBe(0);
    expect((await project.run('exec')).code).toBe(0);
  });
});

describe('the command line', () => {
  it.each([
    [['pln'], 'AR601 unknown command "pln"', 'Did you mean "plan"?'],
    [['resume'], 'AR601 unknown command "resume"', 'Did you mean "exec"? It goes on with the unfinished run by itself'],
    [['stop'], 'AR601 unknown command "stop"', 'Did you mean "cancel"?'],
    [['plan', '--jsn'], 'AR602 plan has no option --jsn', 'Did you mean "--json"?'],
    [['exec', '--jobs', 'many'], 'AR604 --jobs is a whole number from 1 to 9999, not "many"', ''],
    [['exec', '--jobs'], 'AR603 --jobs needs a value: --jobs N', ''],
    [['exec', '--only', 'c'], 'AR301 there is no stage "c"', ''],
    [['exec', '--only', 'b'], 'AR604 --only b needs a, which has never passed', 'Run it too: --only a,b'],
    [['exec', 'a'], 'AR604 exec does not take "a"', ''],
    [['plan', '--json', '--graph', 'dot'], 'AR604 --json and --graph cannot both be meant', ''],
    [['exec', '--json', '--reporter', 'tree'], 'AR604 --json and --reporter cannot both be meant', ''],
    [['plan', '--quiet', '--verbose'], 'AR604 --quiet and --verbose cannot both be meant', ''],
    [['explain', 'AR999'], 'AR999', ''],
    [['plan', '--agent-id', '../up'], 'AR604 --agent-id is letters, digits, - and _', ''],
    [['logs', 'nope'], '', ''],
  ])('refuses %s', async (args, message, hint) => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const { code, stdout, stderr } = await project.run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it('tells only the option that is not known, not the word after it', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const { code, stderr } = await project.run('exec', '--job', '2');
    expect(code).toBe(2);
    expect(stderr).toContain('AR602 exec has no option --job\n');
    expect(stderr).toContain('Did you mean "--jobs"?');
    expect(stderr).not.toContain('AR604');
    expect(stderr).not.toContain('--only');
  });

  it('names every exit code in its help', async () => {
    const { stdout } = await new Project({}).run('--help');
    expect(stdout).toContain(`
Exit codes:
  0    passed
  1    a task failed
  2    wrong config or command line; nothing was run
  3    a person is asked; the run is saved
  4    protected files or the scope were violated, or journal or ledger tampered with
  5    the budget is spent
  6    another live run holds the lock
  70   a bug of ours, or code of a config that ended the run from inside
  130  interrupted (SIGINT, Ctrl-C); exec goes on from there
  143  terminated (SIGTERM, or SIGHUP from a closed terminal); exec goes on from there
`);
  });

  it('an own agent that nothing uses is an error at its place', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `${two}agents: { coder: { backend: command, run: ./x } }\n`,
    });
    const { code, stderr } = await project.run('plan');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^autoresearch\.config\.yaml:\d+:11.* AR314 nothing uses the agent "coder"$/m);
  });

  it('ends quietly when its reader goes away', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    const child = project.start(['schema']);
    child.stdout!.destroy();
    expect((await ended(child)).stderr).toBe('');
  });
});

describe('logs', () => {
  it('of a cached task are those of the run that did the work', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, with: { run: 'echo once' } }`),
    });
    await project.run('exec');
    await project.run('exec');
    expect((await project.run('logs', 'a')).stdout).toBe('once\n');
  });

  it('of a behaviour that crashed have the stack', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml('a: { uses: ./bad.ts }'),
      'bad.ts': `import { defineStage } from 'autoresearch';
export default defineStage({
  name: 'bad', summary: 'bad', version: '1', options: { type: 'object' },
  describe: () => ({ summary: 'bad' }),
  run: async () => { throw new Error('kaboom'); },
});
`,
    });
    expect((await project.run('exec')).code).toBe(1);
    expect((await project.run('logs', 'a')).stdout).toMatch(/Error: kaboom[\s\S]*bad\.ts/);
  });
});

describe('logs --follow', () => {
  it('prints what comes while the run goes on, and ends with it', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'echo first; touch begun; while ! test -e go; do sleep 0.02; done; echo second' } }`,
      ),
    });
    const run = ended(project.start(['exec']));
    await until(() => project.exists('begun'));
    const follow = project.start(['logs', 'a', '--follow']);
    let seen = '';
    follow.stdout!.on('data', (text) => {
      seen += text;
    });
    const followed = ended(follow);
    await until(() => seen.includes('first'));
    expect(seen).toBe('first\n');
    project.write('go', '');
    expect((await run).code).toBe(0);
    expect((await followed).stdout).toBe('first\nsecond\n');
  });
});

describe('a disk that says no', () => {
  it('a state folder that cannot be made is said plainly', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two, '.autoresearch': 'a file in the way' });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(1);
    expect(stderr).toContain('.autoresearch');
    expect(project.exists('a.txt')).toBe(false);
  });

  it.runIf(process.getuid?.() !== 0)('a read-only project is said plainly', async () => {
    const project = new Project({ 'autoresearch.config.yaml': two });
    mkdirSync(join(project.dir, '.autoresearch'));
    chmodSync(join(project.dir, '.autoresearch'), 0o500);
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(1);
    expect(stderr).toContain('.autoresearch');
  });
});
