import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { Document } from '../../src/model/document.js';
import { pointerOf } from '../../src/model/pointer.js';
import { readYaml } from '../../src/source/yaml.js';
import { leavesOf } from './leaves.js';

const file = '/study/autoresearch.config.yaml';

async function read(text: string): Promise<Document> {
  const result = await readYaml(file, text);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

async function mistakes(text: string): Promise<Diagnostic[]> {
  const result = await readYaml(file, text);
  return result.ok ? [] : result.error;
}

const at = (start: number, end: number, pointer?: string) => ({
  kind: 'file',
  file,
  ...(pointer === undefined ? {} : { pointer }),
  range: { start, end },
});

describe('data', () => {
  test('is what YAML 1.2 says it is', async () => {
    const { value } = await read(
      'a: yes\nb: 010\nc: 0x1F\nd: ~\ne: 1e3\nf: "1"\ng: [true, null]\n1.0: x\nh:\n  - |\n    two\n    lines\n',
    );
    expect(value).toEqual({
      a: 'yes',
      b: 10,
      c: 31,
      d: null,
      e: 1000,
      f: '1',
      g: [true, null],
      '1.0': 'x',
      h: ['two\nlines\n'],
    });
  });

  test('an empty file is null', async () => {
    expect((await read('# nothing yet\n')).value).toBeNull();
    expect((await read('')).value).toBeNull();
  });

  test('aliases share what their anchor holds, and the latest anchor counts', async () => {
    const { value } = await read('a: &x { n: 1 }\nb: *x\nc: &x 2\nd: *x\n');
    expect(value).toEqual({ a: { n: 1 }, b: { n: 1 }, c: 2, d: 2 });
  });

  test('merge keys: the map itself wins, then the earlier source; in quotes it is a key like any other', async () => {
    const { value } = await read(
      'one: &one { a: 1, b: 1 }\ntwo: &two { b: 2, c: 2 }\nall:\n  <<: [*one, *two]\n  a: 0\nquoted: { "<<": *one }\n',
    );
    expect(value).toMatchObject({ all: { a: 0, b: 1, c: 2 }, quoted: { '<<': { a: 1, b: 1 } } });
  });

  test('the key __proto__ is data and touches no prototype', async () => {
    const { value } = await read('__proto__: { polluted: true }\n');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('is the same as JSON for anything that is JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (json) => {
        const text = JSON.stringify(json);
        expect((await read(text)).value).toEqual(JSON.parse(text));
      }),
    );
  });

  test('ten thousand keys that differ are not compared with each other', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `stage-${index}: 1`);
    expect(Object.keys((await read(keys.join('\n'))).value as object)).toHaveLength(10_000);
    const [twice] = await mistakes([...keys, 'stage-7: 2'].join('\n'));
    expect(twice).toMatchObject({ code: 'AR108', message: 'the key "stage-7" is written twice' });
  });
});

