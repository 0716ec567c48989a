import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskTime } from '../../src/adapters/disk/disk-time.js';

const stampNs = (file: string): bigint => statSync(file, { bigint: true }).ctimeNs;

test('all that was there is older than the answer, and all that comes is not', () => {
  const dir = mkdtempSync(join(tmpdir(), 'disk-time-'));
  for (let round = 0; round < 50; round += 1) {
    const [before, after] = [join(dir, `${round}.before`), join(dir, `${round}.after`)];
    writeFileSync(before, 'x');
    const now = diskTime(dir, 'after')!;
    writeFileSync(after, 'x');
    expect(stampNs(before) < now).toBe(true);
    expect(stampNs(after) >= now).toBe(true);
  }
});

test('without the wait what was there may be of the same moment, and is not later', () => {
  const dir = mkdtempSync(join(tmpdir(), 'disk-time-'));
  const file = join(dir, 'before');
  writeFileSync(file, 'x');
  expect(stampNs(file) <= diskTime(dir, 'now')!).toBe(true);
});

test('a folder that is not there has no time', () => {
  expect(diskTime(join(tmpdir(), 'no', 'such', 'folder'), 'after')).toBeUndefined();
});
