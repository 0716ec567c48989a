import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayRepeatKey } from '../../src/source/repeated-key-scan.js';
import { loadSucrase } from '../../src/source/sucrase.js';
import { writtenTwice } from '../../src/source/written-twice.js';

const sucrase = await loadSucrase();

/** The keys that are complained about, each with the line of the second and of the first. */
const keys = (text: string): string[] =>
  writtenTwice(sucrase, { file: 'a.ts', text }).map(({ message, at, related }) => {
    const line = (address: typeof at): number =>
      text.slice(0, address?.kind === 'file' ? address.range?.start : 0).split('\n').length;
    return `${message} ${line(at)} ${line(related?.[0]?.at)}`;
  });

describe('a key that stands twice in an object literal', () => {
  test.each([
    ['const a = {\n x: 1,\n y: 2,\n x: 3 };', 'x', '4 2'],
    ['export default f({ a: { x: 1,\n"x": 2 } });', 'x', '2 1'],
    ["const a = { 'x-y': 1,\n 'x-y': 2 };", 'x-y', '2 1'],
    ['const a = { 1: 1,\n "1": 2 };', '1', '2 1'],
    ['const x = 1; const a = { x,\n x: 2 };', 'x', '2 1'],
    ['const a = { x: 1,\n x() {} };', 'x', '2 1'],
    ['const a = { x /* one */ : 1, // { x: 2 }\n x: 2 };', 'x', '2 1'],
    ['const a = { b: `${{ c: 1, d: `}` }}`, x: 1,\n x: 2 };', 'x', '2 1'],
    ['const a = { b: /["{]/, x: 1,\n x: 2 };', 'x', '2 1'],
    ['const a = { x: [{ x: 1 }], y: (1, { x: 1 }),\n x: 2 };', 'x', '2 1'],
    ['const a = { "\\u0078": 1,\n "\\u0078": 2 };', 'x', '2 1'],
    ['const a = { x: 1, ...b,\n x: 2 };', 'x', '2 1'],
    ['const f = () => ({ x: 1,\n x: 2 });', 'x', '2 1'],
    ['const a = { größe: 1,\n größe: 2 };', 'größe', '2 1'],
  ])('%j', (text, key, lines) => {
    expect(keys(text)).toEqual([`the key "${key}" is written twice ${lines}`]);
  });

  test.each([
    'const a = { x: { x: 1 }, y: [{ x: 1 }, { x: 1 }] };',
    'type A = { x: 1 }; interface B { f(a: string): 1; f(a: number): 2 } const a = { x: 1 };',
    'class A { get x() { return 1 } set x(v) {} f() {} static f() {} }',
    'const a = { get x() { return 1 }, set x(v) {} };',
    'const { x, x: { y } } = b;',
    'const { x: c, x: d } = b;',
    'const a = { x: b ? 1 : 2, b };',
    'const a = { x: "{ y: 1, y: 2 }", z: `y: ${1}, y: 2` }; // { x: 1, x: 2 }',
    'const a = { ...b, ...b, x: 1 }; f(x, x); [x, x];',
    'import { x, y } from "b"; export const a = { x, y };',
    'switch (x) { case 1: break; case 2: break; } a: { b: { } }',
    'const a = { [x]: 1, [x]: 2 };',
  ])('nothing is wrong with %j', (text) => {
    expect(keys(text)).toEqual([]);
  });

  test('the quick look never misses what a close one finds', () => {
    const name = fc.constantFrom('x', '"x"', "'y'", 'y', '`${x}`', '1', 'get');
    const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        name,
        tie('object'),
        fc.constantFrom('/* { */ 1', '[x, y]', '`a${ {x: 1} }`', '1 / 2'),
      ),
      object: fc
        .array(
          fc.tuple(
            name.filter((one) => !one.startsWith('`')),
            tie('value'),
          ),
          { maxLength: 4 },
        )
        .map((entries) => `{ ${entries.map(([key, value]) => `${key}: ${value}`).join(',\n')} }`),
    }));
    fc.assert(
      fc.property(object, (text) => {
        const module = `export default (${text});`;
        if (!mayRepeatKey(module)) expect(exact(module)).toEqual(0);
      }),
      { numRuns: 300 },
    );
  });
});

/** A slash makes the quick look give up, so the close one always looks. */
const exact = (text: string): number => writtenTwice(sucrase, { file: 'a.ts', text: `${text}\n1 / 1;` }).length;