describe('places', () => {
  test('of keys and values, through lists, aliases and merge keys', async () => {
    const text = 'base: &base\n  deep: [one, two]\nuse: *base\nmix:\n  <<: *base\n  own: 3\n';
    const document = await read(text);
    const shown = (pointer: string, what: 'key' | 'value') => {
      const range = document.locate(pointer, what);
      return range && text.slice(range.start, range.end);
    };
    expect(shown('/base/deep/1', 'value')).toBe('two');
    expect(shown('/base/deep', 'key')).toBe('deep');
    expect(shown('/use', 'value')).toBe('*base');
    expect(shown('/use/deep/0', 'value')).toBe('one');
    expect(shown('/mix/deep/0', 'value')).toBe('one');
    expect(shown('/mix/own', 'value')).toBe('3');
    expect(shown('/mix/none', 'value')).toBeUndefined();
    expect(shown('/base/deep/9', 'value')).toBeUndefined();
    expect(shown('/base/deep/0', 'key')).toBeUndefined();
  });

  test('of an empty value are empty, so that its key can be shown instead', async () => {
    const document = await read('a:\nb: 1\n');
    const range = document.locate('/a', 'value');
    expect(range && range.end - range.start).toBe(0);
    expect(document.locate('/a', 'key')).toEqual({ start: 0, end: 1 });
  });

  test('every value stands where it is said to stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (json) => {
        const text = JSON.stringify(json, null, 1);
        const document = await read(text);
        for (const { path, value } of leavesOf(JSON.parse(text))) {
          const range = document.locate(pointerOf(...path), 'value');
          expect(range && JSON.parse(text.slice(range.start, range.end))).toEqual(value);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('mistakes', () => {
  test('a second document', async () => {
    expect(await mistakes('name: x\n---\nname: y\n')).toMatchObject([
      { code: 'AR103', message: 'a second document begins here', hint: 'Keep one document in the file' },
    ]);
  });

  test('a key that is written twice, with both places (AR108)', async () => {
    expect(await mistakes('stages:\n  a: 1\n  b: 2\n  a: 3\n')).toEqual([
      {
        code: 'AR108',
        message: 'the key "a" is written twice',
        hint: 'Keep one of the two',
        at: at(24, 25, '/stages/a'),
        related: [{ message: 'first written here', at: at(10, 11, '/stages/a') }],
      },
    ]);
  });

  test('keys that read the same are the same, in quotes or not', async () => {
    expect((await mistakes('1: a\n"1": b\n')).map(({ code }) => code)).toEqual(['AR108']);
  });

  test.each([
    ['a:\n\tb: 1\n', 'tabs are not allowed as indentation', 'Indent with spaces', [3, 4]],
    [
      'run: echo a: b\n',
      'nested mappings are not allowed in compact mappings',
      'Put quotes around a text that contains ": "',
      [5, 6],
    ],
    [
      'name study\nstages: {}\n',
      'implicit keys need to be on a single line',
      'Write each key on one line, with ":" after it',
      [0, 17],
    ],
    ['a: @x\n', 'plain value cannot start with reserved character @', 'Put quotes around the text', [3, 4]],
    [
      'a: {{vars.x}}\n',
      'a key must be text, not a map or a list',
      'Put quotes around a text that starts with "{{"',
      [4, 5],
    ],
  ])('syntax (AR103): %j', async (text, message, hint, [start, end]) => {
    expect(await mistakes(text)).toEqual([{ code: 'AR103', message, hint, at: at(start!, end!) }]);
  });

  test.each([
    ["a: 'b\nc: d\n", "'", "End the text with '; inside of it, write ' twice", 3],
    ['a: 1\nb: { c: "d }\ne: 2\n', '"', 'End the text with "', 13],
    ["- x\n- ['a, b]\n- y\n", "'", "End the text with '; inside of it, write ' twice", 7],
  ])('a text that is not closed is told where it begins, once (AR103): %j', async (text, quote, hint, start) => {
    expect(await mistakes(text)).toEqual([
      { code: 'AR103', message: `the ${quote} that begins here is not closed`, hint, at: at(start, start + 1) },
    ]);
  });

  test('several documents in one file (AR103)', async () => {
    const [only, ...more] = await mistakes('a: 1\n---\nb: 2\n');
    expect(only).toMatchObject({ code: 'AR103', hint: 'Keep one document in the file' });
    expect(more).toEqual([]);
  });

  test('an alias without an anchor before it (AR103)', async () => {
    expect(await mistakes('a: *x\nb: &x 1\n')).toEqual([
      { code: 'AR103', message: 'no anchor "&x" stands before this alias', at: at(3, 5, '/a') },
    ]);
  });

  test('YAML 1.1, in which "yes" would mean true (AR103)', async () => {
    expect(await mistakes('%YAML 1.1\n---\na: yes\n')).toMatchObject([
      { code: 'AR103', message: 'YAML 1.1 is not read' },
    ]);
  });

  test('tags beyond plain data, known to the library or not (AR105)', async () => {
    expect(await mistakes('a: !secret x\n')).toEqual([
      {
        code: 'AR105',
        message: 'unresolved tag: !secret',
        hint: 'Remove the tag: a config holds plain data',
        at: at(3, 10),
      },
    ]);
    expect(await mistakes('a:\n  b: !!binary aGk=\n')).toEqual([
      {
        code: 'AR105',
        message: 'a.b is the tag tag:yaml.org,2002:binary, not plain data',
        hint: 'Remove the tag',
        at: at(17, 21, '/a/b'),
      },
    ]);
    expect(await mistakes('a: !!str 5\nb: !!int "3"\n')).toEqual([]);
  });

  test('numbers that are none (AR105)', async () => {
    expect(await mistakes('a: .nan\nb: [-.inf]\n')).toEqual([
      { code: 'AR105', message: 'a is .nan, not plain data', hint: 'Write a finite number', at: at(3, 7, '/a') },
      {
        code: 'AR105',
        message: 'b[0] is -.inf, not plain data',
        hint: 'Write a finite number',
        at: at(12, 17, '/b/0'),
      },
    ]);
  });

  test('numbers that would become others (AR105)', async () => {
    expect(
      await mistakes(
        'seed: 12345678901234567890\nok: [9007199254740991, 1e300, 18446744073709551616, 123456789012345680000, "12345678901234567890"]\n',
      ),
    ).toEqual([
      {
        code: 'AR105',
        message: 'seed is 12345678901234567890, which is too large to be kept exactly',
        hint: 'Put quotes around it',
        at: at(6, 26, '/seed'),
      },
    ]);
    expect(await mistakes('a: 1e999\n')).toMatchObject([{ code: 'AR105', message: 'a is 1e999, not plain data' }]);
  });

  test('a value that contains itself (AR105)', async () => {
    expect(await mistakes('a: &x [*x]\n')).toEqual([
      { code: 'AR105', message: 'a[0] is a value that contains itself, not plain data', at: at(7, 9, '/a/0') },
    ]);
  });

  test('aliases that multiply beyond all measure (AR105)', async () => {
    const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level++)
      lines.push(`l${level}: &l${level} [${`*l${level - 1}, `.repeat(10).slice(0, -2)}]`);
    const found = await mistakes(lines.join('\n'));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ code: 'AR105' });
    expect(found[0]!.message).toMatch(/aliases that stand for more than 1000000 values/);
  });

  test('a merge of something that is no map (AR105)', async () => {
    expect(await mistakes('a:\n  <<: 3\n')).toMatchObject([
      { code: 'AR105', message: 'a is a merge key "<<" whose value is not a map, not plain data' },
    ]);
  });

  test('nesting without end', async () => {
    expect(await mistakes(`a: ${'['.repeat(300)}${']'.repeat(300)}\n`)).toMatchObject([{ code: 'AR105' }]);
    expect((await mistakes(`a: ${'['.repeat(100_000)}`)).map(({ code }) => code)).toContain('AR103');
  });
});
