import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scrubFolder } from '../../src/adapters/kept/scrub-logs.js';
import { secretsOf } from '../../src/model/secrets/secrets.js';
import { until } from '../support/until.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'autoresearch-scrub-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const value = 'correct-horse-battery-staple';
const secrets = secretsOf({ A_TOKEN: value });
const write = (name: string, content: string | Buffer): void => writeFileSync(join(dir, name), content);
const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
const chunk = 256 * 1024;

describe('scrubbing a folder', () => {
  test('finds a value wherever the borders of chunks fall', async () => {
    for (let shift = 0; shift <= value.length; shift += 1) {
      const front = 'x'.repeat(chunk - shift);
      write('stdout.log', `${front}${value}y${value}`);
      await scrubFolder(dir, secrets);
      expect(read('stdout.log') === `${front}[secret A_TOKEN]y[secret A_TOKEN]`).toBe(true);
    }
  });

  test('a value that fills whole chunks', async () => {
    const huge = secretsOf({ A_TOKEN: 'abcdefg-'.repeat(chunk / 4) });
    write('stdout.log', `1${'abcdefg-'.repeat(chunk / 4)}2`);
    await scrubFolder(dir, huge);
    expect(read('stdout.log')).toBe('1[secret A_TOKEN]2');
  });

  test('a line of 200 KB, in every form', async () => {
    const forms = [value, Buffer.from(value).toString('base64'), encodeURIComponent(value)];
    write('stderr.log', forms.map((form) => 'z'.repeat(66_000) + form).join(''));
    await scrubFolder(dir, secrets);
    expect(read('stderr.log').replaceAll('z', '')).toBe('[secret A_TOKEN]'.repeat(3));
  });

  test('all files below, also those that are no text, and leaves the rest as it is', async () => {
    mkdirSync(join(dir, 'fixer-1/deep'), { recursive: true });
    write('fixer-1/deep/prompt.md', `use ${value}`);
    const odd = Buffer.concat([Buffer.from([0, 0xff, 0xc3]), Buffer.from(value), Buffer.from([0xa9, 0, 0x80])]);
    write('core', odd);
    chmodSync(join(dir, 'core'), 0o640);
    write('clean.log', 'nothing here');
    const before = statSync(join(dir, 'clean.log'), { bigint: true });
    await scrubFolder(dir, secrets);
    expect(read('fixer-1/deep/prompt.md')).toBe('use [secret A_TOKEN]');
    const rest = Buffer.from('[secret A_TOKEN]');
    expect(readFileSync(join(dir, 'core'))).toEqual(Buffer.concat([odd.subarray(0, 3), rest, odd.subarray(-3)]));
    expect(statSync(join(dir, 'core')).mode & 0o777).toBe(0o640);
    const after = statSync(join(dir, 'clean.log'), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
    expect(readdirSync(dir).sort()).toEqual(['clean.log', 'core', 'fixer-1']);
  });

  test('a name beyond ASCII', async () => {
    const odd = secretsOf({ Ü_KEY: 'grüße-an-alle' });
    write('a', 'ä grüße-an-alle ö [secret Ü_KEY]');
    await scrubFolder(dir, odd);
    expect(read('a')).toBe('ä [secret Ü_KEY] ö [secret Ü_KEY]');
  });

  test('neither follows links nor waits at a pipe; a folder that is gone is no problem', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'autoresearch-outside-'));
    writeFileSync(join(outside, 'own'), value);
    symlinkSync(join(outside, 'own'), join(dir, 'stdout.log'));
    symlinkSync(outside, join(dir, 'folder'));
    execFileSync('mkfifo', [join(dir, 'stderr.log')]);
    await scrubFolder(dir, secrets);
    expect(readFileSync(join(outside, 'own'), 'utf8')).toBe(value);
    await scrubFolder(join(dir, 'never'), secrets);
    rmSync(outside, { recursive: true });
  });

  test('rather empties a log than leaves a value in it', async () => {
    write('stdout.log', `see ${value}`);
    chmodSync(dir, 0o500);
    try {
      // Who may write anywhere, as root may, can also replace it.
      await scrubFolder(dir, secrets);
      expect(['', 'see [secret A_TOKEN]']).toContain(read('stdout.log'));
    } finally {
      chmodSync(dir, 0o700);
    }
  });

  test('what a straggler writes to the old file is not seen', async () => {
    write('stdout.log', '');
    const script = `echo ${value}; read -r word; echo "$word"; read -r again`;
    const child = spawn('sh', ['-c', `{ ${script}; } >>stdout.log`], { cwd: dir, stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = new Promise((done) => child.on('close', done));
    try {
      await until(() => read('stdout.log') !== '');
      await scrubFolder(dir, secrets);
      child.stdin.end(`${value}\n`);
      await ended;
      expect(read('stdout.log')).toBe('[secret A_TOKEN]\n');
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('says the same as hiding the whole text', async () => {
    const text = fc.array(
      fc.oneof(fc.constantFrom(value, value.slice(0, 9), value.slice(9), '[secret A_TOKEN]'), fc.string()),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: chunk - 80, max: chunk }), async (parts, front) => {
        const whole = `${'x'.repeat(front)}${parts.join('')}`;
        write('a', whole);
        await scrubFolder(dir, secrets);
        expect(read('a') === secrets.hideValues(whole)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
