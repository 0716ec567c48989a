import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { isolated, nothingLeft, TreeStudy } from './tree-study.js';

const plain = ['exec', '--reporter', 'plain'] as const;
const forger = resolve(import.meta.dirname, '../support/forge-object.mjs');

/** In shell: gives the object that `id` prints the content of what `bytes` prints. */
const forge = (id: string, bytes: string, type = 'blob'): string =>
  `node ${forger} "$(git rev-parse --git-common-dir)" "$(${id})" ${type} "$(${bytes} | od -An -tx1 -v | tr -d ' \\n')"`;

/** What the folder src would be with another file in the place of model.sh. */
const otherTree = `{ other=$(echo "echo 0" | git hash-object -w --stdin); git ls-tree HEAD:src | sed "s/ [0-9a-f]\\{40\\}\\tmodel.sh/ $other\\tmodel.sh/" | git mktree | xargs git cat-file tree; }`;

/** What HEAD would be with that folder. */
const otherCommit = `{ other=$(${otherTree} | git hash-object -w -t tree --stdin); top=$(git ls-tree HEAD | sed "s/ [0-9a-f]\\{40\\}\\tsrc/ $other\\tsrc/" | git mktree); git cat-file commit HEAD | sed "s/^tree .*/tree $top/"; }`;

/** A loop over src whose one edit is this; `src/model.sh` prints the number. */
const loopOf = (edit: string): LoopProject =>
  new LoopProject([], {
    iterate: { max: 1, files: ['src/**'] },
    stages: {
      edit: {
        uses: 'command',
        with: { run: 'sh edit.sh; echo {{iteration.number}} > src/turn' },
        outputs: ['src/turn'],
      },
      train: {
        uses: 'command',
        needs: ['edit'],
        outputs: ['log.txt'],
        with: { run: 'echo "loss=$(sh src/model.sh)" > log.txt' },
      },
    },
    files: { 'src/model.sh': 'echo 5\n', 'src/turn': '0\n', 'edit.sh': `${edit}\n` },
  });

describe('an object of git that was exchanged, in a loop', () => {
  const worse = 'echo "echo 9" > src/model.sh';
  it.each([
    [
      'the content of a file',
      `${forge('git rev-parse HEAD:src/model.sh', 'echo "echo 0"')}; ${worse}`,
      'HEAD:src/model.sh',
      'src/model.sh',
    ],
    ['the folder that it is in', `${forge('git rev-parse HEAD:src', otherTree, 'tree')}; ${worse}`, 'HEAD:src', 'src'],
    [
      'the commit itself',
      `${forge('git rev-parse HEAD', otherCommit, 'commit')}; ${worse}`,
      'HEAD',
      'a commit, or its top folder',
    ],
  ])('%s: nothing is put back from it, exit code 4', async (_, edit, name, path) => {
    const project = loopOf(edit);
    const [id, head] = [project.git('rev-parse', name), project.git('rev-parse', 'HEAD')];
    const { code, stderr } = await project.run(...plain);
    expect(stderr).toContain('objects of git are not what their names say: ');
    expect(stderr).toContain(`${id} (${path})`);
    expect(stderr).toContain('git fsck names all of that kind');
    expect(code).toBe(4);
    // It stays what the iteration made of it, and is not what the forger wanted.
    expect(project.read('src/model.sh')).toBe('echo 9\n');
    expect(project.git('rev-parse', 'HEAD')).toBe(head);
    expect(() => project.git('fsck')).toThrow();
    // Nobody gets past it by trying once more.
    const again = await project.run(...plain);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining(id)]);
    expect(project.read('src/model.sh')).toBe('echo 9\n');
  });

  it('put there ahead of the file that is to be kept: it is not kept', async () => {
    const project = loopOf(`echo "echo 4" > src/model.sh; ${forge('git hash-object src/model.sh', 'echo "echo 0"')}`);
    const head = project.git('rev-parse', 'HEAD');
    const { code, stderr } = await project.run(...plain);
    const id = project.git('hash-object', 'src/model.sh');
    expect(stderr).toContain(`${id} (src/model.sh)`);
    expect([code, project.git('rev-parse', 'HEAD')]).toEqual([4, head]);
    expect(project.git('branch', '--list', 'auto/*')).toBe('');
  });

  it('and mended goes on, with the same iteration', async () => {
    const project = loopOf(`${forge('git rev-parse HEAD:src/model.sh', 'echo "echo 0"')}; ${worse}`);
    expect((await project.run(...plain)).code).toBe(4);
    const id = project.git('rev-parse', 'HEAD:src/model.sh');
    // As from a clone.
    const bytes = Buffer.from('echo 5\n').toString('hex');
    execFileSync(process.execPath, [forger, join(project.dir, '.git'), id, 'blob', bytes]);
    const { code, stderr } = await project.run(...plain);
    expect([code, stderr, project.verdicts()]).toEqual([0, '', ['0 kept', '1 discarded']]);
    expect(project.read('src/model.sh')).toBe('echo 5\n');
    project.git('fsck');
  });
});

