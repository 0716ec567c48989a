import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideScript } from '../../../src/adapters/schedulers/hide-script.js';
import { byteMarks } from '../../../src/model/secrets/byte-marks.js';
import { secretFinder } from '../../../src/model/secrets/secret-finder.js';
import { SecretStream } from '../../../src/model/secrets/secret-stream.js';
import { secretsOf } from '../../../src/model/secrets/secrets.js';
import { until } from '../../support/until.js';

const token = 'correct-horse-battery-staple';
const pem = `-----BEGIN KEY-----\n${'abcdefgh12345678'.repeat(4)}\nshort\n${'ZYXWVUTS87654321'.repeat(4)}\n-----END KEY-----\n`;
const values = { A_TOKEN: token, B_KEY: pem };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'autoresearch-hide-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const path = (name: string): string => join(dir, name);
const read = (name: string): string => readFileSync(path(name), 'latin1');
const argsFor = (run: string): string[] => ['-e', hideScript, '--', 'A_TOKEN', 'B_KEY', '--', 'sh', '-c', run];

/** As the wrapper of a job starts it: the logs are its standard output and error. */
function begin(run: string, more: { readonly [name: string]: string } = {}) {
  const [out, err] = [openSync(path('out'), 'a'), openSync(path('err'), 'a')];
  const child = spawn('sh', ['-c', 'perl "$@"; exit $?', 'sh', ...argsFor(run)], {
    cwd: dir,
    env: { ...process.env, ...values, ...more },
    stdio: ['ignore', out, err],
    detached: true,
  });
  for (const fd of [out, err]) closeSync(fd);
  return child;
}

async function finish(run: string) {
  const [code] = await once(begin(run), 'exit');
  return { code, out: read('out'), err: read('err') };
}

describe('what a job with secrets prints', () => {
  it('has no value in it, and the rest as it was', async () => {
    const { code, out, err } = await finish(
      'echo "is $A_TOKEN."; printf %s "$A_TOKEN" | base64; echo "$B_KEY" >&2; exit 7',
    );
    expect(code).toBe(7);
    expect(out).toBe('is [secret A_TOKEN].\n[secret A_TOKEN]\n');
    expect(err).toBe('[secret B_KEY]\n');
  });

  it('is hidden however it is cut into writes, among bytes of all kinds', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) % 256)).toString(
      'latin1',
    );
    writeFileSync(path('bytes'), bytes, 'latin1');
    writeFileSync(
      path('cut.cjs'),
      `const fs = require('fs');
      const text = \`a\${process.env.A_TOKEN}b\${process.env.B_KEY}c\${process.env.A_TOKEN}\`;
      for (let size = 1; size < 12; size++) for (let at = 0; at < text.length; at += size) fs.writeSync(1, text.slice(at, at + size));`,
    );
    const { code, out } = await finish(`cat bytes; '${process.execPath}' cut.cjs; cat bytes; printf " correct-horse-"`);
    expect(code).toBe(0);
    const hidden = 'a[secret A_TOKEN]b[secret B_KEY]c[secret A_TOKEN]'.repeat(11);
    expect(out === `${bytes}${hidden}${bytes} [secret A_TOKEN]`).toBe(true);
  });

  it('is seen at once', async () => {
    execFileSync('mkfifo', [path('wait')]);
    const child = begin('printf "ready? "; read _ <wait; echo "$A_TOKEN"');
    await until(() => read('out') === 'ready? ');
    writeFileSync(path('wait'), 'go\n');
    await once(child, 'exit');
    expect(read('out')).toBe('ready? [secret A_TOKEN]\n');
  });

  it('waits for nobody who keeps the pipe open, and hides what that one says later', async () => {
    execFileSync('mkfifo', [path('wait')]);
    const late = `setsid sh -c 'printf " correct-"; read _ <wait; printf "horse-battery-staple late"' &`;
    const { code } = await finish(`${late} until [ -s out ]; do :; done; exit 3`);
    expect([code, read('out')]).toEqual([3, ' ']);
    writeFileSync(path('wait'), 'go\n');
    await until(() => read('out').endsWith('late'));
    expect(read('out')).toBe(' [secret A_TOKEN] late');
  });

  it('is written to the end when the whole group is ended', async () => {
    const child = begin('trap "echo saved $A_TOKEN; exit 5" TERM; echo begun; while :; do sleep 0.01; done');
    await until(() => read('out') === 'begun\n');
    process.kill(-child.pid!, 'SIGTERM');
    // The one who filters has left the group, and hears the command's last words.
    await until(() => read('out') === 'begun\nsaved [secret A_TOKEN]\n');
  });

  it('tells a signal and a missing program as a shell does', async () => {
    expect((await finish('kill -KILL $$')).code).toBe(137);
    const { status, stderr } = spawnSync('perl', ['-e', hideScript, '--', 'A_TOKEN', '--', 'no-such-program'], {
      env: { ...process.env, ...values },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([127, 'no-such-program: No such file or directory\n']);
  });

  it('does not fail on gigantic values', async () => {
    const huge = 'abcdefg-'.repeat(12_000);
    const child = begin('printf "1%s2" "$A_TOKEN"', { A_TOKEN: huge });
    await once(child, 'exit');
    expect(read('out')).toBe('1[secret A_TOKEN]2');
  });
});

