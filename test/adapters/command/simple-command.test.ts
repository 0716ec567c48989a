import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandCode } from '../../../src/adapters/command/command-code.js';
import { newRunnerId } from '../../../src/adapters/command/command-runner.js';
import { simpleCommand } from '../../../src/adapters/command/simple-command.js';
import { Warden } from '../../../src/adapters/command/warden.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { exited, type Finished, finish, Room, text } from './room.js';

describe('a command line', () => {
  it.each([
    ['python train.py --seed 1 --out runs/1.json', ['train.py', '--seed', '1', '--out', 'runs/1.json']],
    ['cat  a   b ', ['a', 'b']],
    ['git log -n1 --format=%h,@x+y:z', ['log', '-n1', '--format=%h,@x+y:z']],
    ['g++ 2 3', ['2', '3']],
    ['sleep 0.5', ['0.5']],
  ])('of plain words is simple: %s', (line, args) => {
    expect(simpleCommand(line)).toEqual({ program: line.split(' ')[0], args });
  });

  it.each([
    ['true', []],
    ['false', []],
    ['echo', []],
    ['echo a -n', ['a', '-n']],
    ['exit 0', ['0']],
    ['exit 255', ['255']],
  ])('that all shells do alike themselves is done by ours: %s', (line, args) => {
    expect(simpleCommand(line)).toEqual({ program: line.split(' ')[0], args, isBuiltIn: true });
  });

  it.each(['cat a b > out/c.txt', 'cat a b >out/c.txt', 'cat a b   >   out/c.txt '])(
    'may say where its output goes: %s',
    (line) => {
      expect(simpleCommand(line)).toEqual({ program: 'cat', args: ['a', 'b'], into: 'out/c.txt' });
    },
  );

  it.each(
    [
      '|  cat a|./run.sh|/bin/cat a|A=1 cat|cat $HOME|cat ~|cat ~/x|cat *.txt|cat a?|cat [ab]|cat {a,b}|cat (a)|cat a=b(c)|cat !a|cat ä',
      `cat 'a b'|cat "a"|cat a\\b|cat a # b|cat #|cat a;|cat a & |cat \`a\`|cat\ta|cat a >> b|cat a 2> b|cat a 2>b|cat a>b|cat a > b c`,
      'cat a > b > c|cat a > $X|cat a > ~/b|cat < a|cat a >&2|> c|cat >|-c|1 a|%1|:|. a|[ a ]|if a|echo -n a|echo -- a|cd a|time a|test a|kill 1',
      'exec a|exit|exit 256|exit 1000|exit 1 2|exit a|exit -1|exit 1.0|set a|wait|printf a',
    ]
      .flatMap((lines) => lines.split('|'))
      .concat('cat a|b', 'cat a | b', 'cat a >| b', 'cat a\nb', 'cat a\n'),
  )('that a shell could read as more is not: %j', (line) => {
    expect(simpleCommand(line)).toBeUndefined();
  });
});