describe('an object of git that was exchanged, with worktrees', { timeout: 180_000 }, () => {
  it('put there ahead of what passes: it is not merged, exit code 4', async () => {
    const own = new TreeStudy({
      agents: { a: `echo good > a.txt; ${forge('git hash-object a.txt', 'echo evil')}` },
      stages: { a: isolated({ with: { instructions: 'x', verify: 'grep good a.txt' }, outputs: ['a.txt'] }) },
    });
    const head = own.git('rev-parse', 'HEAD');
    const { code, stdout } = await own.exec();
    const id = '12799ccbe7ce445b11b7bd4833bcc2c2ce1b48b7';
    expect(stdout).toContain(`objects of git are not what their names say: ${id} (a.txt)`);
    expect(stdout).toContain('git fsck names all of that kind');
    expect([code, own.git('rev-parse', 'HEAD'), own.exists('a.txt')]).toEqual([4, head, false]);
    expect(own.events('worktree-merged')).toEqual([]);
    expect(readFileSync(join(own.trees, 'default-iter-1-a/a.txt'), 'utf8')).toBe('good\n');
  });

  it.each([
    ['a file', forge('git rev-parse HEAD:src/model.sh', 'echo "echo 0"'), 'src/model.sh'],
    ['a folder', forge('git rev-parse HEAD:src', otherTree, 'tree'), 'src'],
  ])('%s of yours, for whoever begins next: nobody begins with it, exit code 4', async (_, trick, path) => {
    const own = new TreeStudy({
      agents: { a: `echo a > a.txt; ${trick}`, b: 'echo b > b.txt' },
      stages: { a: isolated({ outputs: ['a.txt'] }), b: isolated({ needs: ['a'], outputs: ['b.txt'] }) },
      files: { 'src/model.sh': 'echo 5\n' },
    });
    const id = own.git('rev-parse', `HEAD:${path}`);
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(`${id} (${path})`);
    expect([code, own.timesAsked(), own.read('src/model.sh')]).toEqual([4, ['a'], 'echo 5\n']);
  });

  it('that both sides of a merge begin with: nothing is merged from it, exit code 4', async () => {
    const lines = (first: string, last: string): string => `printf '%s\\n' ${first} 2 3 4 5 6 7 ${last} > shared.txt`;
    const main = '"${PWD%%/.autoresearch/*}"';
    const own = new TreeStudy({
      agents: {
        a: `${lines('one', '8')}; echo a > a.txt; while ! [ -e ${main}/b.txt ]; do sleep 0.05; done; ${forge('git rev-parse HEAD:shared.txt', lines('1', 'eight').replace('> shared.txt', ''))}`,
        b: `${lines('1', 'eight')}; echo b > b.txt`,
      },
      stages: { a: isolated({ outputs: ['a.txt'] }), b: isolated({ outputs: ['b.txt'] }) },
      files: { 'shared.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' },
    });
    const id = own.git('rev-parse', 'HEAD:shared.txt');
    const { code, stdout } = await own.exec('--jobs', '2');
    expect(stdout).toContain(`${id} (shared.txt)`);
    expect([code, own.read('shared.txt')]).toEqual([4, '1\n2\n3\n4\n5\n6\n7\neight\n']);
  });

  it('is no false alarm where git converts what it writes', async () => {
    const own = new TreeStudy({
      agents: { a: 'echo a > a.txt; printf "x\\r\\ny\\r\\n" > src/b.txt' },
      stages: { a: isolated({ outputs: ['a.txt'] }) },
      files: { '.gitattributes': '*.txt text eol=crlf\nid.sh ident\n', 'src/b.txt': 'b\n', 'id.sh': '# $Id$\n' },
    });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect([own.git('cat-file', 'blob', 'HEAD:src/b.txt'), own.read('src/b.txt')]).toEqual(['x\ny', 'x\r\ny\r\n']);
    expect(own.left()).toEqual(nothingLeft);
  });
});
