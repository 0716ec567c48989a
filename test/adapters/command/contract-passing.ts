import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stage } from './contract.js';
import { exited, finish } from './room.js';

const everyByte = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1)).join('');
const nasty = [
  everyByte,
  '',
  ' ',
  '\n',
  '\r\n',
  "'",
  '"',
  '\\',
  "\\'",
  "'\\''",
  '$HOME',
  '$(echo no)',
  '`echo no`',
  '~',
  '*',
  '{a,b}',
  '!!',
  '-n',
  '--',
  'a=b',
  '#no',
  ';no',
  '&',
  '|no',
  '>no',
  '\x01\x7f\x01\x01\x7f',
  'é 中文 🦊 \u0080\u00ff\ufffd\u2028',
  '中\\n',
];

/** Words, variables and paths arrive as they are, and nothing else does. */
export function passingContract(stage: Stage): void {
  const run = (command: string | readonly string[], more = {}) => finish(stage.shared, stage.room.spec(command, more));
  const nulls = (values: readonly string[]): string => values.map((value) => `${value}\0`).join('');

  describe('passes on', () => {
    it('every character but NUL in arguments, without a shell', async () => {
      expect((await run(['printf', '%s\\0', ...nasty])).stdout).toBe(nulls(nasty));
    });

    it('every character but NUL in the text of a command', async () => {
      const quoted = nasty.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`);
      expect((await run(`printf '%s\\0' ${quoted.join(' ')}`)).stdout).toBe(nulls(nasty));
    });

    it('every character but NUL in variables', async () => {
      const env = Object.fromEntries(nasty.map((value, index) => [`V${index}`, value]));
      const { stdout } = await run(['env', '-0'], { env });
      const seen = new Map(stdout.split('\0').map((entry) => entry.split(/=(.*)/s) as [string, string]));
      expect(nasty.map((_, index) => seen.get(`V${index}`))).toEqual(nasty);
    });

    it('any words at all', async () => {
      // Much quicker than `fc.string({ unit: 'binary' })`, and mostly of the characters that shells care about.
      const code = fc.oneof(
        { arbitrary: fc.integer({ min: 1, max: 127 }), weight: 3 },
        fc.integer({ min: 128, max: 0xd7ff }),
        fc.integer({ min: 0xe000, max: 0x10ffff }),
      );
      const character = code.map((point) => String.fromCodePoint(point));
      const word = fc.array(character, { maxLength: 40 }).map((characters) => characters.join(''));
      await fc.assert(
        fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 15 }), word, async (words, value) => {
          const { stdout } = await run(['sh', '-c', 'printf "%s\\0" "$V" "$@"', 'sh', ...words], { env: { V: value } });
          expect(stdout).toBe(nulls([value, ...words]));
        }),
        { numRuns: 20 },
      );
    });

    it('paths with spaces, quotes, newlines and dollars', async () => {
      for (const name of ['it\'s a "dir"', 'new\nline', '$HOME `x`', '-dash', 'tab\tbell\x07', 'é🦊']) {
        const cwd = stage.room.path(name);
        mkdirSync(cwd);
        const program = join(cwd, 'a program');
        writeFileSync(program, '#!/bin/sh\npwd; echo err >&2');
        chmodSync(program, 0o755);
        const logs = { stdoutFile: join(cwd, 'out put'), stderrFile: join(cwd, "err'or") };
        for (const command of ['pwd; echo err >&2', [program], ['./a program']]) {
          const { exit, stdout, stderr } = await run(command, { cwd, ...logs });
          expect(exit).toEqual(exited(0));
          expect(stdout.endsWith(`${cwd}\n`)).toBe(true);
          expect(stderr.endsWith('err\n')).toBe(true);
        }
      }
    });

    it('the name a program was called by, and a script without a first line', async () => {
      expect((await run(['sh', '-c', 'echo $0'])).stdout).toBe('sh\n');
      const file = stage.room.path('plain');
      writeFileSync(file, 'printf "%s|" plain "$@"; exit 4');
      chmodSync(file, 0o755);
      const { exit, stdout } = await run([file, 'a', 'b c']);
      expect([exit, stdout]).toEqual([exited(4), 'plain|a|b c|']);
    });
  });

  describe('the environment of a command', () => {
    const environment = async (
      base: { readonly [name: string]: string },
      env = {},
    ): Promise<Record<string, string>> => {
      const runner = stage.create({ env: base });
      const { stdout, exit } = await finish(runner, stage.room.spec(['/usr/bin/env', '-0'], { env }));
      expect(exit).toEqual(exited(0));
      const entries = stdout
        .split('\0')
        .slice(0, -1)
        .map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string]);
      expect(entries.map(([name]) => name)).toEqual([...new Set(entries.map(([name]) => name))]);
      const { AUTORESEARCH_WARDEN: marker, ...rest } = Object.fromEntries(entries);
      expect(marker).toMatch(/^[0-9a-f]{16}\.1,$/);
      return rest;
    };

    it('is the folder alone when there is nothing to inherit', async () => {
      expect(await environment({})).toEqual({ PWD: stage.room.dir });
    });

    it('is what was inherited, whatever bash thinks of it', async () => {
      const canary = stage.room.path('canary');
      writeFileSync(stage.room.path('startup'), `touch '${canary}'; echo noise; exit 3`);
      const base = {
        ...strange,
        BASH_ENV: stage.room.path('startup'),
        ENV: stage.room.path('startup'),
        'BASH_FUNC_cd%%': `() { touch '${canary}'; }`,
        'BASH_FUNC_echo%%': `() { touch '${canary}'; }`,
      };
      expect(await environment({ ...base, _: '/bin/x', OLDPWD: '/old', PWD: '/wrong' })).toEqual({
        ...base,
        PWD: stage.room.dir,
      });
      expect(existsSync(canary)).toBe(false);
    });

    it('takes the same from a command, over what was inherited', async () => {
      const base = { A: 'inherited', B: 'inherited', PS1: 'inherited' };
      const env = { ...strange, A: 'own', PWD: '/mine', 'BASH_FUNC_x%%': '() { :; }', _: 'underscore' };
      expect(await environment(base, env)).toEqual({ ...base, ...env });
    });

    it('is not seen by the next command', async () => {
      await run('true', { env: { LEAK: '1', PS1: 'x', 'odd.name': '2' } });
      for (const name of ['LEAK', 'PS1', 'odd.name']) {
        expect((await run(['printenv', name])).exit).toEqual(exited(process.env[name] === undefined ? 1 : 0));
      }
    });

    it('names the folder as it was given, also through a link', async () => {
      mkdirSync(stage.room.path('real'));
      symlinkSync('real', stage.room.path('link'));
      const { stdout } = await run(['sh', '-c', 'echo "$PWD"; pwd -P'], { cwd: stage.room.path('link') });
      expect(stdout).toBe(`${stage.room.path('link')}\n${stage.room.path('real')}\n`);
    });
  });
}

/** Names that a shell reserves, obeys, resets or cannot hold. */
const strange: { readonly [name: string]: string } = {
  EMPTY: '',
  LINES: 'two\nlines',
  COLUMNS: '3',
  PATH: '/usr/bin:/bin',
  SHLVL: '7',
  IFS: 'x',
  PS1: '$ ',
  PS2: '> ',
  PS4: 'x ',
  TMOUT: '1',
  POSIXLY_CORRECT: '1',
  SHELLOPTS: 'xtrace:noexec',
  BASHOPTS: 'nullglob',
  BASH_XTRACEFD: '1',
  BASHPID: '1',
  UID: '7',
  EUID: '8',
  PPID: '9',
  RANDOM: '5',
  SECONDS: '6',
  LINENO: '4',
  FUNCNEST: '1',
  GLOBIGNORE: '*',
  CDPATH: '/:/tmp',
  OPTIND: '3',
  HISTSIZE: '10',
  HOSTNAME: 'elsewhere',
  LC_ALL: 'zh_CN.GBK',
  LANG: 'C.UTF-8',
  _ar_line: 'exit 0',
  _ar_id: '1',
  'dotted.name': 'dots',
  'npm_config_a-b': 'dash',
  'with space': 'space',
};
