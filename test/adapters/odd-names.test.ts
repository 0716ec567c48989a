import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProjectFiles } from '../../src/adapters/disk/project-files.js';
import { Project } from '../support/project.js';

/** A name with a byte in it that is no UTF-8. */
const odd = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name.replace('?', '\xff'), 'latin1')]);

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'odd-'));
  mkdirSync(join(dir, 'data/deep'), { recursive: true });
  writeFileSync(join(dir, 'data/a.csv'), 'a');
  writeFileSync(join(dir, 'data/deep/b.csv'), 'b');
  return dir;
}

const expanded = async (dir: string, pattern: string): Promise<readonly string[]> =>
  (await openProjectFiles(dir, { globs: true })).expand([pattern]);

describe('a name that is not UTF-8', () => {
  it.each(['data/*.csv', 'data/**', '**', '**/*.csv', 'data', '.', 'data/*', '{data,other}/*.csv', 'd*/?*.csv'])(
    'is not passed over where %s could mean it',
    async (pattern) => {
      const dir = place();
      writeFileSync(odd(join(dir, 'data'), 'x?.csv'), 'hidden');
      await expect(expanded(dir, pattern)).rejects.toMatchObject({
        failure: { code: 'name-unreadable', detail: 'data holds a name that is not UTF-8: x%ff.csv' },
      });
    },
  );

  it.each(['data/*/b.csv', 'data/**/b.csv', 'data/**', 'data'])(
    'of a folder on the way is not passed over by %s either',
    async (pattern) => {
      const dir = place();
      const folder = odd(join(dir, 'data'), 'd?');
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from('/b.csv')]), 'hidden');
      await expect(expanded(dir, pattern)).rejects.toMatchObject({
        failure: { code: 'name-unreadable', detail: 'data holds a name that is not UTF-8: d%ff' },
      });
    },
  );

  it('is nobody’s business where no pattern could mean it', async () => {
    const dir = place();
    writeFileSync(odd(join(dir, 'data'), 'x?.txt'), 'not meant');
    mkdirSync(join(dir, 'else'));
    writeFileSync(odd(join(dir, 'else'), 'x?.csv'), 'not meant');
    expect(await expanded(dir, 'data/*.csv')).toEqual(['data/a.csv']);
    expect(await expanded(dir, 'data/deep/**')).toEqual(['data/deep/b.csv']);
    expect(await expanded(dir, 'data/a.csv')).toEqual(['data/a.csv']);
  });

  it('is told from a name that only looks like one', async () => {
    const dir = place();
    writeFileSync(join(dir, 'data/x\ufffd.csv'), 'the sign itself');
    expect(await expanded(dir, 'data/*.csv')).toEqual(['data/a.csv', 'data/x\ufffd.csv']);
    // Both look the same to whoever reads names as text.
    writeFileSync(odd(join(dir, 'data'), 'x?.csv'), 'hidden');
    await expect(expanded(dir, 'data/*.csv')).rejects.toThrow('data holds a name that is not UTF-8: x%ff.csv');
  });
});

describe('in a study', () => {
  const study = (stage: object, more: object = {}): Project => {
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({ name: 'study', ...more, stages: { make: stage } }),
    });
    mkdirSync(join(project.dir, 'data'));
    project.write('data/a', 'a');
    return project;
  };
  const words = [
    'data holds a name that is not UTF-8: x%ff',
    'Nobody could be told of such a file, or look at it: rename it, or let the pattern leave it out',
  ].join('\n');
  const hide = (project: Project): void => writeFileSync(odd(join(project.dir, 'data'), 'x?'), 'hidden');

  it('inputs with one are refused before anything runs', async () => {
    const project = study({ uses: 'command', inputs: ['data/**'], with: { run: 'touch ran' } });
    hide(project);
    for (const command of ['plan', 'exec']) {
      const { code, stderr } = await project.run(command);
      expect({ command, code, stderr: stderr.trim() }).toEqual({ command, code: 2, stderr: words });
    }
    expect(project.exists('ran')).toBe(false);
  });

  it('outputs with one fail their task', async () => {
    const project = study({
      uses: 'command',
      outputs: ['out/**'],
      with: { run: 'mkdir out; echo a > out/a; echo b > "$(printf \'out/x\\377\')"' },
    });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ make  out holds a name that is not UTF-8: x%ff');
  });

  it('evidence with one passes no gate, and voids one that was passed', async () => {
    const gate = { kind: 'auto', checks: [{ file: 'data/a' }], evidence: ['data/**'] };
    const project = study({ uses: 'command', with: { run: 'echo made > made' }, outputs: ['made'], gate });
    expect((await project.run('exec')).code).toBe(0);
    hide(project);
    expect((await project.run('exec')).code).toBe(2);
    const { code, stdout } = await project.run('verify');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ gate       make: data holds a name that is not UTF-8: x%ff');
    const fresh = study({ uses: 'command', with: { run: 'echo made > made' }, outputs: ['made'], gate });
    hide(fresh);
    const first = await fresh.run('exec', '--reporter', 'plain');
    expect(first.code).not.toBe(0);
    expect(`${first.stdout}${first.stderr}`).toContain('data holds a name that is not UTF-8: x%ff');
  });

  it('a protected one is guarded like any other', async () => {
    const stage = { uses: 'command', with: { run: 'echo spoilt > "$(printf \'data/x\\377\')"' } };
    const project = study(stage, { protect: ['data/**'] });
    hide(project);
    const { code } = await project.run('exec');
    expect(code).toBe(4);
  });
});
