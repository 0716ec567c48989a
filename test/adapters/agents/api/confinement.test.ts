import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfinedFiles } from '../../../../src/adapters/agents/api/confined-files.js';
import { type Asked, type AskOptions, apiRig, done, newFolder, toldAfter } from './api-rig.js';

const rig = apiRig();

let cwd: string;
let away: string;

/** Two folders side by side: the agent's, and one that it has no business in. */
beforeEach(() => {
  const root = newFolder();
  [cwd, away] = [join(root, 'work'), join(root, 'away')];
  mkdirSync(cwd);
  mkdirSync(away);
  writeFileSync(join(away, 'secret.txt'), 'the crown jewels');
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, '.git/config'), '[core]');
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src/a.txt'), 'fine');
});

/** One call; gives what the model was told about it. */
async function told(tool: string, args: object, options: AskOptions = {}): Promise<{ text: string; asked: Asked }> {
  const asked = rig.ask([{ calls: [[tool, args]] }, done], { cwd, ...options });
  expect(await asked.answer).toMatchObject({ ok: true });
  return { text: toldAfter(rig.chat, 1), asked };
}

async function refused(tool: string, args: object, options: AskOptions = {}): Promise<void> {
  const { text, asked } = await told(tool, args, options);
  expect(text).toMatch(/^error: /);
  expect(text).not.toContain('crown jewels');
  expect(asked.said.some((line) => line.startsWith(`refused: ${tool}: `))).toBe(true);
  expect(readdirSync(away)).toEqual(['secret.txt']);
  expect(readFileSync(join(away, 'secret.txt'), 'utf8')).toBe('the crown jewels');
  expect(readFileSync(join(cwd, '.git/config'), 'utf8')).toBe('[core]');
}

/** What fails on the way, such as a folder that a write made in between, is put right. */
const swapper = `
const { existsSync, renameSync, rmSync, symlinkSync } = require('node:fs');
const { workerData: { at, away }, parentPort } = require('node:worker_threads');
parentPort.postMessage('begun');
for (;;) {
  try {
    renameSync(at + '/flip', at + '/aside'); renameSync(at + '/link', at + '/flip');
    renameSync(at + '/flip', at + '/link'); renameSync(at + '/aside', at + '/flip');
  } catch {
    try {
      if (existsSync(at + '/aside')) {
        rmSync(at + '/flip', { recursive: true, force: true });
        renameSync(at + '/aside', at + '/flip');
      }
      if (!existsSync(at + '/link')) symlinkSync(away, at + '/link');
    } catch {}
  }
}`;

const everyWay = (path: string): [string, object][] => [
  ['read_file', { path }],
  ['write_file', { path, content: 'x' }],
  ['edit_file', { path, old: 'crown', new: 'x' }],
  ['get_file_info', { path }],
  ['list_files', { path }],
  ['search_code', { pattern: 'crown', path }],
];

