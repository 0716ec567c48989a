import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Terminal } from '../../src/adapters/person/key-press.js';
import { presetNames } from '../../src/cli/commands/presets.js';
import type { CliContext } from '../../src/cli/context.js';
import { agentsHeading, agentsSection, workflow } from '../../src/cli/init/around.js';
import { changesFor } from '../../src/cli/init/changes.js';
import { makeChanges } from '../../src/cli/init/make-changes.js';
import { presetConfig } from '../../src/cli/init/preset-config.js';
import { Questions } from '../../src/cli/init/questions.js';
import type { PresetFacts } from '../../src/model/preset-facts.js';
import { Project } from '../support/project.js';

const made: string[] = [];
afterAll(() => made.map((dir) => rmSync(dir, { recursive: true })));

function room(files: Readonly<Record<string, string>> = {}): { dir: string; read(path: string): string } {
  const dir = mkdtempSync(join(tmpdir(), 'init-'));
  made.push(dir);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return { dir, read: (path) => readFileSync(join(dir, path), 'utf8') };
}

const bare = { files: [], config: 'autoresearch.config.yaml', hasExample: false };

function around(dir: string, study = bare): readonly string[] {
  const changes = changesFor(dir, study);
  if (!changes.ok) throw new Error(changes.error[0]!.message);
  return makeChanges(changes.value, dir);
}

describe('what is around a study', () => {
  it('is written where nothing is', () => {
    const { dir, read } = room();
    expect(around(dir)).toEqual(['wrote .gitignore', 'wrote AGENTS.md', 'wrote .github/workflows/autoresearch.yml']);
    expect(read('.gitignore')).toBe('node_modules/\n.autoresearch/\nlogs/\n');
    expect(read('AGENTS.md')).toBe(`# For agents\n\n${agentsSection('autoresearch.config.yaml')}`);
  });

  it('is completed line by line, and each line is told', () => {
    const { dir, read } = room({ '.gitignore': '*.pyc\n/logs', 'AGENTS.md': '# House rules\n\nBe kind.\n' });
    expect(around(dir)).toEqual([
      'added to .gitignore: node_modules/',
      'added to .gitignore: .autoresearch/',
      'added to AGENTS.md: the section "Research runs (autoresearch)"',
      'wrote .github/workflows/autoresearch.yml',
    ]);
    expect(read('.gitignore')).toBe('*.pyc\n/logs\nnode_modules/\n.autoresearch/\n');
    expect(read('AGENTS.md')).toBe(`# House rules\n\nBe kind.\n\n${agentsSection('autoresearch.config.yaml')}`);
    expect(around(dir)).toEqual([
      'kept .gitignore: it has all that is needed',
      'kept AGENTS.md: it has all that is needed',
      'kept .github/workflows/autoresearch.yml: it runs autoresearch already',
    ]);
  });

  it('keeps the line ends of a file', () => {
    const { dir, read } = room({ '.gitignore': 'a\r\n' });
    around(dir);
    expect(read('.gitignore')).toBe('a\r\nnode_modules/\r\n.autoresearch/\r\nlogs/\r\n');
  });

  it('leaves alone what a link leads to elsewhere', () => {
    const shared = room({ 'AGENTS.md': 'of all\n' });
    const { dir, read } = room({ 'CLAUDE.md': 'mine\n' });
    symlinkSync(join(shared.dir, 'AGENTS.md'), join(dir, 'AGENTS.md'));
    symlinkSync(join(dir, 'nowhere'), join(dir, '.gitignore'));
    expect(around(dir).slice(0, 2)).toEqual([
      'kept .gitignore: it is a link that leads nowhere',
      `kept AGENTS.md: it is a link to ${join(shared.dir, 'AGENTS.md')}, outside of this folder`,
    ]);
    expect([shared.read('AGENTS.md'), existsSync(join(dir, 'nowhere'))]).toEqual(['of all\n', false]);
    rmSync(join(dir, 'AGENTS.md'));
    symlinkSync('CLAUDE.md', join(dir, 'AGENTS.md'));
    around(dir);
    expect(read('CLAUDE.md')).toContain(agentsHeading);
  });

  it('leaves a workflow that plans the study already', () => {
    const { dir } = room({ '.github/workflows/ci.yml': 'jobs: { a: { steps: [{ run: npx autoresearch plan }] } }\n' });
    expect(around(dir).at(-1)).toBe('kept .github/workflows/ci.yml: it runs autoresearch already');
  });

  it('puts the workflow of a study in a part of a repository where GitHub looks for it', () => {
    const { dir, read } = room({ '.git/HEAD': 'ref: refs/heads/main\n', 'studies/one/x': '' });
    expect(around(join(dir, 'studies/one')).at(-1)).toBe('wrote ../../.github/workflows/autoresearch-studies-one.yml');
    const { study } = parse(read('.github/workflows/autoresearch-studies-one.yml')).jobs;
    expect(study.defaults).toEqual({ run: { 'working-directory': 'studies/one' } });
    expect(study.steps.at(-1)).toEqual({
      name: 'Verify',
      if: "${{ hashFiles('studies/one/.autoresearch/**/journal.jsonl') != '' }}",
      run: 'npx --no -- autoresearch verify',
    });
  });

  it('a study that can run anywhere is run and verified for every push', () => {
    const { steps } = parse(workflow({ folder: '', canRun: true })).jobs.study;
    expect(steps.flatMap(({ run }: { run?: string }) => run ?? [])).toEqual([
      'npm ci',
      'npx --no -- autoresearch plan',
      'npx --no -- autoresearch exec',
      'npx --no -- autoresearch verify',
    ]);
  });

  it('is not begun when a file of the study is in the way', () => {
    const { dir } = room({ 'scripts/estimate.mjs': 'mine', 'README.md': 'mine' });
    const files = ['autoresearch.config.ts', 'scripts/estimate.mjs', 'README.md'].map((path) => ({
      path,
      content: '',
    }));
    expect(changesFor(dir, { ...bare, files })).toMatchObject({
      ok: false,
      error: [{ code: 'AR604', message: 'scripts/estimate.mjs is there already' }],
    });
  });
});

