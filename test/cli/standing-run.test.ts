import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, Project } from '../support/project.js';

const study = configYaml(`
data: { uses: command, with: { run: 'cat src/* > data.txt' }, inputs: ['src/**'], outputs: [data.txt], schema: { data.txt: any.json } }
train: { uses: command, with: { run: 'cat data.txt > model.txt; echo {{vars.lr}} >> model.txt' }, inputs: [data.txt], outputs: [model.txt] }
say: { uses: command, needs: [train], with: { run: 'echo said' } }`);

const head = 'name: study\nvars: { lr: 1 }';
const files = {
  'autoresearch.config.yaml': study.replace('name: study', head),
  'src/a.json': '"one"',
  'any.json': '{}',
};

const runsOf = (project: Project): string[] => readdirSync(join(project.dir, '.autoresearch/default/runs'));

async function finished(): Promise<Project> {
  const project = new Project(files);
  const { code, stdout, stderr } = await project.run('exec');
  if (code !== 0) throw new Error(stdout + stderr);
  return project;
}

describe('exec after a run that did everything', () => {
  it.each<[string, (project: Project) => void, readonly string[], runs: 1 | 2]>([
    ['nothing', () => {}, [], 1],
    ['an input', (project) => project.write('src/a.json', '"two"'), [], 2],
    ['one more input', (project) => project.write('src/b.json', ' '), [], 2],
    ['the same input again', (project) => project.write('src/a.json', '"one"'), [], 1],
    ['an output', (project) => project.write('model.txt', 'forged'), [], 2],
    ['an output that is gone', (project) => rmSync(join(project.dir, 'data.txt')), [], 2],
    ['a schema', (project) => project.write('any.json', '{ "type": "string" }'), [], 2],
    ['a variable', () => {}, ['--set', 'lr=2'], 2],
    ['--force', () => {}, ['--force', 'say'], 2],
    ['--from', () => {}, ['--from', 'data'], 2],
    ['--only', () => {}, ['--only', 'data'], 1],
  ])('begins a run exactly when --dry-run lists something: %s', async (_name, edit, options, runs) => {
    const project = await finished();
    edit(project);
    const listed = (await project.run('exec', '--dry-run', ...options)).stdout;
    expect((await project.run('exec', '--quiet', ...options)).code).toBe(0);
    expect({ nothing: listed === '', runs: runsOf(project).length }).toEqual({ nothing: runs === 1, runs });
  });

  it('gives programs the first and the last event of the run that stands', async () => {
    const project = await finished();
    const journal = project.journal();
    const { code, stdout, stderr } = await project.run('exec', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([journal[0], journal.at(-1)]);
    expect(await project.run('exec', '--reporter', 'silent')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(runsOf(project)).toHaveLength(1);
  });

  it('leaves every file as it was, and status and logs tell of the work', async () => {
    const project = await finished();
    const before = project.snapshot();
    // The lock comes and goes in the folder of the state.
    const settled = ({ '.autoresearch/default': _folder, ...rest }: Record<string, string>): unknown => rest;
    await project.run('exec');
    expect(settled(project.snapshot())).toEqual(settled(before));
    expect((await project.run('status')).stdout).toContain('3 tasks: 3 passed');
    expect((await project.run('logs', 'say')).stdout).toBe('said\n');
  });

  it('begins another with --new, and after a run of less than everything', async () => {
    const project = await finished();
    await project.run('exec', '--new');
    expect(runsOf(project)).toHaveLength(2);
    await project.run('exec', '--only', 'say', '--force', 'say');
    expect(runsOf(project)).toHaveLength(3);
    await project.run('exec');
    expect(runsOf(project)).toHaveLength(4);
    await project.run('exec');
    expect(runsOf(project)).toHaveLength(4);
  });

  it('a task that is never cached runs every time', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, cache: false, with: { run: 'echo hi' } }`),
    });
    await project.run('exec');
    await project.run('exec');
    expect(project.journal().map(({ type }) => type)).toContain('task-finished');
    expect(runsOf(project)).toHaveLength(2);
  });
});

describe('a large input', () => {
  it('is noted with its stamp in the journal, and a note that was changed is exit 4', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'echo hi > out.txt' }, inputs: [big], outputs: [out.txt] }`,
      ),
    });
    // Old enough for its stamp to be believed, as a file that this test wrote would not be.
    symlinkSync(process.execPath, join(project.dir, 'big'));
    await project.run('exec');
    const journal = project.journal();
    const { fingerprint } = journal.find(({ type }) => type === 'task-finished') as {
      fingerprint: { inputs: Record<string, string>; stamps: Record<string, { size: number }> };
    };
    expect(fingerprint.stamps.big!.size).toBeGreaterThan(1_000_000);
    await project.run('exec');
    expect(runsOf(project)).toHaveLength(1);
    const file = `.autoresearch/default/runs/${journal[0]!.run}/journal.jsonl`;
    project.write(file, project.read(file).replace(fingerprint.inputs.big!, 'f'.repeat(64)));
    expect((await project.run('exec')).code).toBe(4);
  });

  it('does not believe a plan that was forged, and finds what it hides', async () => {
    const project = await finished();
    const file = join('.autoresearch/default/runs', runsOf(project)[0]!, 'plan.json');
    const plan = JSON.parse(project.read(file));
    // A task that is left out is not looked at.
    for (const task of plan.tasks) task.skip = { code: 'when-false', detail: 'false' };
    project.write(file, JSON.stringify(plan));
    project.write('src/a.json', '"two"');
    expect((await project.run('exec')).code).toBe(0);
    expect(runsOf(project)).toHaveLength(2);
    expect(project.read('data.txt')).toBe('"two"');
  });

  it('a journal that was tampered with is exit 4, although nothing else changed', async () => {
    const project = await finished();
    const file = join('.autoresearch/default/runs', runsOf(project)[0]!, 'journal.jsonl');
    project.write(file, project.read(file).replace(/"durationMs":\d+/, '"durationMs":1234567'));
    expect((await project.run('exec')).code).toBe(4);
  });

  it('a config that says the same in other words is looked at in full, and nothing runs', async () => {
    const project = await finished();
    project.write('autoresearch.config.yaml', `# a remark\n${project.read('autoresearch.config.yaml')}`);
    expect((await project.run('exec')).code).toBe(0);
    expect(runsOf(project)).toHaveLength(1);
  });

  it('a mistake in the config is found although nothing else changed', async () => {
    const project = await finished();
    project.write('autoresearch.config.yaml', `${project.read('autoresearch.config.yaml')}\nstagess: {}\n`);
    expect((await project.run('exec')).code).toBe(2);
  });
});
