import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CommandExit } from '../../../src/model/ports.js';
import type { Stage } from './contract.js';
import { exited, finish, signalled, text } from './room.js';

/** How commands begin, how they end by themselves, and why some never begin. */
export function startingContract(stage: Stage): void {
  const run = (command: string | readonly string[], more = {}) => finish(stage.shared, stage.room.spec(command, more));

  describe('ends', () => {
    it('tells exit codes as they are, also those above 128', async () => {
      for (const code of [0, 1, 2, 42, 126, 127, 128, 129, 130, 137, 143, 192, 255]) {
        expect((await run(`exit ${code}`)).exit).toEqual(exited(code));
      }
    });

    it('tells a signal by its name', async () => {
      for (const signal of ['HUP', 'INT', 'QUIT', 'ABRT', 'KILL', 'SEGV', 'PIPE', 'ALRM', 'TERM', 'USR1']) {
        expect((await run(`ulimit -c 0; kill -${signal} $$; sleep 9`)).exit).toEqual(signalled(`SIG${signal}`));
      }
    });

    it('leaves 127 to the caller when the shell did not find a program', async () => {
      const { exit, stderr } = await run('no-such-program --at-all');
      expect(exit).toEqual(exited(127));
      expect(stderr).toContain('no-such-program');
    });

    it('gives an empty input', async () => {
      expect((await run('cat; echo done')).stdout).toBe('done\n');
    });

    it('takes a text that begins with a dash for a command', async () => {
      const { exit, stderr } = await run('-c');
      expect(exit).toEqual(exited(127));
      expect(stderr).toMatch(/-c: (command )?not found/);
    });

    it('appends, so that commands can share logs', async () => {
      const spec = stage.room.spec('echo one; echo two >&2');
      await finish(stage.shared, spec);
      await finish(stage.shared, { ...spec, run: 'echo three; echo four >&2' });
      expect([text(spec.stdoutFile), text(spec.stderrFile)]).toEqual(['one\nthree\n', 'two\nfour\n']);
    });

    it('loses nothing of a megabyte on both streams', async () => {
      const { stdout, stderr } = await run(
        `head -c 1048576 /dev/zero | tr '\\0' a; head -c 1048577 /dev/zero | tr '\\0' b >&2`,
      );
      expect([stdout === 'a'.repeat(1048576), stderr === 'b'.repeat(1048577)]).toEqual([true, true]);
    });
  });

  describe('does not start', () => {
    const failure = async (command: string | readonly string[], more = {}): Promise<unknown> => {
      const { exit } = await run(command, more);
      return exit.kind === 'not-started' ? exit.failure : exit;
    };
    const notStarted = (detail: string | object): unknown => ({ code: 'command-not-started', detail });

    it('a program that is not there', async () => {
      expect(await failure(['no-such-program'])).toEqual({ code: 'command-not-found', command: 'no-such-program' });
      expect(await failure(['./no-such-program'])).toEqual({ code: 'command-not-found', command: './no-such-program' });
      expect(await failure([''])).toEqual({ code: 'command-not-found', command: '' });
      expect(await failure(['ls'], { env: { PATH: '/nowhere' } })).toEqual({
        code: 'command-not-found',
        command: 'ls',
      });
    });

    it('a file that is not executable', async () => {
      const file = stage.room.path('data');
      writeFileSync(file, 'data');
      expect(await failure([file])).toEqual(notStarted(`${file} is not executable`));
    });

    it('a script whose interpreter is missing', async () => {
      const file = stage.room.path('script');
      writeFileSync(file, '#!/no/such/interpreter\n');
      chmodSync(file, 0o755);
      expect(await failure([file])).toEqual(notStarted(expect.stringContaining(file)));
    });

    it('in a folder that is missing, is a file or is not absolute', async () => {
      const file = stage.room.path('file');
      writeFileSync(file, '');
      expect(await failure('true', { cwd: `${file}s` })).toEqual(notStarted(`the folder ${file}s does not exist`));
      expect(await failure(['true'], { cwd: file })).toEqual(notStarted(`${file} is not a folder`));
      expect(await failure('true', { cwd: 'here' })).toEqual(notStarted('cwd is not an absolute path: here'));
    });

    it('with logs that cannot be written', async () => {
      for (const stream of ['stdoutFile', 'stderrFile']) {
        const file = stage.room.path('missing/log');
        expect(await failure('true', { [stream]: file })).toMatchObject({ code: 'not-writable', file });
      }
      const folder = stage.room.path('folder');
      mkdirSync(folder);
      expect(await failure('true', { stdoutFile: folder })).toMatchObject({ code: 'not-writable', file: folder });
    });

    it('with a word or a variable too long for the system', async () => {
      const long = 'x'.repeat(200_000);
      expect(await failure(`true ${long}`)).toEqual(notStarted(expect.stringMatching(/Argument list too long|E2BIG/)));
      expect(await failure(['true', long])).toEqual(notStarted(expect.stringMatching(/Argument list too long|E2BIG/)));
      expect(await failure('true', { env: { LONG: long } })).toEqual(
        notStarted(expect.stringMatching(/Argument list too long|E2BIG/)),
      );
    });

    it('with what no program can be given', async () => {
      const impossible = 'the command holds a character that no program can be given (NUL or half a surrogate pair)';
      expect(await failure('echo a\0b')).toEqual(notStarted(impossible));
      expect(await failure(['echo', '\ud800'])).toEqual(notStarted(impossible));
      expect(await failure([])).toEqual(notStarted('the command is empty'));
      expect(await failure('true', { env: { A: 'a\0b' } })).toEqual(
        notStarted('the variable "A" holds a character that no program can be given (NUL or half a surrogate pair)'),
      );
      expect(await failure('true', { env: { 'A=B': '' } })).toEqual(
        notStarted('"A=B" cannot be the name of a variable'),
      );
      expect(await failure('true', { env: { AUTORESEARCH_WARDEN: '' } })).toEqual(
        notStarted('the variable AUTORESEARCH_WARDEN is reserved'),
      );
    });

    it('after the runner was closed', async () => {
      const runner = stage.create();
      await runner.close();
      await runner.close();
      const { exit } = await finish(runner, stage.room.spec('true'));
      expect(exit).toEqual<CommandExit>({
        kind: 'not-started',
        failure: { code: 'command-not-started', detail: 'the runner is closed' },
      });
    });
  });

  it('takes a command of a hundred thousand characters', async () => {
    const long = 'x'.repeat(100_000);
    expect((await run(`echo ${long}`)).stdout).toBe(`${long}\n`);
  });

  it('accounts for every one of many commands, two at a time', async () => {
    const { endurance } = stage.subject;
    const spec = stage.room.spec('');
    const expected: CommandExit[] = Array.from({ length: endurance }, (_, index) => exited(index % 7));
    const exits: CommandExit[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < endurance) {
        const index = next++;
        exits[index] = await stage.shared.start({ ...spec, run: `echo ${index}; exit ${index % 7}` }).exit;
      }
    };
    await Promise.all([worker(), worker()]);
    expect(exits).toEqual(expected);
    const lines = text(spec.stdoutFile).trimEnd().split('\n').map(Number);
    expect(lines.sort((a, b) => a - b)).toEqual(expected.map((_, index) => index));
  });
}