describe('tools reach nothing outside their folder', () => {
  it.each(['../away/secret.txt', 'src/../../away/secret.txt', 'src/../src/a.txt', '/etc/passwd', 'a\0b'])(
    'by the path %j',
    async (path) => {
      for (const [tool, args] of everyWay(path)) await refused(tool, args);
    },
  );

  it('by an absolute path with dots or with a name that begins the same', async () => {
    await refused('write_file', { path: `${cwd}/../away/new.txt`, content: 'x' });
    mkdirSync(`${cwd}-2`);
    await refused('write_file', { path: `${cwd}-2/new.txt`, content: 'x' });
    expect(readdirSync(`${cwd}-2`)).toEqual([]);
    expect((await told('read_file', { path: join(cwd, 'src/a.txt') })).text).toBe('fine');
  });

  it('through a link that is a file', async () => {
    symlinkSync(join(away, 'secret.txt'), join(cwd, 'link'));
    for (const [tool, args] of everyWay('link')) if (tool !== 'get_file_info') await refused(tool, args);
    expect((await told('get_file_info', { path: 'link' })).text).toMatch(/^a symbolic link/);
  });

  it('through a link that is a folder, near or far up', async () => {
    symlinkSync(away, join(cwd, 'folder'));
    for (const [tool, args] of everyWay('folder/secret.txt')) await refused(tool, args);
    await refused('write_file', { path: 'folder/new/deep.txt', content: 'x' });
    await refused('list_files', { path: 'folder' });
  });

  it('through links that lead to nothing yet', async () => {
    symlinkSync(join(away, 'new.txt'), join(cwd, 'dangling'));
    symlinkSync(join(away, 'newfolder'), join(cwd, 'danglingfolder'));
    await refused('write_file', { path: 'dangling', content: 'x' });
    await refused('write_file', { path: 'danglingfolder/x', content: 'x' });
    await refused('read_file', { path: 'dangling' });
  });

  it('while walking: links are named, not followed', async () => {
    symlinkSync(away, join(cwd, 'folder'));
    symlinkSync(join(away, 'secret.txt'), join(cwd, 'link'));
    expect((await told('search_code', { pattern: 'crown' })).text).toBe('[nothing found]');
    const { text } = await told('list_files', {});
    expect(text.split('\n')).toEqual([
      'src/a.txt',
      '.git/ (not looked into)',
      'folder (a symbolic link)',
      'link (a symbolic link)',
    ]);
  });

  it('but links that stay inside can be read', async () => {
    symlinkSync('src', join(cwd, 'inner'));
    expect((await told('read_file', { path: 'inner/a.txt' })).text).toBe('fine');
  });

  it('by a hard link: it is replaced, not written through', async () => {
    linkSync(join(away, 'secret.txt'), join(cwd, 'hard'));
    expect((await told('write_file', { path: 'hard', content: 'mine' })).text).toMatch(/^written/);
    expect(readFileSync(join(away, 'secret.txt'), 'utf8')).toBe('the crown jewels');
  });

  it('and wait for no pipe and open no device', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    await refused('read_file', { path: 'pipe' });
    await refused('write_file', { path: 'pipe', content: 'x' });
    await refused('edit_file', { path: 'pipe', old: 'a', new: 'b' });
    await refused('search_code', { pattern: 'x', path: 'pipe' });
    await refused('read_file', { path: 'src' });
    await refused('write_file', { path: 'src', content: 'x' });
    await refused('write_file', { path: '', content: 'x' });
  });

  it('while a link is swapped in and out all the time', async () => {
    // `flip` is a folder of ours at one moment, and a link to the folder outside at the next.
    mkdirSync(join(cwd, 'flip'));
    writeFileSync(join(cwd, 'flip/secret.txt'), 'harmless');
    symlinkSync(away, join(cwd, 'link'));
    const swapping = new Worker(swapper, { eval: true, workerData: { at: cwd, away } });
    await new Promise((resolve) => swapping.once('message', resolve));
    const files = new ConfinedFiles(cwd, { inScope: () => true, ownFolders: [], changing: () => {} });
    const outcomes = { read: 0, written: 0, refused: 0, escapedWithoutUs: 0 };
    const attempt = (work: () => void, outcome: keyof typeof outcomes): void => {
      try {
        work();
        outcomes[outcome] += 1;
      } catch (error) {
        if ((error as Error).name === 'AssertionError') {
          if (outcome !== 'escapedWithoutUs') throw error;
        } else outcomes.refused += 1;
      }
    };
    try {
      for (let round = 0; round < 30_000 && (round < 1000 || outcomes.escapedWithoutUs < 2); round += 1) {
        attempt(() => expect(files.read('flip/secret.txt', 100).bytes.toString()).toBe('harmless'), 'read');
        attempt(() => files.write('flip/new.txt', 'x'), 'written');
        // The usual way, to see that the swapping bites.
        attempt(
          () => expect(readFileSync(join(cwd, 'flip/secret.txt'), 'utf8')).toContain('crown'),
          'escapedWithoutUs',
        );
      }
    } finally {
      await swapping.terminate();
    }
    expect(readdirSync(away)).toEqual(['secret.txt']);
    expect(readFileSync(join(away, 'secret.txt'), 'utf8')).toBe('the crown jewels');
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
  });
});

