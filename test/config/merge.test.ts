import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConfigMap, mergeLayers } from '../../src/config/merge.js';
import { originOf } from '../../src/config/origin.js';
import type { Document } from '../../src/model/document.js';
import { pointerOf, valueAt } from '../../src/model/pointer.js';
import { leavesOf } from '../source/leaves.js';

const layerOf = (value: ConfigMap, index = 0) => {
  const document: Document = { file: `/layer-${index}.yaml`, text: '', value, locate: () => undefined };
  return { name: `layer-${index}`, document, value };
};
const merge = (...values: ConfigMap[]) => mergeLayers(values.map(layerOf));
const merged = (...values: ConfigMap[]) => {
  const { value, diagnostics } = merge(...values);
  expect(diagnostics).toEqual([]);
  return value;
};
const mistakes = (...values: ConfigMap[]) => merge(...values).diagnostics;

describe('rules', () => {
  test('maps merge by key, in the order of the lower one', () => {
    const value = merged({ b: { x: 1, y: { z: 1 } }, a: 1 }, { c: 3, b: { y: { w: 2 }, x: 5 } });
    expect(JSON.stringify(value)).toBe('{"b":{"x":5,"y":{"z":1,"w":2}},"a":1,"c":3}');
  });

  test('lists and scalars replace, and so does a value of another kind', () => {
    expect(
      merged(
        { a: [1, 2], b: 1, c: { x: 1 }, d: [1], e: 'human' },
        { a: [3], b: 'text', c: 1, d: { y: 1 }, e: { kind: 'human' } },
      ),
    ).toEqual({
      a: [3],
      b: 'text',
      c: 1,
      d: { y: 1 },
      e: { kind: 'human' },
    });
  });

  test('null removes, and what was removed can come again without its past', () => {
    expect(merged({ a: { x: 1, y: 2 }, b: 1 }, { a: { x: null }, b: null })).toEqual({ a: { y: 2 } });
    expect(merged({ a: { x: 1 } }, { a: null }, { a: { y: 2 } })).toEqual({ a: { y: 2 } });
  });

  test('$append adds to the list below, more than once', () => {
    expect(merged({ a: [1] }, { a: { $append: [2] } }, { a: { $append: [3, 4] } })).toEqual({ a: [1, 2, 3, 4] });
    expect(merged({ a: { b: [1] } }, { a: { b: { $append: [] } } })).toEqual({ a: { b: [1] } });
  });

  test('inside lists nothing is a marker', () => {
    expect(merged({ a: [{ x: null }, { $append: [1] }] })).toEqual({ a: [{ x: null }, { $append: [1] }] });
  });

  test('no layers, and layers that are empty', () => {
    expect(merged()).toEqual({});
    expect(merged({}, { a: 1 }, {})).toEqual({ a: 1 });
  });

  test('one layer without markers is not copied', () => {
    const value = { stages: { a: { uses: 'x' } } };
    expect(merged(value)).toBe(value);
  });
});

describe('mistakes (AR109)', () => {
  test('removing what is not there', () => {
    expect(mistakes({ agents: { coder: 1, judge: 2 } }, { agents: { codr: null } })).toEqual([
      {
        code: 'AR109',
        message: 'there is no agents.codr below this layer to remove',
        hint: 'Did you mean "coder"?',
        at: { kind: 'file', file: '/layer-1.yaml', pointer: '/agents/codr' },
      },
    ]);
    expect(mistakes({ stages: { a: { cwd: null } } })).toEqual([
      {
        code: 'AR109',
        message: 'stages.a.cwd has no value',
        hint: 'Give it a value, or take it out: null removes what a preset sets',
        at: { kind: 'file', file: '/layer-0.yaml', pointer: '/stages/a/cwd' },
      },
    ]);
    expect(mistakes({ a: 1 }, { a: { b: null } })).toMatchObject([
      { message: 'there is no a.b below this layer to remove' },
    ]);
  });

  test('appending to what is not a list', () => {
    const at = { kind: 'file', file: '/layer-1.yaml', pointer: '/a' };
    const hint = 'Write the list itself instead of "$append"';
    expect(mistakes({ a: 'x' }, { a: { $append: [1] } })).toEqual([
      { code: 'AR109', message: 'a cannot be appended to: what is below is "x", not a list', hint, at },
    ]);
    expect(mistakes({}, { a: { $append: [1] } })).toEqual([
      { code: 'AR109', message: 'a cannot be appended to: there is nothing below', hint, at },
    ]);
    expect(mistakes({ a: { $append: [1] } })).toHaveLength(1);
  });

  test('$append with something else beside it or in it', () => {
    expect(mistakes({ a: [1] }, { a: { $append: [2], more: 1 } })).toMatchObject([
      { message: 'a has "$append" beside other keys', hint: 'Keep "$append" alone, or write the whole value' },
    ]);
    expect(mistakes({ a: [1] }, { a: { $append: 'x' } })).toMatchObject([
      { message: 'a.$append must be a list, but is "x"' },
    ]);
  });

  test('all of them at once, and where', () => {
    const { diagnostics, faulty } = merge({ a: null, b: { c: null } }, { d: { $append: 1 } });
    expect(diagnostics).toHaveLength(3);
    expect([...faulty]).toEqual(['/a', '/b/c', '/d']);
  });
});

