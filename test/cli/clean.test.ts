import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const study = configYaml(`
often: { uses: command, with: { run: 'cat in.txt > often.txt; echo often' }, inputs: [in.txt], outputs: [often.txt] }
once: { uses: command, with: { run: 'echo once | tee once.txt' }, outputs: [once.txt] }`);

/** Six runs: the first made `once`, each made `often`. */
async function sixRuns(): Promise<Project> {
  const project = new Project({ 'autoresearch.config.yaml': study });
  for (let count = 1; count <= 6; count += 1) {
    project.write('in.txt', `${count}`);
    if ((await project.run('exec', '--quiet')).code !== 0) throw new Error('the run did not pass');
  }
  return project;
}

const folder = '.autoresearch/default';
const runsOf = (project: Project): number[] =>
  readdirSync(join(project.dir, folder, 'runs'))
    .map((id) => Number.parseInt(id, 10))
    .sort((a, b) => a - b);

describe('clean', () => {
  it('removes by count, says what and how much, and exec finds everything afterwards', async () => {
    const project = await sixRuns();
    const before = project.snapshot();
    const dry = await project.run('clean', '--keep', '2', '--dry-run');
    expect(dry.stdout.replaceAll(/-[a-z0-9]{4}\b/g, '').replaceAll(/\d+ kB/g, '? kB')).toBe(
      `Would remove 3 runs, ? kB (asked for: all but the newest 2)
  ✗ 4  passed, just now, ? kB
  ✗ 3  passed, just now, ? kB
  ✗ 2  passed, just now, ? kB
  ≡ 1  kept: it holds or made results that are still in use
`,
    );
    expect(project.snapshot()).toEqual(before);
    const real = await project.run('clean', '--keep', '2');
    expect(real).toEqual({ code: 0, stderr: '', stdout: dry.stdout.replace('Would remove', 'Removed') });
    expect(runsOf(project)).toEqual([1, 5, 6]);
    expect(readdirSync(join(project.dir, folder)).sort()).toEqual(['runs']);
    expect((await project.run('exec')).stdout).toContain('nothing to do');
    expect((await project.run('runs', '--json')).stdout.match(/"run"/g)).toHaveLength(3);
    expect((await project.run('status')).code).toBe(0);
    expect((await project.run('logs', 'once')).stdout).toBe('once\n');
  });

  it('keeps ten unless told otherwise, and goes by age', async () => {
    const project = await sixRuns();
    expect((await project.run('clean')).stdout).toBe('Nothing to remove (asked for: all but the newest 10)\n');
    expect((await project.run('clean', '--older', '1h')).stdout).toBe(
      'Nothing to remove (asked for: only what ended more than 1h ago)\n',
    );
    expect((await project.run('clean', '--older', '0s', '--keep', '4')).code).toBe(0);
    expect(runsOf(project)).toEqual([1, 3, 4, 5, 6]);
  });

  it('refuses what it cannot read as a number or a duration', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study });
    const { code, stderr } = await project.run('clean', '--keep', '-1', '--older', 'soon');
    expect(code).toBe(2);
    expect(stderr).toContain('--older is a duration such as 12h or 30d, not "soon"');
  });

  it('makes nothing where nothing was run, and works beside a broken config', async () => {
    const project = new Project({ 'autoresearch.config.yaml': 'stages: [not, right' });
    const before = project.snapshot();
    expect((await project.run('clean', '--keep', '0')).code).toBe(0);
    expect(project.snapshot()).toEqual(before);
    const used = await sixRuns();
    used.write('autoresearch.config.yaml', 'stages: [not, right');
    expect((await used.run('clean', '--keep', '1')).code).toBe(0);
    expect(runsOf(used)).toEqual([1, 6]);
  });

  it('keeps the last that passed and what came after it', async () => {
    const project = await sixRuns();
    project.write('autoresearch.config.yaml', study.replace('cat in.txt', 'exit 3; cat in.txt'));
    await project.run('exec');
    await project.run('exec', '--new');
    expect((await project.run('clean', '--keep', '0')).stdout).toContain('kept: it is the last that passed, or newer');
    expect(runsOf(project)).toEqual([1, 6, 7, 8]);
    project.write('autoresearch.config.yaml', study);
    expect((await project.run('exec', '--dry-run')).stdout).toMatch(/^often/);
  });

  it('keeps a journal that was tampered with', async () => {
    const project = await sixRuns();
    const id = readdirSync(join(project.dir, folder, 'runs')).find((name) => name.startsWith('3-'))!;
    const journal = `${folder}/runs/${id}/journal.jsonl`;
    project.write(journal, project.read(journal).replace('"passed"', '"failed"'));
    const { stdout } = await project.run('clean', '--keep', '0');
    expect(stdout).toContain(`${id}  kept: its journal cannot be trusted, or it is a link`);
    expect(runsOf(project)).toEqual([1, 3, 6]);
  });

  it('follows no link out of the state folder', async () => {
    const project = await sixRuns();
    const runs = join(project.dir, folder, 'runs');
    const names = readdirSync(runs);
    const [second, third] = ['2-', '3-'].map((start) => names.find((name) => name.startsWith(start))!);
    // A run that is a link to a folder of the user's, and a run with such a link in it.
    const precious = join(project.dir, 'precious');
    renameSync(join(runs, second!), precious);
    symlinkSync(precious, join(runs, second!));
    symlinkSync(precious, join(runs, third!, 'tasks', 'link'));
    mkdirSync(join(project.dir, 'elsewhere'));
    writeFileSync(join(project.dir, 'elsewhere', 'file'), 'mine');
    symlinkSync(join(project.dir, 'elsewhere'), join(project.dir, folder, 'trash'));
    expect((await project.run('clean', '--keep', '0')).code).toBe(0);
    expect(runsOf(project)).toEqual([1, 2, 6]);
    expect(readdirSync(precious)).toContain('journal.jsonl');
    expect(project.read('elsewhere/file')).toBe('mine');
    // All runs behind one link: none of them lies in the state folder.
    renameSync(runs, join(project.dir, 'moved'));
    symlinkSync(join(project.dir, 'moved'), runs);
    await project.run('clean', '--keep', '0');
    expect(runsOf(project)).toEqual([1, 2, 6]);
  });

  it('leaves a live run alone: exit 6, and it is named', async () => {
    const project = await sixRuns();
    project.write('in.txt', 'wait');
    project.write(
      'autoresearch.config.yaml',
      study.replace('cat in.txt', 'touch started; while [ -e in.txt ]; do sleep 0.05; done; cat started in.txt'),
    );
    const child = project.start(['exec', '--quiet']);
    const end = ended(child);
    try {
      await until(() => project.exists('started'));
      const { code, stderr } = await project.run('clean', '--keep', '0');
      expect(code).toBe(6);
      expect(stderr).toContain(`${child.pid}`);
      expect(stderr).toContain(hostname());
      expect(runsOf(project)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    } finally {
      child.kill('SIGTERM');
      await end;
    }
    // The run that was stopped is the newest, and goes on.
    expect((await project.run('clean', '--keep', '0')).code).toBe(0);
    expect(runsOf(project)).toEqual([1, 6, 7]);
  });
});
