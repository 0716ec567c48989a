import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProjectFiles } from '../../src/adapters/disk/project-files.js';
import { appendError, type ErrorRecord } from '../../src/adapters/journal/error-log.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'autoresearch-errors-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const log = (): string => readFileSync(join(root, 'logs/errors.log'), 'utf8');
const record = (more: Partial<ErrorRecord> = {}): ErrorRecord => ({
  at: Date.UTC(2026, 10, 17, 3),
  run: '12-abcd',
  task: 'train:seed=1',
  attempt: 2,
  errorClass: 'error:0123456789ab',
  what: 'exited with code 1',
  lines: ['Traceback (most recent call last):', '  File "train.py", line 3, in <module>', "KeyError: 'lr'"],
  next: './mend mends, then another try',
  dir: join(root, '.autoresearch/default/runs/12-abcd/tasks/train/2'),
  ...more,
});

describe('the log of errors', () => {
  test('tells each failed attempt, whole', () => {
    expect(appendError(root, record())).toBeUndefined();
    expect(appendError(root, record({ attempt: 3, lines: [], next: '', dir: '' }))).toBeUndefined();
    expect(
      log(),
    ).toBe(`2026-11-17T03:00:00.000Z  12-abcd  train:seed=1  attempt 2  error:0123456789ab  exited with code 1
    Traceback (most recent call last):
      File "train.py", line 3, in <module>
    KeyError: 'lr'
  next: ./mend mends, then another try
  logs: .autoresearch/default/runs/12-abcd/tasks/train/2

2026-11-17T03:00:00.000Z  12-abcd  train:seed=1  attempt 3  error:0123456789ab  exited with code 1

`);
  });

  test('at most ten lines, with the one that tells most', () => {
    const noise = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);
    appendError(root, record({ lines: [...noise(40), 'Error: boom', ...noise(40)] }));
    const shown = log()
      .split('\n')
      .filter((line) => line.startsWith('    '));
    expect(shown).toHaveLength(10);
    expect(shown).toContain('    Error: boom');
  });

  test('holds no keys, no colours and no forged heads', () => {
    const forged = '2026-11-17T03:00:00.000Z  12-abcd  other  attempt 1  quota  fine';
    appendError(
      root,
      record({
        what: `exited\n${forged}`,
        lines: ['\u001b[31mError: sk-abcdefghijklmnop1234\u001b[0m', `\r${forged}`],
        next: 'TOKEN=abc ./mend\nx',
      }),
    );
    expect(log()).not.toMatch(/sk-abc|TOKEN=abc|\u001b|\r/);
    expect(
      log()
        .split('\n')
        .filter((line) => /^2026/.test(line)),
    ).toHaveLength(1);
  });

  /** Another process that writes as many records as it is told, and prints what it was answered last. */
  async function writer(name: string, count: number, prefix = ''): Promise<string> {
    const program = join(root, 'writer.mjs');
    if (!existsSync(program)) await bundle(program);
    const given = JSON.stringify(record({ task: name, lines: Array(9).fill(`Error ${'x'.repeat(1500)}`) }));
    const child = spawn('bash', ['-c', `${prefix} exec "$@"`, 'bash', process.execPath, program, root, `${count}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(given);
    return (await child.stdout.toArray()).join('');
  }

  test('several writers never mix their records', async () => {
    await writer('first', 1);
    const said = await Promise.all(['a', 'b', 'c', 'd'].map((name) => writer(name, 50)));
    expect(said).toEqual(['undefined', 'undefined', 'undefined', 'undefined']);
    const records = log().split('\n\n');
    expect(records.pop()).toBe('');
    expect(records).toHaveLength(201);
    const whole = new Set(records.map((text) => text.replace(/ {2}(first|[a-d]) {2}/, '  NAME  ')));
    expect(whole.size).toBe(1);
  });

  test('a disk that takes only a part of it', async () => {
    await bundle(join(root, 'writer.mjs'));
    // Two blocks of 1024 bytes are all that this process may write to a file.
    expect(await writer('a', 1, 'ulimit -f 2;')).toBe(
      'errors cannot be written to logs/errors.log: the disk took only a part of it',
    );
  });

  test('what cannot be written fails nothing and says why', () => {
    writeFileSync(join(root, 'logs'), 'a file');
    expect(appendError(root, record())).toMatch(/^errors cannot be written to logs\/errors\.log: E(EXIST|NOTDIR)/);
  });

  test('a folder in its place', () => {
    mkdirSync(join(root, 'logs/errors.log'), { recursive: true });
    expect(appendError(root, record())).toMatch(/^errors cannot be written to logs\/errors\.log: EISDIR/);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written', () => {
    mkdirSync(join(root, 'logs'));
    chmodSync(join(root, 'logs'), 0o500);
    expect(appendError(root, record())).toMatch(/EACCES/);
  });

  test('a link is not followed: a command cannot make us write elsewhere', () => {
    writeFileSync(join(root, 'precious'), 'as it was');
    mkdirSync(join(root, 'logs'));
    symlinkSync('../precious', join(root, 'logs/errors.log'));
    expect(appendError(root, record())).toMatch(/^errors cannot be written/);
    expect(readFileSync(join(root, 'precious'), 'utf8')).toBe('as it was');
  });

  test('a pipe that nobody reads is not waited for', () => {
    mkdirSync(join(root, 'logs'));
    spawnSync('mkfifo', [join(root, 'logs/errors.log')]);
    expect(appendError(root, record())).toMatch(/^errors cannot be written/);
  });
});

describe('nobody collects it by accident', () => {
  test('not with a glob, not with its folder; only by its name', async () => {
    appendError(root, record());
    writeFileSync(join(root, 'logs/tests.log'), 'ok');
    mkdirSync(join(root, 'sub/logs'), { recursive: true });
    writeFileSync(join(root, 'sub/logs/errors.log'), 'theirs');
    const files = await openProjectFiles(root, { globs: true });
    expect(files.expand(['**/*.log'])).toEqual(['logs/tests.log', 'sub/logs/errors.log']);
    expect(files.expand(['logs/*'])).toEqual(['logs/tests.log']);
    expect(files.expand(['logs'])).toEqual(['logs/tests.log']);
    expect(files.expand(['./logs'])).toEqual(['logs/tests.log']);
    expect(files.expand(['.'])).toEqual(['logs/tests.log', 'sub/logs/errors.log']);
    expect(files.expand(['logs/errors.log'])).toEqual(['logs/errors.log']);
  });
});

const bundle = (outfile: string): Promise<unknown> =>
  build({
    stdin: {
      contents: `
        import { readFileSync } from 'node:fs';
        import { appendError } from './error-log.ts';
        const record = JSON.parse(readFileSync(0, 'utf8'));
        let said;
        for (let n = 0; n < Number(process.argv[3]); n += 1) said = appendError(process.argv[2], record);
        process.stdout.write(String(said));`,
      resolveDir: join(import.meta.dirname, '../../src/adapters/journal'),
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
