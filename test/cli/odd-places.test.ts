import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, ended, Project } from '../support/project.js';

const study = configYaml(`a: { uses: command, with: { run: 'cp in out' }, inputs: [in], outputs: [out] }`);
const config = 'autoresearch.config.yaml';

describe('a home in which nothing can be kept', () => {
  it.each(['/dev/null', '/proc', '/proc/nope', 'a file'])('is no bug, and nobody waits for it: %s', async (home) => {
    const project = new Project({ [config]: study, in: '1', file: '' });
    const env = {
      HOME: home === 'a file' ? join(project.dir, 'file') : home,
      XDG_STATE_HOME: '',
      TMPDIR: project.stateHome,
    };
    mkdirSync(project.stateHome);
    const exec = () => ended(project.start(['exec', '--quiet'], env));
    expect(await exec()).toEqual({ code: 0, stdout: '', stderr: '' });
    project.write('in', '2');
    expect((await exec()).code).toBe(0);
    expect((await ended(project.start(['verify'], env))).code).toBe(0);
  });

  it('or in which something else stands where the notes go: they are missing, and verify says so', async () => {
    const project = new Project({ [config]: study, in: '1' });
    mkdirSync(join(project.stateHome, 'autoresearch'), { recursive: true });
    writeFileSync(join(project.stateHome, 'autoresearch/ends'), '');
    const { code, stdout } = await project.run('exec');
    expect([code, stdout]).toEqual([0, expect.stringContaining('could not be written (EEXIST)')]);
    project.write('in', '2');
    expect((await project.run('exec', '--quiet')).code).toBe(0);
    const verified = await project.run('verify');
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('nobody noted the end of the run')]);
  });
});

describe('a config that is no file', () => {
  const kinds: [string, (file: string) => void][] = [
    ['a pipe', (file) => execFileSync('mkfifo', [file])],
    ['a link to itself', (file) => symlinkSync(file, file)],
    ['a device without an end', (file) => symlinkSync('/dev/zero', file)],
  ];
  it.each(kinds)('is told, not waited for: %s', async (_kind, make) => {
    const project = new Project();
    make(join(project.dir, config));
    for (const args of [['plan'], ['exec'], ['plan', '--config', config]]) {
      const { code, stderr } = await project.run(...args);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/AR104 cannot read \S*autoresearch\.config\.yaml: |AR101/),
      ]);
    }
    expect((await project.run('doctor')).code).toBe(1);
  });
});

it('something in the place of what report writes is told', async () => {
  const project = new Project({ [config]: study, in: '1' });
  await project.run('exec', '--quiet');
  const runs = join(project.dir, '.autoresearch/default/runs');
  const record = join(runs, readdirSync(runs)[0]!, 'execution.json');
  rmSync(record);
  mkdirSync(record);
  const { code, stderr } = await project.run('report');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot write ${record}: EISDIR`)]);
});