describe('the perl and the program', () => {
  const some = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 6, maxLength: 200 }),
    fc.string({ unit: 'binary-ascii', minLength: 6, maxLength: 200 }),
    fc
      .array(fc.string({ unit: fc.constantFrom(...'abcXYZ09+/ %!'), minLength: 8, maxLength: 90 }), {
        minLength: 2,
        maxLength: 4,
      })
      .map((lines) => lines.join('\n')),
    fc
      .tuple(
        fc.constantFrom('https', 'postgres', 'git+ssh', 'ssh'),
        fc.string({ unit: fc.constantFrom(...'ab:%4@.'), minLength: 2, maxLength: 20 }),
      )
      .map(([scheme, who]) => `${scheme}://${who}@host.example/path`),
  );
  const usable = some.filter(
    (text) =>
      !text.includes('\0') &&
      Buffer.from(text).toString() === text &&
      !/[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/.test(text),
  );

  /** The script up to where it knows all forms, which it then tells instead of running anything. */
  const telling = `${hideScript.slice(0, hideScript.indexOf('my %real'))} print map { unpack("H*", $_) . "\\n" } keys %mark;`;

  it('know the same forms of every value', () => {
    fc.assert(
      fc.property(usable, (value) => {
        const secrets = secretsOf({ A_TOKEN: value });
        const known = execFileSync('perl', ['-e', telling, '--', 'A_TOKEN', '--', 'true'], {
          env: { PATH: process.env.PATH, A_TOKEN: value },
          encoding: 'latin1',
        });
        const own = new Set(known.trim().split('\n'));
        for (const form of byteMarks(secrets).keys())
          expect(own).toContain(Buffer.from(form, 'latin1').toString('hex'));
      }),
      { numRuns: 60 },
    );
  });

  it('hide a short value in the same places', () => {
    const short = fc.string({ unit: fc.constantFrom('a', '1', '"', '\\', 'é', ' '), minLength: 1, maxLength: 5 });
    const between = fc.constantFrom('=', '="', "='", ': ', '": "', '\\": \\"', ' = ', ' ', '->', '');
    const word = fc.constantFrom('LAB_PIN', 'lab_pin', 'lab-pin', '--lab-pin', 'Bearer', 'http://me', 'x', '');
    const piece = fc.tuple(word, between, short, fc.constantFrom('', '@', '"', '\n'));
    fc.assert(
      fc.property(short, fc.array(piece, { maxLength: 12 }), (value, pieces) => {
        const text = pieces.map(([a, b, c, d], at) => a + b + (at % 2 === 0 ? value : c) + d).join(' ');
        const finder = secretFinder(byteMarks(secretsOf({ LAB_PIN: value }, ['LAB_PIN'])));
        writeFileSync(path('text'), text);
        const out = execFileSync('perl', ['-e', hideScript, '--', 'LAB_PIN', '--', 'cat', path('text')], {
          env: { PATH: process.env.PATH, LAB_PIN: value },
          encoding: 'latin1',
        });
        const stream = new SecretStream(finder);
        const bytes = Buffer.from(text).toString('latin1');
        expect(out).toBe(value.trim() === '' ? bytes : stream.take(bytes) + stream.end());
      }),
      { numRuns: 60 },
    );
  });

  it('find the same in every text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 14 });
    fc.assert(
      fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 400 }), (value, text) => {
        const finder = secretFinder(byteMarks(secretsOf({ A_TOKEN: value })));
        writeFileSync(path('text'), text);
        const out = execFileSync('perl', ['-e', hideScript, '--', 'A_TOKEN', '--', 'cat', path('text')], {
          env: { PATH: process.env.PATH, A_TOKEN: value },
          encoding: 'latin1',
        });
        const stream = new SecretStream(finder);
        expect(out).toBe(stream.take(text) + stream.end());
      }),
      { numRuns: 60 },
    );
  });
});