describe('tools write only what they may', () => {
  it.each(['.git/config', '.git/hooks/pre-commit', 'src/.git/config', '.GIT/config', '.autoresearch/runs/x', '.git'])(
    'not %s',
    async (path) => {
      await refused('write_file', { path, content: 'x' });
      expect(existsSync(join(cwd, '.autoresearch'))).toBe(false);
      expect(existsSync(join(cwd, '.git/hooks'))).toBe(false);
    },
  );

  it('not git through an inner link', async () => {
    symlinkSync('.git', join(cwd, 'notes'));
    await refused('write_file', { path: 'notes/config', content: 'x' });
    await refused('edit_file', { path: 'notes/config', old: '[core]', new: 'x' });
  });

  it('not the files of the call itself', async () => {
    const dir = join(cwd, 'calls/1');
    mkdirSync(dir, { recursive: true });
    await refused('write_file', { path: 'calls/1/reply.json', content: '{}' }, { request: { dir } });
  });

  it('not outside the scope, nor through a link from inside it', async () => {
    const request = { scope: ['out/**', '*.md', '!out/raw/**'] };
    expect((await told('write_file', { path: 'out/a/b.txt', content: 'x' }, { request })).text).toMatch(/^written/);
    expect((await told('write_file', { path: 'a.md', content: 'x' }, { request })).text).toMatch(/^written/);
    await refused('write_file', { path: 'src/a.txt', content: 'x' }, { request });
    await refused('write_file', { path: 'out/raw/data.csv', content: 'x' }, { request });
    await refused('edit_file', { path: 'src/a.txt', old: 'fine', new: 'x' }, { request });
    symlinkSync('../src', join(cwd, 'out/link'));
    await refused('write_file', { path: 'out/link/a.txt', content: 'x' }, { request });
    expect(readFileSync(join(cwd, 'src/a.txt'), 'utf8')).toBe('fine');
  });

  it('nothing at all with reading access, also when the config names the tools', async () => {
    const options: AskOptions = {
      cwd,
      agent: { tools: ['read_file', 'write_file', 'run_command'] },
      request: { access: 'read' },
    };
    const { answer } = rig.ask(
      [
        { calls: [['write_file', { path: 'x', content: 'x' }]] },
        { calls: [['run_command', { command: 'touch x' }]] },
        done,
      ],
      options,
    );
    expect(await answer).toMatchObject({ ok: true });
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });
});

describe('tools stay small and quick', () => {
  it('with a file larger than the memory, and one long line', async () => {
    writeFileSync(join(cwd, 'huge'), 'begin\n');
    truncateSync(join(cwd, 'huge'), 2 ** 40);
    expect((await told('read_file', { path: 'huge' })).text).toContain('binary file of 1099511627776 bytes');
    expect((await told('search_code', { pattern: 'begin' })).text).toContain('left out');
    await refused('edit_file', { path: 'huge', old: 'begin', new: 'x' });
    writeFileSync(join(cwd, 'line'), 'x'.repeat(5_000_000));
    const { text } = await told('read_file', { path: 'line' });
    expect(text.length).toBeLessThan(31_000);
    expect(text).toContain('[cut:');
    writeFileSync(join(cwd, 'lines'), 'line\n'.repeat(100_000));
    expect((await told('read_file', { path: 'lines' })).text).toMatch(
      /\[cut: lines 1 to \d+ of 100001; ask for the rest/,
    );
  });

  it('with an expression that would take for ever, while the runner stays awake', async () => {
    writeFileSync(join(cwd, 'bomb'), `${'a'.repeat(60)}!\n`);
    let beats = 0;
    const heart = setInterval(() => {
      beats += 1;
    }, 50);
    try {
      const { text } = await told('search_code', { pattern: '^(a+)+$', regex: true });
      expect(text).toContain('took longer');
    } finally {
      clearInterval(heart);
    }
    expect(beats).toBeGreaterThan(10);
  });

  it('with many files, many hits and much output', async () => {
    for (let index = 0; index < 1200; index += 1) writeFileSync(join(cwd, `src/${index}.log`), 'hit\n');
    expect((await told('list_files', {})).text).toContain('[cut: 1000 of 1202 shown]');
    expect((await told('search_code', { pattern: 'hit' })).text).toContain('[cut: the first 100 lines');
    const { text } = await told(
      'run_command',
      { command: 'yes | head -c 1000000' },
      { agent: { tools: ['run_command'] } },
    );
    expect(text).toContain('[cut: the last 12000 of 1000000 bytes]');
    expect(text.length).toBeLessThan(13_000);
  });

  it('and end a command that fills the disk', async () => {
    const { text } = await told('run_command', { command: 'yes' }, { agent: { tools: ['run_command'] } });
    expect(text).toContain('[ended: it printed more than');
  });

  it('and leave nothing half written', async () => {
    expect((await told('write_file', { path: 'src/a.txt', content: 'new' })).text).toMatch(/^written/);
    await refused('write_file', { path: 'src/b.txt', content: 'x'.repeat(5 << 20) });
    expect(readdirSync(join(cwd, 'src'))).toEqual(['a.txt']);
    renameSync(join(cwd, 'src/a.txt'), join(cwd, 'src/c.txt'));
    rmSync(join(cwd, 'src/c.txt'));
  });
});