describe('without a shell in between', () => {
  let room: Room;
  let warden: Warden;
  beforeAll(() => {
    const ports = { bash: '/bin/bash', clock: systemClock, env: process.env, maxSlots: 2, graceMs: 5000 };
    warden = new Warden({ ...ports, runner: newRunnerId() });
  });
  afterAll(() => warden.close());
  beforeEach(() => {
    room = new Room();
    mkdirSync(room.path('bin'));
  });
  afterEach(() => room.remove());

  const program = (name: string, script: string): void => {
    writeFileSync(room.path(`bin/${name}`), script);
    chmodSync(room.path(`bin/${name}`), 0o755);
  };
  const run = (line: string, path = `${room.dir}/bin:/usr/bin:/bin`): Promise<Finished> =>
    finish(warden, room.spec(line, { env: { PATH: path } }));
  /** A line more is nothing to a shell, and more than words to us. */
  const byShell = (line: string, path?: string): Promise<Finished> => run(`${line}\n`, path);

  it('a program gets the same words, variables and folder, and its end is told alike', async () => {
    program(
      'show',
      '#!/bin/sh\nfor each; do echo "[$each]"; done; pwd; env | grep -v AUTORESEARCH_ | grep -v ^_= | sort; exit 7\n',
    );
    const word = fc.stringMatching(/^[\w./:=,@%+-]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 4 }), async (words) => {
        const line = ['show', ...words].join(' ');
        expect(simpleCommand(line)).toBeDefined();
        const direct = await run(line);
        expect(direct).toEqual(await byShell(line));
        expect(direct.exit).toEqual(exited(7));
      }),
      { numRuns: 25 },
    );
  });

  it('no shell is started unless it does not go well', () => {
    const logs = { stdoutFile: '/l/o', stderrFile: '/l/e', stdoutTo: '/l/o', stderrTo: '/l/e', stdinFile: '/dev/null' };
    const command = { program: '/bin/sh', calledAs: '/bin/sh', args: ['-c', 'cat a > c'], cwd: '/p', env: {}, ...logs };
    const begin = 'cd /p&&export A=1&&exec ';
    expect(commandCode(command, { A: '1' }, simpleCommand('cat a > c'))).toBe(
      `${begin}>>/l/o 2>>/l/e </dev/null&&{ hash cat 2>&3&&{ >c; } 2>&3&&exec cat a 3>&- >c;exec /bin/sh -c 'cat a > c' 3>&-; }`,
    );
    expect(commandCode(command, { A: '1' })).toBe(`${begin}/bin/sh -c 'cat a > c' >>/l/o 2>>/l/e </dev/null 3>&-`);
    // Variables that bash cannot hold go through env(1), which is given one command.
    expect(commandCode(command, { 'A-B': '1' }, simpleCommand('cat a > c'))).toContain(
      "exec /usr/bin/env 'A-B=1' /bin/sh",
    );
  });

  it('what a shell does itself is done without executing anything, in the folder and for the logs of the command', () => {
    const logs = { stdoutFile: '/l/o', stderrFile: '/l/e', stdoutTo: '/l/o', stderrTo: '/l/e', stdinFile: '/dev/null' };
    const command = { program: '/bin/sh', calledAs: '/bin/sh', args: ['-c', 'echo a'], cwd: '/p', env: {}, ...logs };
    expect(commandCode(command, { A: '1' }, simpleCommand('echo a'))).toBe(
      "cd /p&&exec >>/l/o 2>>/l/e </dev/null&&{ { echo a;exit; };export A=1&&exec /bin/sh -c 'echo a' 3>&-; }",
    );
  });

  it.each([
    'true',
    'true a b',
    'false',
    'echo',
    'echo a  b -n',
    'echo a%b,c:d=e > c',
    'true > c',
    'echo a > no/such/folder',
    'echo a > bin',
    'exit 0',
    'exit 007',
    'exit 7',
    'exit 128',
    'exit 130',
    'exit 143',
    'exit 255',
  ])('it ends as with a shell and leaves the same: %s', async (line) => {
    const left = (): string[] => readdirSync(room.dir).filter((name) => !name.startsWith('logs'));
    const direct = [await run(line), left(), left().includes('c') && text(room.path('c'))];
    expect(direct).toEqual([await byShell(line), left(), left().includes('c') && text(room.path('c'))]);
  });

  it('a program of the same name on the path is passed over, as by a shell', async () => {
    program('true', '#!/bin/sh\nexit 9\n');
    program('echo', '#!/bin/sh\nexit 9\n');
    expect((await run('true')).exit).toEqual(exited(0));
    expect((await run('echo a')).stdout).toBe('a\n');
  });

  it('what cannot be written is a failure, not a pass', async () => {
    const { exit, stderr } = await run('echo a > /dev/full');
    expect(exit).toEqual(exited(1));
    expect(stderr).toContain('No space left on device');
  });

  it('a folder that is gone is told as for any command', async () => {
    const at = (line: string) => finish(warden, room.spec(line, { cwd: room.path('gone') }));
    expect((await at('true')).exit).toEqual((await at('true\n')).exit);
  });

  it('the output goes into the file, from its beginning, and into no log', async () => {
    writeFileSync(room.path('c'), 'what was there before, and was longer\n');
    writeFileSync(room.path('a'), 'a\n');
    const { exit, stdout } = await run('cat a a > c');
    expect([exit, stdout, text(room.path('c'))]).toEqual([exited(0), '', 'a\na\n']);
  });

  it.each([
    'cat a > no/such/folder',
    'no-such-program a',
    'no-such-program > c',
    'folder a',
    'forbidden a',
    'cat a > bin',
  ])('what does not go well is told in the words of the shell: %s', async (line) => {
    writeFileSync(room.path('a'), 'a\n');
    mkdirSync(room.path('bin/folder'));
    writeFileSync(room.path('bin/forbidden'), '#!/bin/sh\n');
    const [direct, shell] = [await run(line), await byShell(line)];
    expect(direct).toEqual(shell);
    expect(direct.exit).not.toEqual(exited(0));
    expect(direct.stderr).not.toBe('');
  });

  it('a script without #! is read by the shell that would have read it', async () => {
    program('plain', 'echo "bash $BASH_VERSION, $0"\n');
    expect(await run('plain')).toEqual(await byShell('plain'));
  });

  it('a script whose interpreter is gone is passed over for the next of its name, as a shell does', async () => {
    mkdirSync(room.path('front'));
    writeFileSync(room.path('front/tool'), `#!${room.path('gone/python')}\n`, { mode: 0o755 });
    program('tool', '#!/bin/sh\necho back\n');
    const path = `${room.path('front')}:${room.path('bin')}:/usr/bin:/bin`;
    expect(await run('tool', path)).toEqual(await byShell('tool', path));
  });

  it('a folder of the project on the path is looked into from where the command runs', async () => {
    program('here', '#!/bin/sh\necho here\n');
    expect((await run('here', 'bin:/usr/bin:/bin')).stdout).toBe('here\n');
  });

  it('a program that comes to lie in front of another is the one that runs', async () => {
    mkdirSync(room.path('front'));
    program('tool', '#!/bin/sh\necho back\n');
    const path = `${room.path('front')}:${room.path('bin')}:/usr/bin:/bin`;
    expect((await run('tool', path)).stdout).toBe('back\n');
    writeFileSync(room.path('front/tool'), '#!/bin/sh\necho front\n', { mode: 0o755 });
    expect((await run('tool', path)).stdout).toBe('front\n');
  });

  it('a log that cannot be written is a refusal, and nothing has been done', async () => {
    writeFileSync(room.path('c'), 'before\n');
    const spec = room.spec('cat a > c', { stdoutFile: room.path('missing/stdout.log') });
    const { exit } = await finish(warden, spec);
    expect(exit.kind).not.toBe('exited');
    expect(text(room.path('c'))).toBe('before\n');
    expect(readdirSync(room.dir)).not.toContain('missing');
  });
});
