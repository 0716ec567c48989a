import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth, padEnd, truncate, truncateMiddle } from '../../src/report/words/text-width.js';

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['数据', 4],
    ['ｆｕｌｌ', 8],
    ['café', 4],
    ['cafe\u0301', 4],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['⚠', 1],
    ['⚠\uFE0F', 2],
    ['✓ × ∈ … →', 9],
    ['a\u200Bb', 2],
    ['\u0007', 0],
  ])('%j takes %i cells', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('truncate', () => {
  test('marks what is lost', () => {
    expect(truncate('abcdefgh', 5)).toBe('abcd…');
    expect(truncate('abcdefgh', 5, '...')).toBe('ab...');
    expect(truncate('数据数据', 6)).toBe('数据…');
    expect(truncate('abc', 3)).toBe('abc');
    expect(truncate('abc', 0)).toBe('');
  });

  test('never takes more cells than it may, and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(width, 0));
        expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true);
      }),
    );
  });
});

test('truncateMiddle keeps both ends and the width', () => {
  expect(truncateMiddle('train:arm=schedule,seed=17', 20)).toBe('train:arm…le,seed=17');
  expect(truncateMiddle('abc', 3)).toBe('abc');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
      expect(displayWidth(truncateMiddle(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

test('padEnd counts cells, not characters', () => {
  expect(`${padEnd('数', 4)}|`).toBe('数  |');
});
