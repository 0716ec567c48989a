import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointerOf } from '../../src/model/pointer.js';
import { readJson } from '../../src/source/json.js';
import { scanJson } from '../../src/source/json-scan.js';
import { leavesOf } from './leaves.js';

const file = '/study/autoresearch.config.json';
const at = (start: number, end: number, pointer?: string) => ({
  kind: 'file',
  file,
  ...(pointer === undefined ? {} : { pointer }),
  range: { start, end },
});

async function mistakes(text: string, part?: string) {
  const result = await readJson(file, text, part === undefined ? {} : { part });
  return result.ok ? [] : result.error;
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('data and places', () => {
  test('every value and key stands where it is said to stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2, '\t'), async (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        const result = await readJson(file, text);
        if (!result.ok) throw new Error(text);
        for (const { path, value } of leavesOf(JSON.parse(text))) {
          const range = result.value.locate(pointerOf(...path), 'value');
          expect(range && JSON.parse(text.slice(range.start, range.end))).toEqual(value);
          const key = result.value.locate(pointerOf(...path), 'key');
          if (typeof path.at(-1) === 'string')
            expect(key && JSON.parse(text.slice(key.start, key.end))).toBe(path.at(-1));
          else expect(key).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a byte order mark does not move anything', async () => {
    const result = await readJson(file, '\uFEFF{"a": 1}');
    expect(result.ok && result.value.value).toEqual({ a: 1 });
    expect(result.ok && result.value.locate('/a', 'value')).toEqual({ start: 7, end: 8 });
  });

  test('one part of a file: its places, and only its doubled keys', async () => {
    const text = '{"scripts": {"a": 1, "a": 2}, "autoresearch": {"name": "x"}}';
    const result = await readJson(file, text, { part: '/autoresearch' });
    if (!result.ok) throw new Error('refused');
    expect(result.value.value).toEqual({ name: 'x' });
    const range = result.value.locate('/name', 'value')!;
    expect(text.slice(range.start, range.end)).toBe('"x"');
    expect(await mistakes('{"autoresearch": {"a": 1, "a": 2}}', '/autoresearch')).toMatchObject([
      { code: 'AR108', at: { pointer: '/autoresearch/a' } },
    ]);
  });

  test('the key __proto__ is data', async () => {
    const result = await readJson(file, '{"__proto__": {"x": 1}}');
    expect(result.ok && Object.keys(result.value.value as object)).toEqual(['__proto__']);
  });
});

describe('mistakes', () => {
  test('the scanner accepts exactly what JSON.parse accepts', () => {
    const edit = fc.tuple(
      fc.nat(),
      fc.constantFrom('', '"', ',', ':', '{', ']', '\\', '0', '-', 'e', '.', '\n', 'tru', '\u0001'),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(edit, { maxLength: 2 }), (json, edits) => {
        let text = JSON.stringify(json);
        for (const [position, insert] of edits) {
          const index = position % (text.length + 1);
          text = text.slice(0, index) + insert + text.slice(index + (insert === '' ? 1 : 0));
        }
        const syntax = scanJson(text).filter(({ code }) => code === 'AR103');
        expect(syntax.length === 0, text).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['{"a": 1,}', 'expected a key in double quotes, but found "}"', [8, 9]],
    ['{"a" 1}', 'expected ":" after the key, but found "1"', [5, 6]],
    ['{"a": 1 "b": 2}', 'expected "," or "}", but found "\\""', [8, 9]],
    ["{'a': 1}", 'expected a key in double quotes, but found "\'a\'"', [1, 4]],
    ['[1, 2', 'expected "," or "]", but the file ends', [5, 5]],
    ['{"a": nope}', 'expected a value, but found "nope"', [6, 10]],
    ['{"a": "x\ny"}', 'expected text that ends with a double quote on the same line, but found "\\""', [6, 7]],
    ['{} {}', 'expected nothing more after the end of the value, but found "{"', [3, 4]],
    ['', 'expected a value, but the file ends', [0, 0]],
    ['// no\n{}', 'expected a value, but found "//"', [0, 2]],
  ])('syntax (AR103): %j', async (text, message, [start, end]) => {
    expect(await mistakes(text)).toEqual([{ code: 'AR103', message, at: at(start!, end!) }]);
  });

  test('keys that are written twice, however they are spelt (AR108)', async () => {
    expect(await mistakes('{"a": {"b": 1, "\\u0062": 2}, "a": 3}')).toEqual([
      {
        code: 'AR108',
        message: 'the key "b" is written twice',
        hint: 'Keep one of the two',
        at: at(15, 23, '/a/b'),
        related: [{ message: 'first written here', at: at(7, 10, '/a/b') }],
      },
      {
        code: 'AR108',
        message: 'the key "a" is written twice',
        hint: 'Keep one of the two',
        at: at(29, 32, '/a'),
        related: [{ message: 'first written here', at: at(1, 4, '/a') }],
      },
    ]);
  });

  test('numbers that would become others (AR105)', async () => {
    expect(
      await mistakes(
        '{"seed": 12345678901234567890, "big": [1e999], "ok": [9007199254740991, 1e300, 18446744073709551616, 123456789012345680000, 0.1]}',
      ),
    ).toEqual([
      {
        code: 'AR105',
        message: 'seed is 12345678901234567890, which is too large to be kept exactly',
        hint: 'Put quotes around it',
        at: at(9, 29, '/seed'),
      },
      {
        code: 'AR105',
        message: 'big[0] is 1e999, which is too large',
        hint: 'Write a finite number',
        at: at(39, 44, '/big/0'),
      },
    ]);
  });

  test('no doubled key escapes the quick look', async () => {
    const key = fc.constantFrom('a', 'b', '"', '\\', ':', '__proto__', 'a":');
    const map: fc.Arbitrary<string> = fc.letrec<{ value: string; map: string }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('1', '"\\":"', '[{}]', '"a\\\\"', 'null'), tie('map')),
      map: fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(',')}}`),
    })).map;
    await fc.assert(
      fc.asyncProperty(map, async (text) => {
        expect((await mistakes(text)).length).toBe(scanJson(text).length);
      }),
      { numRuns: 500 },
    );
  });

  test('nesting without end', async () => {
    expect(await mistakes('['.repeat(100_000))).toMatchObject([{ code: 'AR103' }]);
    expect(await mistakes('['.repeat(300) + ']'.repeat(300))).toMatchObject([{ code: 'AR103' }]);
  });

  test('a text of many megabytes', async () => {
    const text = JSON.stringify({ a: 'x"'.repeat(3_000_000) });
    expect(await mistakes(text)).toEqual([]);
  });
});