const preset: PresetFacts = {
  entry: 'autoresearch:sample',
  file: '/x/sample.yaml',
  summary: 'Does it.',
  comment: 'Does it.',
  params: {
    tries: { type: 'integer', minimum: 1, description: 'How often.', default: 3 },
    run: { type: 'string', format: 'shell', description: 'The command.', example: 'it\'s "a"' },
    seeds: { type: 'array', items: { type: 'integer' }, description: 'The seeds.', example: [1, 2] },
    gate: { type: 'string', enum: ['human', 'auto'], description: 'Who decides.', default: 'human' },
  },
  stages: {},
  agents: {},
};

describe('the config of a preset', () => {
  const input = { name: 'mine', preset, entry: preset.entry, schema: './preset.schema.json' };

  it('has every parameter with its meaning, as TypeScript', () => {
    expect(presetConfig({ ...input, form: 'ts', vars: { seeds: [4] } })).toEqual({
      path: 'autoresearch.config.ts',
      content: `// Does it.
// The preset in full: \`npx autoresearch presets show sample\`. What comes from where: \`npx autoresearch config --origin\`.
import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: 'mine',
  extends: ['autoresearch:sample'],

  vars: {
    // TO FILL IN. The command.
    // run: "it's \\"a\\"",

    // The seeds.
    seeds: [4],

    // How often.
    // tries: 3,

    // Who decides. One of human, auto.
    // gate: 'human',
  },
});
`,
    });
  });

  it('as YAML too, and is a config although nothing is filled in', () => {
    const { path, content } = presetConfig({ ...input, form: 'yaml', vars: {} });
    expect(path).toBe('autoresearch.config.yaml');
    expect(content).toMatch(/^# yaml-language-server: \$schema=\.\/preset\.schema\.json\n/);
    expect(content).toContain('\n# vars:\n  # TO FILL IN. The command.\n  # run: "it\'s \\"a\\""\n');
    expect(parse(content)).toEqual({ name: 'mine', extends: ['autoresearch:sample'] });
    const filled = presetConfig({ ...input, form: 'yaml', vars: { run: 'a: "b" # c', seeds: [1, 2] } });
    expect(parse(filled.content).vars).toEqual({ run: 'a: "b" # c', seeds: [1, 2] });
  });
});

describe('questions', () => {
  /** Answers in turn; what is said and asked, in order. */
  function asked(...answers: (string | undefined)[]): { questions: Questions; told: () => string } {
    let told = '';
    const write = (text: string): void => {
      told += text;
    };
    const terminal: Terminal = {
      key: async () => undefined,
      async line(prompt) {
        const answer = answers.shift();
        write(`${prompt}${answer ?? '^D'}\n`);
        return answer;
      },
    };
    const context = { stdout: { write, columns: () => 60 } } as unknown as CliContext;
    return { questions: new Questions(context, terminal), told: () => told };
  }

  it('offer the presets by number and name', async () => {
    const { questions, told } = asked('9', 'sampel', 'sample');
    expect(
      await questions.preset([{ name: 'sample', summary: 'Does it, and says in more words what it does.' }]),
    ).toEqual({
      preset: 'sample',
    });
    expect(told()).toBe(`What should the study start from?

   1  none    a small example that runs at once, to learn
              from
   2  sample  Does it, and says in more words what it does.

Number or name [1]: 9
  There is no "9" here.
Number or name [1]: sampel
  There is no "sampel". Did you mean "sample"?
Number or name [1]: sample
`);
  });

  it('take Enter for the example, and the end of input for no', async () => {
    expect(await asked('').questions.preset([])).toEqual({});
    expect(await asked(undefined).questions.preset([])).toBeUndefined();
    expect(await asked('x', undefined).questions.params(preset, {})).toBeUndefined();
  });

  it('ask for parameters without a default until a value fits, and leave open what nobody knows', async () => {
    const { questions, told } = asked('', 'one', '1,2');
    expect(await questions.params(preset, {})).toEqual({ seeds: [1, 2] });
    expect(told()).toBe(
      `
autoresearch:sample needs 2 parameters. Enter leaves one open, to be filled in later.

run: The command.
  Such as it's "a"
run = 
seeds: The seeds.
  Such as 1, 2
seeds = one
  the variable "seeds" must be a list of numbers, but is set to "one"
seeds = 1,2
`.replace('run = \n', 'run = \n\n'),
    );
    expect(await asked().questions.params(preset, { run: 'x', seeds: [1] })).toEqual({});
  });

  it('say why a value does not fit', async () => {
    const tries = { type: 'integer', minimum: 1, description: 'How often.' } as const;
    const { questions, told } = asked('0', '2');
    expect(await questions.params({ ...preset, params: { tries } }, {})).toEqual({ tries: 2 });
    expect(told()).toContain('tries = 0\n  vars.tries must be a whole number of at least 1, but is 0\n');
  });
});

describe('init', () => {
  it('gives a preset its parameters, and plan names what is open', async () => {
    const project = new Project();
    const args = ['--preset', 'two-arms', '--set', 'train=./train.sh', '--set', 'code=*.sh', '--yaml'];
    expect(await project.run('init', ...args)).toEqual({
      code: 0,
      stdout: `  wrote autoresearch.config.yaml
  wrote .gitignore
  wrote AGENTS.md
  wrote .github/workflows/autoresearch.yml

To fill in, in autoresearch.config.yaml: compare
Then: autoresearch plan
`,
      stderr: '',
    });
    expect(parse(project.read('autoresearch.config.yaml')).vars).toEqual({ train: './train.sh', code: '*.sh' });
    const { code, stderr } = await project.run('plan');
    expect([code, stderr.match(/needs the parameter "(\w+)"/g)]).toEqual([2, ['needs the parameter "compare"']]);
  });

  it.each(presetNames())('of %s: filled in with its own examples it can be planned', async (name) => {
    const project = new Project();
    expect((await project.run('init', '--preset', name, '--yaml')).code).toBe(0);
    const config = project.read('autoresearch.config.yaml');
    // As somebody would do it: the line below the mark, without its #.
    const filled = config.replace(/^( +# TO FILL IN\.[\s\S]*?\n +)# (\w+: )/gm, '$1$2').replace(/^# vars:/m, 'vars:');
    project.write('autoresearch.config.yaml', filled);
    const { code, stderr } = await project.run('plan');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('adds to a study that is there only what is around it', async () => {
    const project = new Project({
      'package.json': '{"autoresearch":{"name":"x","stages":{}}}',
      '.gitignore': 'logs\n',
    });
    expect(await project.run('init')).toEqual({
      code: 0,
      stdout: `  kept package.json: the config is there already
  added to .gitignore: node_modules/
  added to .gitignore: .autoresearch/
  wrote AGENTS.md
  wrote .github/workflows/autoresearch.yml

Next: autoresearch plan
`,
      stderr: '',
    });
  });

  it.each([
    [
      ['--preset', 'two-arms'],
      `command line (--preset) AR604 autoresearch.config.ts is there already, and is never overwritten; --preset is for a new one
    hint: Add to it: extends: ["autoresearch:two-arms"]
`,
    ],
    [
      ['--yaml'],
      `command line (--yaml) AR604 autoresearch.config.ts is there already, and is never overwritten; --yaml is for a new one
    hint: Choose another folder
`,
    ],
  ])('refuses %j for a study that is there', async (args, message) => {
    const project = new Project({ 'autoresearch.config.ts': 'mine' });
    const before = project.snapshot();
    const end = await project.run('init', ...args);
    const more = '\n1 problem. Run autoresearch explain AR604 for more.\n';
    expect(end).toEqual({ code: 2, stdout: '', stderr: `${message}${more}` });
    expect(project.snapshot()).toEqual(before);
  });

  it.each([
    [
      ['--preset', 'two-rms'],
      `command line (autoresearch:two-rms) AR106 there is no built-in preset "two-rms"
    hint: Did you mean "autoresearch:two-arms"?
`,
    ],
    [
      ['--set', 'a=1'],
      `command line (--set a=1) AR604 --set gives parameters of a preset a value, and there is no preset
    hint: Name one: --preset NAME. \`autoresearch presets\` lists them
`,
    ],
    [
      ['--preset', 'two-arms', '--set', 'tran=1'],
      `command line (--set tran=1) AR308 there is no variable "tran"
    hint: Did you mean "train"?
`,
    ],
    [
      ['--preset', 'two-arms', '--set', 'arms=a'],
      'command line (--set arms) AR204 vars.arms must be a list of text of at least 2 entries, but is a list of 1\n',
    ],
    [['note.txt'], 'command line (note.txt) AR604 note.txt is a file, not a folder\n'],
    [
      ['taken'],
      `command line (scripts/compare.mjs) AR604 scripts/compare.mjs is there already
    hint: Nothing was written; choose another folder, or move the file away
`,
    ],
  ])('refuses %j and writes nothing', async (args, message) => {
    const project = new Project({ 'note.txt': '', 'taken/scripts/compare.mjs': '' });
    const before = project.snapshot();
    const { code, stdout, stderr } = await project.run('init', ...args);
    const codes = /AR\d+/.exec(message)![0];
    expect(stderr).toBe(`${message}\n1 problem. Run autoresearch explain ${codes} for more.\n`);
    expect([code, stdout, project.snapshot()]).toEqual([2, '', before]);
  });
});
