import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wellFormed } from '../../src/run/agents/well-formed.js';

test('zero bytes and halves of pairs become a sign, wherever they are; the rest stays', () => {
  expect(wellFormed({ a: 'x\0y', b: ['\ud800 z', { c: '\udc00' }], d: 1, e: null, f: '😀' })).toEqual({
    a: 'x\ufffdy',
    b: ['\ufffd z', { c: '\ufffd' }],
    d: 1,
    e: null,
    f: '😀',
  });
  expect(wellFormed(undefined)).toBeUndefined();
});

test('what it gives comes back from a file as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
      const text = wellFormed(String.fromCharCode(...units));
      expect(Buffer.from(text).toString()).toBe(text);
      expect(text).not.toContain('\0');
    }),
  );
});
