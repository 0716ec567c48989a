import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tmux } from '../../../src/adapters/agents/tmux/tmux.js';
import { attachCommand, markerFor, sessionName, tmuxSocket } from '../../../src/adapters/agents/tmux/tmux-names.js';
import { endSessions, listSessions } from '../../../src/adapters/agents/tmux/tmux-sessions.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { until } from '../../support/until.js';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ar-tmux-'));
  folders.push(folder);
  return folder;
};

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) {
    await endSessions(join(folder, 's'));
    rmSync(folder, { recursive: true, force: true });
  }
});

const isRunning = (pid: number): boolean => knownProcess(pid).started !== '';

async function open(socket: string, names: readonly string[]): Promise<readonly number[]> {
  const tmux = new Tmux(socket, process.env);
  const pids: number[] = [];
  for (const name of names) {
    const env = { AUTORESEARCH_TMUX: markerFor(socket, name) };
    await tmux.start({ name, run: 'exec sleep 3600', cwd: '/', env, note: 'x' });
    pids.push(...(await tmux.processes(name)));
  }
  return pids;
}

describe('the sessions of a project', () => {
  it('are listed with how to get into them, and ended by name or all together', async () => {
    const socket = join(newFolder(), 's');
    expect(await listSessions(socket)).toEqual([]);
    // One name begins with the other: the longer one must not be taken for it.
    const pids = await open(socket, ['study-coder2', 'study-x', 'study-y']);
    const listed = await listSessions(socket);
    expect(listed.map(({ name }) => name)).toEqual(['study-coder2', 'study-x', 'study-y']);
    const attach = `tmux -S ${socket} attach -t study-coder2`;
    expect(listed[0]).toEqual({
      name: 'study-coder2',
      createdAt: expect.any(Number),
      attached: 0,
      ended: false,
      attach,
    });
    expect(Math.abs(Date.now() - listed[0]!.createdAt)).toBeLessThan(600_000);
    expect(await endSessions(socket, ['study-coder', 'study-x'])).toEqual(['study-x']);
    expect(pids.map(isRunning)).toEqual([true, false, true]);
    expect(await endSessions(socket)).toEqual(['study-coder2', 'study-y']);
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    expect(await listSessions(socket)).toEqual([]);
  });

  it('are told apart from those whose program has ended', async () => {
    const socket = join(newFolder(), 's');
    const [pid] = await open(socket, ['a']);
    process.kill(pid!, 'SIGKILL');
    await until(() => !isRunning(pid!));
    await vi.waitFor(async () => expect(await listSessions(socket)).toMatchObject([{ name: 'a', ended: true }]));
  });

  it('are ended also when their server is gone, and no others', async () => {
    const [socket, other] = [join(newFolder(), 's'), join(newFolder(), 's')];
    const start = (marker: string): number =>
      spawn('sleep', ['3600'], { env: { ...process.env, AUTORESEARCH_TMUX: marker }, stdio: 'ignore' }).pid!;
    const pids = [start(markerFor(socket, 'a')), start(markerFor(other, 'a'))];
    expect(await endSessions(socket)).toEqual([]);
    expect(pids.map(isRunning)).toEqual([false, true]);
    expect(await endSessions(other, ['b'])).toEqual([]);
    expect(pids.map(isRunning)).toEqual([false, true]);
    await endSessions(other, ['a']);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it('are none where tmux is not installed', async () => {
    const folder = newFolder();
    expect(await listSessions(join(folder, 's'), { PATH: folder })).toEqual([]);
    expect(await endSessions(join(folder, 's'), undefined, { PATH: folder })).toEqual([]);
  });

  it('can be opened at once after the last one was closed, while the server is leaving', async () => {
    const socket = join(newFolder(), 's');
    for (let turn = 0; turn < 25; turn += 1) {
      const pids = await open(socket, ['a']);
      expect(pids.map(isRunning)).toEqual([true]);
      await endSessions(socket, ['a']);
    }
  });

  it('are looked for in vain while the server is up and none is open yet', async () => {
    const socket = join(newFolder(), 's');
    const server = ['-f', '/dev/null', '-S', socket, 'start-server', ';', 'set-option', '-s', 'exit-empty', 'off'];
    execFileSync('tmux', server);
    const tmux = new Tmux(socket, process.env);
    expect([await tmux.find('a'), await tmux.processes('a'), await tmux.list()]).toEqual([undefined, [], []]);
    expect(await open(socket, ['a'])).toHaveLength(1);
    await endSessions(socket);
    execFileSync('tmux', ['-S', socket, 'kill-server']);
  });

  it('keep their variables out of the list of processes', async () => {
    const socket = join(newFolder(), 's');
    const tmux = new Tmux(socket, process.env);
    await tmux.start({ name: 'a', run: 'exec sleep 3600', cwd: '/', env: { KEY: 'very-secret' }, note: 'x' });
    expect(execFileSync('ps', ['-eww', '-o', 'args'], { encoding: 'utf8' })).not.toContain('very-secret');
  });

  it('are not typed into with control characters', async () => {
    const socket = join(newFolder(), 's');
    await open(socket, ['a']);
    const tmux = new Tmux(socket, process.env);
    const pane = (await tmux.find('a'))!;
    for (const line of ['a\nb', 'a\u0003', 'a\u009b', 'kill-server;'])
      await expect(tmux.type(pane.id, line)).rejects.toThrow('control characters');
  });
});

describe('names', () => {
  it('hold nothing that tmux would read as something else, and stay apart', () => {
    expect(sessionName('my-study', 'coder')).toBe('my-study-coder');
    const odd = ['a.b', 'a:b', 'a b', 'a_b', '#{pid}', '=a', 'é', '%1', '$1'].map((agent) => sessionName('s', agent));
    for (const name of odd) expect(name).toMatch(/^s-[\w-]+$/);
    expect(new Set(odd).size).toBe(odd.length);
    expect(sessionName('s', 'x'.repeat(500))).not.toBe(sessionName('s', 'x'.repeat(501)));
  });

  it('say how to attach in a line that a shell can run', () => {
    expect(attachCommand('/a b/$x.sock', 's-coder')).toBe(`tmux -S '/a b/$x.sock' attach -t s-coder`);
  });
});

describe('the socket', () => {
  const long = (folder: string): string => join(folder, 'x'.repeat(100));

  it('is in the state folder, or where that path is too long in a folder of the user alone', () => {
    const folder = newFolder();
    expect(tmuxSocket(folder)).toBe(join(folder, 'tmux.sock'));
    vi.stubEnv('TMPDIR', folder);
    const socket = tmuxSocket(long(folder));
    expect(dirname(socket)).toBe(join(folder, `autoresearch-${process.getuid!()}`));
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(tmuxSocket(long(folder))).toBe(socket);
    expect(tmuxSocket(`${long(folder)}y`)).not.toBe(socket);
  });

  it('is not put into a folder that others can enter or that is a link', () => {
    const folder = newFolder();
    vi.stubEnv('TMPDIR', folder);
    const own = join(folder, `autoresearch-${process.getuid!()}`);
    mkdirSync(own);
    chmodSync(own, 0o777);
    expect(() => tmuxSocket(long(folder))).toThrow('belongs to this user alone');
    rmSync(own, { recursive: true });
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(folder, 'elsewhere'), own);
    expect(() => tmuxSocket(long(folder))).toThrow('belongs to this user alone');
  });
});
