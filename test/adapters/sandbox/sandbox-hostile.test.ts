import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bwrap, runnerOf, SandboxRig } from './sandbox-rig.js';

const runner = runnerOf('warden');
afterAll(() => runner.close());
let rig: SandboxRig;
beforeEach(() => {
  rig = new SandboxRig(runner);
});
afterEach(() => {
  rig.expectWhole();
  rig.remove();
});

/** Tries each line, and fails when one of them succeeds. */
const allRefused = (lines: readonly string[]): string =>
  lines.map((line) => `if ( ${line} ) 2>/dev/null; then echo 'DONE: ${line.replaceAll("'", '')}'; fi`).join('\n');

describe.skipIf(bwrap === undefined)('a fenced program', () => {
  it('writes its scope, its own folder, its tmp and /tmp, and reads the rest', async () => {
    const lines = ['echo a >src/new.txt', 'echo b >>src/open.txt', 'mv src/new.txt src/moved.txt', 'mkdir src/dir'];
    const more = ['echo c >$HOME/.tool/session', `echo d >${rig.call}/tmp/x`, 'echo e >/tmp/e', 'echo >$TMPDIR/f'];
    const { exit, stdout } = await rig.run(
      ['set -e', ...lines, ...more, 'cat eval/score.py', `cat ${rig.call}/prompt.md -`].join('\n'),
    );
    expect([exit, stdout]).toEqual([{ kind: 'exited', exitCode: 0 }, 'nobody changes this\nthe prompt\nthe prompt\n']);
    expect([rig.read('project/src/moved.txt'), rig.read('project/src/open.txt')]).toEqual(['a\n', 'open\nb\n']);
    expect([rig.read('home/.tool/session'), existsSync('/tmp/e')]).toEqual(['c\n', false]);
    expect(rig.read('project/.autoresearch/run/call/tmp/x')).toBe('d\n');
  });

  it('cannot write, replace, rename, link or chmod what is protected', async () => {
    const ways = (file: string): string[] => [
      ...[`echo bad >${file}`, `echo bad >>${file}`, `rm -f ${file}`, `mv ${file} src/x`, `chmod 777 ${file}`],
      ...[`truncate -s0 ${file}`, `touch -d 2001-01-01 ${file}`, `echo bad >src/y && mv -f src/y ${file}`],
      ...[`ln ${file} src/hard && echo bad >src/hard`, `ln -sf /dev/null ${file}`, `chattr +i ${file}`],
      `ln -s "$PWD/${file}" src/soft-$$ && echo bad >src/soft-$$`,
      `exec 9<${file} && echo bad >/proc/self/fd/9`,
      `echo bad >/proc/self/root$PWD/${file}`,
      `echo bad >/proc/1/root$PWD/${file}`,
      `echo bad >/proc/1/cwd/${file}`,
    ];
    const files = ['src/guarded.txt', 'src/deep/er/guarded.txt', 'eval/score.py'].flatMap(ways);
    const folders = ['mv src/deep src/old', 'mv src/deep/er src/er', 'rm -r src/deep', 'mv eval src/e', 'mv src s'];
    const around = [
      'echo >eval/new',
      'echo >new',
      'mv ../project ../p',
      'echo bad >$HOME/.gitconfig',
      'echo >$HOME/.x',
    ];
    const { stdout, exit } = await rig.run(allRefused([...files, ...folders, ...around]));
    expect([stdout, exit]).toEqual(['', { kind: 'exited', exitCode: 0 }]);
    expect(readdirSync(join(rig.root, 'src/deep/er'))).toEqual(['guarded.txt']);
  });

  it('sees nothing of the state but its own files, and cannot put anything there', async () => {
    const { stdout } = await rig.run(
      `find .autoresearch | sort; ${allRefused(['cat .autoresearch/journal.jsonl', 'echo >.autoresearch/x', 'mkdir .autoresearch/run/y', 'echo bad >.autoresearch/run/call/prompt.md', 'mv .autoresearch src/s', 'rm -r .autoresearch/run'])}`,
    );
    const own = ['', '/run', '/run/call', '/run/call/prompt.md', '/run/call/tmp'];
    expect(stdout).toBe(own.map((name) => `.autoresearch${name}\n`).join(''));
  });

  it('cannot make what is protected but not there, and nothing of that is left afterwards', async () => {
    const readOnly = [...rig.fence().readOnly, join(rig.root, 'src/conftest.py'), join(rig.root, 'src/a/b/c.txt')];
    const hidden = [rig.state, join(rig.root, 'src/vault')];
    const lines = ['echo >src/conftest.py', 'echo >src/conftest.py/x', 'rmdir src/conftest.py', 'mv src/a src/z'];
    const more = ['mv src/a/b src/z', 'echo >src/a/b/c.txt', 'rm -r src/a', 'mkdir src/vault/x', 'mv src/vault src/v'];
    const { stdout } = await rig.run(allRefused([...lines, ...more]), { readOnly, hidden });
    expect(stdout).toBe('');
    // Where mv may not rename, it copies: that is the program's own file, in its own scope.
    const left = readdirSync(join(rig.root, 'src')).filter((name) => name !== 'z');
    expect(left.sort()).toEqual(['deep', 'guarded.txt', 'open.txt']);
    const other = await rig.run('echo mine >src/a/b/other.txt', { readOnly });
    expect([other.exit, rig.read('project/src/a/b/other.txt')]).toEqual([{ kind: 'exited', exitCode: 0 }, 'mine\n']);
  });

  it('keeps a place held while any call needs it', async () => {
    const readOnly = [...rig.fence().readOnly, join(rig.root, 'src/a/no.txt')];
    const first = rig.fenced(rig.spec('true'), { readOnly });
    const second = rig.fenced(rig.spec('true'), { readOnly });
    first.release();
    expect(existsSync(join(rig.root, 'src/a/no.txt'))).toBe(true);
    second.release();
    expect(existsSync(join(rig.root, 'src/a'))).toBe(false);
  });

  it('may write all of the project but what is protected, the way to it and what git would run', async () => {
    rig.file('project/.git/HEAD', 'ref: refs/heads/main\n');
    rig.file('project/.git/config', '[core]\n');
    rig.file('project/.git/hooks/x.sample', '');
    const own = { writable: [rig.root] };
    const refused = [
      'echo >.git/config',
      'echo >.git/hooks/pre-commit',
      'mv .git g',
      'rm -rf .git',
      'mv src s',
      'mv .autoresearch a',
    ];
    const { stdout, stderr } = await rig.run(`echo a >anywhere; echo b >.git/index; ${allRefused(refused)}`, own);
    expect([stdout, stderr]).toEqual(['', '']);
    expect([rig.read('project/anywhere'), rig.read('project/.git/config')]).toEqual(['a\n', '[core]\n']);
  });

  it('may write a single file in any way, and nothing that is beside it', async () => {
    rig.file('project/src/two.txt', 'two\n');
    rig.file('project/src/sub/three.txt', 'three\n');
    const writable = ['src/open.txt', 'src/sub/three.txt'].map((name) => join(rig.root, name));
    const lines = [
      'echo >src/two.txt',
      'mv src/two.txt src/x',
      'rm src/two.txt',
      'mv src/sub src/x',
      'mv src/deep src/x',
    ];
    const works = 'echo new >src/t && mv src/t src/open.txt && echo 4 >>src/sub/three.txt && ! echo >eval/x';
    const { exit, stdout } = await rig.run(`${allRefused(lines)}; ${works}`, { writable });
    expect([exit, stdout]).toEqual([{ kind: 'exited', exitCode: 0 }, '']);
    expect([rig.read('project/src/open.txt'), rig.read('project/src/sub/three.txt')]).toEqual(['new\n', 'three\n4\n']);
    expect(rig.read('project/src/two.txt')).toBe('two\n');
  });

  it('cannot make a repository around the project, of which git outside would run the settings', async () => {
    const { stdout } = await rig.run(allRefused(['git init -q .', 'echo >.git', 'echo >.git/config', 'mv .git g']), {
      writable: [rig.root],
    });
    expect([stdout, existsSync(join(rig.root, '.git'))]).toEqual(['', false]);
  });

  it('cannot rename the folder around the project, though all of the home is its own', async () => {
    const nested = new SandboxRig(runner);
    const own = { home: nested.base, homeFolders: [nested.base], writable: [] };
    const { stdout } = await nested.run(
      allRefused(['mv ../project ../p', 'echo >new', 'echo bad >src/guarded.txt']),
      own,
    );
    expect(stdout).toBe('');
    nested.remove();
  });

  it('has no privilege left: no mounts, no devices, no kernel settings, no new rights', async () => {
    const block = readdirSync('/sys/class/block')[0];
    const numbers =
      block === undefined ? '7 0' : readFileSync(`/sys/class/block/${block}/dev`, 'utf8').trim().replace(':', ' ');
    const inner =
      'umount src/guarded.txt || mount -o remount,rw,bind src/guarded.txt || mount -o remount,rw,bind / || mount --bind src eval || umount -l .autoresearch';
    const lines = [
      ...[
        'umount src/guarded.txt',
        'umount -l .autoresearch',
        'mount -o remount,rw,bind eval',
        'mount --bind src eval',
      ],
      ...['mount -t tmpfs x src', `mknod src/disk b ${numbers}`, `test -b /dev/${block}`, 'chown 12345 src/open.txt'],
      ...[`unshare -Urm sh -c "${inner}"`, `unshare -m sh -c "${inner}"`, 'chroot / true'],
      ...['grep -E "^Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]" /proc/self/status', 'grep "NoNewPrivs:.0" /proc/self/status'],
      // Opened, not written: these are the settings of the machine.
      ...['true >>/proc/sys/kernel/core_pattern', 'true >>/proc/sys/kernel/pid_max', 'true >>/proc/sysrq-trigger'],
      ...['touch /sys/x', 'echo >/etc/x', 'echo >/usr/x', 'nsenter -t 1 -m true'],
    ];
    const { stdout } = await rig.run(allRefused(lines));
    expect(stdout).toBe('');
  });

  it('neither sees nor reaches processes, sockets and terminals outside', async () => {
    const outside: ChildProcess = spawn('sleep', ['1000']);
    const folder = mkdtempSync('/tmp/sandbox-socket-');
    const server = createServer().listen(join(folder, 's'));
    const pid = outside.pid!;
    const lines = [`kill -0 ${pid}`, `test -e /proc/${pid}/stat`, `test -e ${folder}`, 'true >/dev/tty', 'ls /run/*'];
    const { stdout } = await rig.run(
      `${allRefused([...lines, 'kill -9 1 && sleep 0.1 && ! test -e /proc/1'])}; kill -9 -1`,
    );
    expect(stdout).toBe('');
    expect(outside.exitCode ?? outside.signalCode).toBe(null);
    outside.kill('SIGKILL');
    server.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['warden', 'direct'] as const)('holds no file of the runner open but its own three (%s)', async (kind) => {
    const other = runnerOf(kind);
    const own = new SandboxRig(other);
    const script =
      'for f in /proc/[0-9]*/fd/*; do readlink $f; done | sort -u; echo bad >/proc/self/fd/0; echo bad >/proc/1/fd/0';
    const { stdout } = await own.run(['/bin/sh', '-c', script]);
    const places = stdout.split('\n').filter((line) => line.startsWith('/') && !line.startsWith('/proc/'));
    for (const place of places)
      expect(place).toMatch(/\/autoresearch-stdin-\w+\/stdin$|\/log-\d+\.(out|err)$|^\/dev\/null$/);
    expect(stdout).not.toMatch(/socket:/);
    own.expectWhole();
    own.remove();
    await other.close();
  });

  it('does not get out over links', async () => {
    const outside = join(rig.base, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(rig.root, 'src/out'));
    symlinkSync(join(rig.root, 'eval'), join(rig.root, 'src/eval'));
    const lines = ['echo >src/out/x', 'echo bad >src/eval/score.py', 'rm -f src/eval/score.py'];
    expect((await rig.run(allRefused(lines))).stdout).toBe('');
    expect(readdirSync(outside)).toEqual([]);
  });

  it('works in a project that is reached over a link, with the same protection', async () => {
    const link = join(rig.base, 'link');
    symlinkSync(rig.root, link);
    const named = (name: string): string => join(link, name);
    const own = {
      ...{ root: link, cwd: named('src'), writable: [named('src')], hidden: [named('.autoresearch')], visible: [] },
      readOnly: [named('src/guarded.txt'), named('src/deep/er/guarded.txt'), named('eval')],
    };
    const lines = [`echo bad >${link}/src/guarded.txt`, 'echo bad >guarded.txt', `cat ${link}/.autoresearch/*`];
    const { stdout } = await rig.run(`echo yes >${link}/src/made; pwd; ${allRefused(lines)}`, own);
    expect([stdout, rig.read('project/src/made')]).toEqual([`${rig.root}/src\n`, 'yes\n']);
  });
});
