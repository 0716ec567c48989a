import { expect, test } from 'vitest';
import { originOf } from '../../src/config/origin.js';
import type { Document } from '../../src/model/document.js';

const layer = (name: string, value: Record<string, unknown>) => {
  const document: Document = { file: `/${name}`, text: '', value, locate: () => undefined };
  return { name, document, value };
};

const layers = [
  layer('base', {
    protect: ['a', 'b'],
    stages: { train: { uses: 'command', retry: { attempts: 3 } }, gone: { uses: 'x' } },
    gate: 'human',
  }),
  layer('middle', {
    protect: { $append: ['c'] },
    stages: { gone: null, train: { retry: { backoff: '1s' } } },
    gate: { kind: 'human' },
  }),
  layer('config', { name: 'x', protect: { $append: ['d', 'e'] }, stages: { gone: { uses: 'y' } } }),
];
const origin = (pointer: string) => {
  const found = originOf(layers, pointer);
  return found && `${found.layer.name} ${found.pointer}`;
};

test.each([
  ['/name', 'config /name'],
  ['/protect/0', 'base /protect/0'],
  ['/protect/1', 'base /protect/1'],
  ['/protect/2', 'middle /protect/$append/0'],
  ['/protect/3', 'config /protect/$append/0'],
  ['/protect/4', 'config /protect/$append/1'],
  ['/protect/5', undefined],
  ['/protect', 'config /protect'],
  ['/stages/train/uses', 'base /stages/train/uses'],
  ['/stages/train/retry/attempts', 'base /stages/train/retry/attempts'],
  ['/stages/train/retry/backoff', 'middle /stages/train/retry/backoff'],
  ['/stages/train/retry', 'middle /stages/train/retry'],
  ['/stages/train', 'middle /stages/train'],
  ['/stages/gone/uses', 'config /stages/gone/uses'],
  ['/gate', 'middle /gate'],
  ['/gate/kind', 'middle /gate/kind'],
  ['/nothing', undefined],
  ['/name/deeper', undefined],
  ['', 'config '],
])('%s', (pointer, expected) => {
  expect(origin(pointer)).toBe(expected);
});

test('a value that a map replaced is not found under it', () => {
  expect(
    originOf([layer('low', { a: { x: 1 } }), layer('mid', { a: [1] }), layer('top', { a: { y: 1 } })], '/a/x'),
  ).toBeUndefined();
});
