import { expect, it } from 'vitest';
import { changedMeanwhile, type Fingerprint } from '../../src/model/fingerprint.js';
import { changedWords, withoutChanged } from '../../src/run/freshness/changed-inputs.js';

const stamp = { size: 1, mtimeNs: '1', ctimeNs: '1', ino: '1' };
const made: Fingerprint = {
  v: 1,
  behaviour: 'command@1',
  options: 'o',
  env: 'e',
  inputs: { a: 'digest of a', b: 'digest of b' },
  upstream: {},
  stamps: { a: stamp, b: stamp },
};

it('an input that was changed meanwhile has no digest, and no stamp under which one would be believed', () => {
  expect(withoutChanged(made, ['a'])).toEqual({
    ...made,
    inputs: { a: changedMeanwhile, b: 'digest of b' },
    stamps: { b: stamp },
  });
  expect(withoutChanged(made, ['a', 'b'])).not.toHaveProperty('stamps');
});

it('says how many they are', () => {
  expect(changedWords(['a', 'b'])).toMatch(/^a, b were changed while it ran: /);
  expect(changedWords(['a', 'b', 'c', 'd'])).toMatch(/^a, b and 2 more were changed while it ran: /);
});
