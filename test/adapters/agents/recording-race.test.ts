import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readCassette } from '../../../src/adapters/agents/cassette/cassette.js';
import { Driver } from '../../support/driver.js';

describe('recorders in several processes', () => {
  const driver = new Driver(fileURLToPath(new URL('recording-driver.ts', import.meta.url)));
  afterAll(() => driver.close());

  const start = async (study: string, run: string, deed: string) => {
    const root = join(driver.folder, study, `tree-${run}`);
    mkdirSync(root, { recursive: true });
    const child = driver.start([root, run, deed]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    return { child, lines };
  };

  const recorded = (study: string): Record<string, number> => {
    const folder = join(driver.folder, study, 'cassettes');
    const counts: Record<string, number> = {};
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
      const reading = readCassette(join(folder, name));
      if (reading.kind !== 'found') throw new Error(`${name}: ${JSON.stringify(reading)}`);
      counts[reading.cassette.prompt[0]!] = reading.cassette.calls.length;
    }
    return counts;
  };

  it('lose nothing of each other, for the same question and for different ones', async () => {
    const recorders = await Promise.all(['1-aaaa', '2-bbbb'].map((run) => start('race', run, 'lines')));
    await Promise.all(
      recorders.map(async ({ child, lines }, index) => {
        for (let count = 0; count < 20; count += 1) child.stdin.write(`shared\nshared\nown ${index} ${count}\n`);
        for (let count = 0; count < 60; count += 1) expect((await lines.next()).value).toBe('asked');
      }),
    );
    const { shared, first: _, ...own } = recorded('race');
    expect(shared).toBe(80);
    expect(Object.values(own)).toEqual(Array(40).fill(1));
    expect(readdirSync(join(driver.folder, 'race', 'cassettes')).filter((name) => !name.endsWith('.json'))).toEqual([]);
  });

  it('that are killed in the middle leave whole cassettes or none, and the next one clears up', async () => {
    let found = 0;
    for (let round = 0; round < 12 || (found === 0 && round < 60); round += 1) {
      const { child } = await start('killed', `${round}-aaaa`, 'forever');
      await new Promise((resolve) => setTimeout(resolve, 17 * (round % 6)));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const names = readdirSync(join(driver.folder, 'killed', 'cassettes'));
      found += names.filter((name) => !name.endsWith('.json')).length;
      recorded('killed');
    }
    expect(found, 'it was killed in the middle at least once').toBeGreaterThan(0);
    const { child, lines } = await start('killed', '99-zzzz', 'lines');
    child.stdin.write('again\n');
    expect((await lines.next()).value).toBe('asked');
    const left = readdirSync(join(driver.folder, 'killed', 'cassettes')).filter((name) => name.endsWith('.tmp'));
    expect(left).toEqual([]);
    expect(existsSync(join(driver.folder, 'killed', 'cassettes', '.lock'))).toBe(false);
  });
});