describe('prototypes', () => {
  test('are out of reach', () => {
    const hostile = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}, "a": {"__proto__": {"polluted": 3}}}',
    ) as ConfigMap;
    const value = merged(
      { a: { x: 1 } },
      hostile,
      JSON.parse('{"__proto__": {"more": 1}, "toString": "mine"}') as ConfigMap,
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(value))).toEqual(
      JSON.parse(
        '{"a":{"x":1,"__proto__":{"polluted":3}},"__proto__":{"polluted":1,"more":1},"constructor":{"prototype":{"polluted":2}},"toString":"mine"}',
      ),
    );
    expect(mistakes({}, { constructor: null, toString: null })).toHaveLength(2);
  });
});

/** Maps with few keys, so that layers meet. Nulls and `$append` are made where they are allowed. */
const plain: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.array(fc.integer(), { maxLength: 3 }), tie('map')),
  map: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
})).map;
const plainMap = plain as fc.Arbitrary<ConfigMap>;

/** Turns a layer into one that also removes and appends what is there in `below`. */
function withMarkers(below: unknown, layer: ConfigMap, choose: () => number): ConfigMap {
  const result: Record<string, unknown> = { ...layer };
  for (const key of Object.keys(result)) {
    const lower =
      typeof below === 'object' && below !== null && !Array.isArray(below) && Object.hasOwn(below, key)
        ? (below as ConfigMap)[key]
        : undefined;
    const value = result[key];
    const pick = choose() % 3;
    let next = value;
    if (lower !== undefined && pick === 0) next = null;
    else if (Array.isArray(lower) && pick === 1) next = { $append: [choose()] };
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      next = withMarkers(lower, value as ConfigMap, choose);
    Object.defineProperty(result, key, { value: next, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

const layersWithMarkers = fc
  .tuple(fc.array(plainMap, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(9)))
  .map(([values, stream]) => {
    const layers: ConfigMap[] = [];
    for (const value of values) {
      const below = mergeLayers(layers.map(layerOf)).value;
      layers.push(withMarkers(below, value, () => stream.next().value as number));
    }
    return layers;
  });

describe('properties', () => {
  test('inputs are never changed, and the same inputs give the same', () => {
    fc.assert(
      fc.property(layersWithMarkers, (layers) => {
        const before = JSON.stringify(layers);
        const one = JSON.stringify(merge(...layers).value);
        expect(JSON.stringify(merge(...layers).value)).toBe(one);
        expect(JSON.stringify(layers)).toBe(before);
      }),
    );
  });

  test('merging step by step is the same as merging at once', () => {
    fc.assert(
      fc.property(layersWithMarkers, (layers) => {
        let value: ConfigMap = {};
        for (const layer of layers) value = merged(value, layer);
        expect(value).toEqual(merged({}, ...layers));
      }),
    );
  });

  test('without markers the topmost scalar wins', () => {
    fc.assert(
      fc.property(plainMap, plainMap, (lower, upper) => {
        const value = merged(lower, upper);
        for (const { path, value: leaf } of leavesOf(upper)) {
          if (typeof leaf !== 'object') expect(valueAt(value, pointerOf(...path))).toBe(leaf);
        }
      }),
    );
  });

  test('no null and no $append is left in a map', () => {
    fc.assert(
      fc.property(layersWithMarkers, (layers) => {
        for (const { value } of leavesOf(merged(...layers))) {
          expect(value).not.toBeNull();
          if (typeof value === 'object' && value !== null) expect(Object.hasOwn(value, '$append')).toBe(false);
        }
      }),
    );
  });

  test('every value stands in the layer that it is said to come from', () => {
    fc.assert(
      fc.property(layersWithMarkers, (values) => {
        const layers = values.map(layerOf);
        for (const { path, value } of leavesOf(merged(...values))) {
          const origin = originOf(layers, pointerOf(...path));
          if (layers.length === 0) continue;
          expect(origin).toBeDefined();
          const written = valueAt(origin!.layer.value, origin!.pointer);
          if (typeof value !== 'object') expect(written).toBe(value);
          else expect(typeof written).toBe('object');
        }
      }),
      { numRuns: 300 },
    );
  });
});
