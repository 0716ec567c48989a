import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Driver } from '../../support/driver.js';

describe('runners of several agent ids', () => {
  const driver = new Driver(fileURLToPath(new URL('ledger-driver.ts', import.meta.url)));
  afterAll(() => driver.close());

  const start = (root: string, agentId: string, deed: string): Runner => {
    const child = driver.start([root, agentId, deed]);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  };

  const project = (name: string): string => {
    mkdirSync(join(driver.folder, name, '.autoresearch'), { recursive: true });
    return join(driver.folder, name);
  };

  const booked = (root: string): number =>
    readdirSync(join(root, '.autoresearch'))
      .map((id) => join(root, '.autoresearch', id, 'ledger.jsonl'))
      .filter((file) => existsSync(file))
      .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);

  it('spend the money of the day together, to the last cent and no further', async () => {
    const root = project('together');
    const runners = ['a', 'b', 'c', 'd'].map((id) => start(root, id, 'spend'));
    const counts = await Promise.all(runners.map(untilFull));
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect(booked(root)).toBe(60);
  });

  it('take over from one that was killed with the mutex in its hand, and never let two in', async () => {
    const root = project('killed');
    const holder = start(root, 'h', 'hold');
    expect((await holder.lines.next()).value).toBe('held');
    const runners = ['a', 'b', 'c', 'd'].map((id) => start(root, id, 'spend'));
    const ends = runners.map(untilFull);
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    const counts = await Promise.all(ends);
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect(readdirSync(join(root, '.autoresearch')), 'nothing is left lying about').toEqual(['a', 'b', 'c', 'd']);
  });

  it('count what a killed one had booked', async () => {
    const root = project('booked');
    const killed = start(root, 'k', 'spend');
    for (let line = 0; line < 5; line += 1) await killed.lines.next();
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    const before = booked(root);
    expect(before).toBeGreaterThanOrEqual(5);
    expect(await untilFull(start(root, 'a', 'spend'))).toBe(60 - before);
  });
});

interface Runner {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

async function untilFull({ lines }: Runner): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the runner died');
    if (value === 'full') return count;
  }
}
