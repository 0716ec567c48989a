import { expect, test } from 'vitest';
import type { Reason } from '../../src/model/plan.js';
import type { Files } from '../../src/model/ports.js';
import { type Asker, fileFacts } from '../../src/run/freshness/file-facts.js';

const startedAt = Date.UTC(2030, 0, 1, 12);
const ns = (hours: number): string => String(BigInt(startedAt + hours * 3_600_000) * 1_000_000n);
const facts = (changed: number, touched: number) => {
  const stamp = { size: 3, mtimeNs: ns(changed), ctimeNs: ns(touched), ino: '1' };
  return fileFacts('m.json', { stamp: () => stamp } as unknown as Files, { startedAt, tasks: new Map() });
};

test.each([
  ['written in the run', 1, 1, false],
  ['written before it', -1, -1, true],
  ['written before it and moved here since', -1, 1, true],
  ['written before it, and dated into the future', 24 * 365, -1, true],
])('a file that was %s', (_name, changed, touched, isOlder) => {
  expect(facts(changed, touched)).toEqual({ sizeBytes: 3, isOlder });
});

/** The run began at a time of the disk's clock, half a second after the second had. */
const beganNs = String(BigInt(startedAt + 500) * 1_000_000n + 7n);
const exactly = (written: bigint, bornNs?: bigint) => {
  const at = String(written);
  const stamp = { size: 3, mtimeNs: at, ctimeNs: at, ino: '1' };
  const files = { stamp: () => stamp, origin: () => ({ id: '1', isLinked: false, bornNs }) } as unknown as Files;
  return fileFacts('m.json', files, { startedAt, beganNs, tasks: new Map() })!.isOlder;
};
const second = BigInt(startedAt) * 1_000_000n;

test.each([
  ['a nanosecond before it', BigInt(beganNs) - 1n, undefined, true],
  ['in the same moment, which is after all that was there', BigInt(beganNs), undefined, false],
  ['some milliseconds before it', second + 493_000_001n, undefined, true],
  ['in the same second, on a disk that keeps whole ones', second, undefined, false],
  ['in the same hundredth, on a disk that keeps those', second + 500_000_000n, undefined, false],
  ['in the hundredth before, on a disk that keeps those', second + 490_000_000n, undefined, true],
  ['in the second before, on a disk that keeps whole ones', second - 1_000_000_000n, undefined, true],
  ['in it, into a file that was made a moment before', second + 900_000_003n, BigInt(beganNs) - 1n, true],
])('a run that knows the time of its disk: a file that was written %s', (_name, written, born, isOlder) => {
  expect(exactly(written, born)).toBe(isOlder);
});

test.each([
  ['nobody asked for this time, and it is as that task left it', 'not-selected', 'abc', false],
  ['nobody asked for this time, and somebody has changed it since', 'not-selected', 'xyz', true],
  ['is switched off', 'switched-off', 'abc', true],
])('an older file of a task that %s', (_name, code, digest, isOlder) => {
  const stamp = { size: 3, mtimeNs: ns(-1), ctimeNs: ns(-1), ino: '1' };
  const files = { stamp: () => stamp, digest: () => digest } as unknown as Files;
  const reasons = [{ code, detail: '' }] as unknown as Reason[];
  const task = { id: 'train', status: 'skipped', attempts: 0, reasons } as const;
  const outputs = [{ path: 'm.json', size: 3, mtimeNs: '0', ctimeNs: '0', ino: '1', digest: 'abc' }];
  const past = () => ({ ...task, status: 'passed', outputs }) as never;
  const found = fileFacts('m.json', files, { startedAt, tasks: new Map([['train', task]]), past });
  expect(found).toMatchObject({ isOlder });
});

const madeIn = (plan: readonly string[]) => {
  const stamp = { size: 3, mtimeNs: ns(1), ctimeNs: ns(1), ino: '1' };
  const outputs = [{ path: 'm.json', ...stamp, digest: 'abc' }];
  const tasks = new Map([
    ['train:seed=3', { id: 'train:seed=3', status: 'passed', attempts: 1, reasons: [], outputs }],
  ]);
  const asker = { task: { inputs: [] }, plan: { tasks: plan.map((id) => ({ id, outputs: [] })) } };
  return fileFacts(
    'm.json',
    { stamp: () => stamp } as unknown as Files,
    { startedAt, tasks } as never,
    asker as unknown as Asker,
  );
};

test('a result of a task that the study does not have any more is from another study', () => {
  expect(madeIn(['train:seed=3'])).toEqual({ sizeBytes: 3, madeBy: 'train:seed=3', isOlder: false });
  expect(madeIn(['train:seed=1'])).toEqual({ sizeBytes: 3, madeByFormer: 'train:seed=3', isOlder: true });
});

test('what no task made is older when it was there before the run went on with another plan', () => {
  const stamp = { size: 3, mtimeNs: ns(1), ctimeNs: ns(1), ino: '1' };
  const files = { stamp: () => stamp } as unknown as Files;
  const known = (hours: number) => ({ startedAt, beganNs: ns(0), replannedNs: ns(hours), tasks: new Map() });
  expect(fileFacts('m.json', files, known(0.5))!.isOlder).toBe(false);
  expect(fileFacts('m.json', files, known(2))!.isOlder).toBe(true);
});
