import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliEnd, configYaml, ended, Project } from '../support/project.js';

const study = configYaml(`
data: { uses: command, with: { run: 'cat src.txt > data.txt' }, inputs: [src.txt], outputs: [data.txt] }
train: { uses: command, with: { run: 'cat data.txt > model.txt' }, inputs: [data.txt], outputs: [model.txt] }
say: { uses: command, needs: [train], with: { run: 'echo said' } }`);

const require = (name: string, env: Readonly<Record<string, string>> = {}) => ({
  NODE_OPTIONS: `--require ${resolve(import.meta.dirname, name)}`,
  ...env,
});
const later = require('../crash/shift-clock.cjs', { CRASH_SHIFT_MS: '60000' });
const withoutJournals = require('deaf-to-journals.cjs');

class Study extends Project {
  with(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CliEnd> {
    return ended(this.start(args, env));
  }
  get notes(): string {
    return join(this.stateHome, 'autoresearch/standing');
  }
  get note(): string {
    return join(this.notes, readdirSync(this.notes)[0]!);
  }
  get runs(): string[] {
    return readdirSync(join(this.dir, '.autoresearch/default/runs'));
  }
  get journalFile(): string {
    return join(this.dir, '.autoresearch/default/runs', this.runs[0]!, 'journal.jsonl');
  }
}

async function finished(text = study): Promise<Study> {
  const project = new Study({ 'autoresearch.config.yaml': text, 'src.txt': 'one\n' });
  const { code, stdout, stderr } = await project.run('exec');
  if (code !== 0) throw new Error(stdout + stderr);
  return project;
}

/** Somebody has typed `exec` again, a while after the run. */
async function noted(): Promise<Study> {
  const project = await finished();
  const { stdout } = await project.with(later, 'exec');
  expect(stdout).toContain('study: nothing to do, all 3 tasks still hold');
  expect(existsSync(project.notes)).toBe(true);
  return project;
}

describe('the note that a run stands', () => {
  it('says the same as the long way, without a look into the journal', async () => {
    const project = await noted();
    const long = (await project.with(withoutJournals, 'exec', '--quiet', '--json')).code;
    expect(long).not.toBe(0);
    const short = await project.with(withoutJournals, 'exec');
    rmSync(project.note);
    expect(short).toEqual(await project.run('exec'));
    expect(short).toEqual({ code: 0, stderr: '', stdout: expect.stringContaining('nothing to do, all 3 tasks') });
    expect((await project.with(withoutJournals, 'exec')).code).not.toBe(0);
  });

  it('gives programs the first and the last event', async () => {
    const project = await noted();
    const journal = project.journal();
    const { stdout } = await project.run('exec', '--json');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([journal[0], journal.at(-1)]);
  });

  it('is not written right after the run, when a change might leave no trace, nor by a command that only looks', async () => {
    const project = await finished();
    await project.run('exec');
    await project.with(later, 'status');
    await project.with(later, 'plan');
    await project.with(later, 'exec', '--dry-run');
    expect(existsSync(project.notes)).toBe(false);
  });

  it.each([
    ['a pattern', `a: { uses: command, with: { run: 'cat src.txt > a.txt' }, inputs: ['s*.txt'], outputs: [a.txt] }`],
    ['a folder', `a: { uses: command, with: { run: 'ls src > a.txt' }, inputs: [src], outputs: [a.txt] }`],
    ['a pattern of outputs', `a: { uses: command, with: { run: 'echo > a.txt' }, outputs: ['a*.txt'] }`],
    [
      'a schema',
      `a: { uses: command, with: { run: 'echo 1 > a.json' }, outputs: [a.json], schema: { a.json: any.json } }`,
    ],
  ])('is not written where more than named files decides: %s', async (_name, stage) => {
    const project = new Study({
      'autoresearch.config.yaml': configYaml(stage),
      'src.txt': 'x',
      'src/x': 'x',
      'any.json': '{}',
    });
    await project.run('exec');
    expect((await project.with(later, 'exec')).stdout).toContain('nothing to do');
    expect(existsSync(project.notes)).toBe(false);
  });

  it.each<[string, (project: Study) => void, end: { code: number; runs: number }]>([
    ['an input', (project) => project.write('src.txt', 'two\n'), { code: 0, runs: 2 }],
    ['an input to something as long', (project) => project.write('src.txt', 'eno\n'), { code: 0, runs: 2 }],
    ['an input to the same', (project) => project.write('src.txt', 'one\n'), { code: 0, runs: 1 }],
    ['an input that is gone', (project) => rmSync(join(project.dir, 'src.txt')), { code: 2, runs: 1 }],
    ['an output', (project) => project.write('model.txt', 'forged\n'), { code: 0, runs: 2 }],
    ['an output, with its dates put back', (project) => forge(join(project.dir, 'model.txt')), { code: 0, runs: 2 }],
    ['an output to the same', (project) => project.write('model.txt', 'one\n'), { code: 0, runs: 1 }],
    ['an output that is gone', (project) => rmSync(join(project.dir, 'data.txt')), { code: 0, runs: 2 }],
    ['the config', (project) => project.write('autoresearch.config.yaml', `# so\n${study}`), { code: 0, runs: 1 }],
    [
      'the config into a mistake',
      (project) => project.write('autoresearch.config.yaml', `${study}x: 1\n`),
      { code: 2, runs: 1 },
    ],
    ['the journal', (project) => forge(project.journalFile), { code: 4, runs: 1 }],
    ['the journal, which is gone', (project) => rmSync(project.journalFile), { code: 4, runs: 1 }],
    ['the note, which is cut short', (project) => writeFileSync(project.note, '{"version":1'), { code: 0, runs: 1 }],
    ['the note into something else', (project) => writeFileSync(project.note, '{"version":1}'), { code: 0, runs: 1 }],
    [
      'what the note says of the run',
      (project) => writeFileSync(project.note, readFileSync(project.note, 'utf8').replace(/"said":.*/, '"said":null}')),
      { code: 0, runs: 1 },
    ],
    [
      'the results that the note names',
      (project) =>
        writeFileSync(project.note, readFileSync(project.note, 'utf8').replace(/"results":\[/, '"results":[{},')),
      { code: 0, runs: 1 },
    ],
    ['the note of a later version', (project) => writeFileSync(project.note, '{"version":2}'), { code: 0, runs: 1 }],
  ])('hides no change: %s', async (_name, edit, end) => {
    const project = await noted();
    edit(project);
    const { code } = await project.run('exec', '--quiet');
    expect({ code, runs: project.runs.length }).toEqual(end);
  });

  it('does not count for options that ask for more, for another agent id, or while somebody is at work', async () => {
    const project = await noted();
    await project.run('exec', '--force', 'say', '--quiet');
    expect(project.runs).toHaveLength(2);
    await project.run('exec', '--agent-id', 'other', '--quiet');
    expect(existsSync(join(project.dir, '.autoresearch/other/runs'))).toBe(true);
    // The newest run is another one by now, and a run has to be found to stand before that is noted.
    expect((await project.with(withoutJournals, 'exec')).code).not.toBe(0);
  });
});

/** One letter, as long as before and with the dates of before. */
function forge(file: string): void {
  const { atimeNs, mtimeNs } = statSync(file, { bigint: true });
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/one|passed/, (word) => word.toUpperCase()),
  );
  utimesSync(file, Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
}
