import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify } from '../../src/run/errors/error-class.js';
import { signatureOf } from '../../src/run/errors/error-signature.js';
import { cpuSeconds } from '../support/cpu-seconds.js';

describe('the signature', () => {
  test.each([
    ['ValueError: 3 is not in [1, 2, 4]', 'ValueError: <n> is not in [<n>]'],
    ["KeyError: 'lr'", "KeyError: 'lr'"],
    [
      "FileNotFoundError: [Errno 2] No such file: '/tmp/x7f/data.csv'",
      'FileNotFoundError: [Errno 2] No such file: <path>',
    ],
    ['object at 0x7f00ab12cd34 of run 3fa85f64-5717-4562-b3fc-2c963f66afa6', 'object at <hex> of run <id>'],
    ['[2026-11-17 02:00:01,123] ERROR step 12 took 3.2s', '[<time>] ERROR step <n> took <duration>'],
    ['main.c:3:5: error: expected ;', 'main.c:<n>: error: expected ;'],
    ['fatal: bad object 3b18e512dba79e4c8300dd08aeb37f8e728b8dad', 'fatal: bad object <hex>'],
    ['Tried to allocate 20.00 MiB', 'Tried to allocate <size>'],
    ['GET https://api.example.org/v1/jobs/17?x=1 gave HTTP 404', 'GET <url> gave HTTP 404'],
    ['Error: exit code 3 of worker 12', 'Error: exit code 3 of worker <n>'],
    ['loss=1.5e-07 at epoch 12', 'loss=<n> at epoch <n>'],
    ['cannot open C:\\data\\run1.bin', 'cannot open <path>'],
  ])('%s', (line, expected) => {
    expect(signatureOf(line)).toBe(expected);
  });

  const word = fc.constantFrom('worker', 'shape', 'loss', 'missing', 'node', 'batch', 'value');
  const type = fc.constantFrom('ValueError', 'TypeError', 'KeyError', 'RuntimeError', 'AssertionError');
  const hex = (length: number): fc.Arbitrary<string> =>
    fc
      .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
      .map((all) => all.join(''));
  const segment = fc
    .array(fc.constantFrom(...'abcxyz019_-'), { minLength: 1, maxLength: 9 })
    .map((all) => `d${all.join('')}`);
  const path = fc.array(segment, { minLength: 2, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const time = fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString());
  const varying: fc.Arbitrary<readonly [fc.Arbitrary<string>, string]> = fc.constantFrom<
    [fc.Arbitrary<string>, string]
  >(
    [fc.integer().map(String), 'number'],
    [fc.nat({ max: 100_000 }).map((n) => `${n / 7}`), 'fraction'],
    [fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), 'double'],
    [path, 'path'],
    [path.map((at) => `'${at}'`), 'quoted path'],
    [time, 'time'],
    [fc.uuid(), 'uuid'],
    [hex(12).map((digits) => `0x${digits}`), 'address'],
    [fc.nat({ max: 1000 }).map((n) => `${n}ms`), 'duration'],
    [fc.tuple(fc.nat(99), fc.nat(59)).map(([m, s]) => `${m}m${s}s`), 'long duration'],
  );
  const pair = varying.chain(([of]) => fc.tuple(of, of));

  test('does not change with numbers, paths, times and addresses', () => {
    fc.assert(
      fc.property(type, word, word, pair, (kind, before, after, [one, two]) => {
        const line = (what: string): string => `${kind}: ${before} ${what} ${after}`;
        expect(signatureOf(line(one))).toBe(signatureOf(line(two)));
      }),
      { numRuns: 500 },
    );
  });

  test('differs for errors of different types or words', () => {
    fc.assert(
      fc.property(fc.tuple(type, word), fc.tuple(type, word), pair, ([a, b], [c, d], [one, two]) => {
        fc.pre(a !== c || b !== d);
        expect(signatureOf(`${a}: ${b} ${one}`)).not.toBe(signatureOf(`${c}: ${d} ${two}`));
      }),
    );
  });

  const awkward = fc.constantFrom(
    '\u001b[31m',
    '\u0000',
    '\ud83d',
    '\r',
    '\n',
    '\t',
    '<n>',
    '<path>',
    '<',
    '>',
    '/',
    '\\',
    '0',
    '1.5',
    'e',
    '-',
    ':',
    "'",
    '"',
    's',
    'm',
    ' ',
    '.',
    ',',
    'HTTP ',
    'errno',
    'a',
    'F',
    'T',
    'Z',
    '0x',
    '2026-11-17',
    '10:11:12',
    'http://',
    'é',
    'Error',
    'at ',
    '    at ',
    'Traceback (most recent call last):\n',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(awkward, { maxLength: 60 }).map((all) => all.join('')),
  );

  test('is its own signature', () => {
    fc.assert(
      fc.property(text, (line) => {
        const once = signatureOf(line);
        expect(signatureOf(once)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(300);
      }),
      { numRuns: 2000 },
    );
  });

  test('no text breaks the classification, and the same text has the same class', () => {
    const failure = { code: 'command-failed', exitCode: 1 } as const;
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.array(text, { maxLength: 3 }), (stderr, stdout) => {
        const found = classify(failure, { stderr, stdout }, { nowMs: 0 });
        expect(found.errorClass).toMatch(/^[\w:-]+$/);
        expect(classify(failure, { stderr, stdout }, { nowMs: 0 })).toEqual(found);
        expect(JSON.parse(JSON.stringify(found))).toEqual(found);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['a', '/', '0', '1 ', '<n>, ', 'a/', '"/', 'ab12', '0:', '1m', '-', 'Rate limit ', 'reset 1h', "'", '. '])(
    'a huge line of %j takes no time',
    async (part) => {
      const line = part.repeat(2_000_000 / part.length);
      const said = { stderr: Array(60).fill(line), stdout: [line] };
      const took = await cpuSeconds(() => classify({ code: 'command-failed', exitCode: 1 }, said, { nowMs: 0 }));
      expect(took).toBeLessThan(3);
    },
  );
});
