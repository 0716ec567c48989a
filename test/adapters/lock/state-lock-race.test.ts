import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Driver } from '../../support/driver.js';

describe('processes that race for the lock', () => {
  const driver = new Driver(fileURLToPath(new URL('lock-driver.ts', import.meta.url)));
  afterAll(() => driver.close());

  const racer = (stateDir: string): Racer => {
    const child = driver.start([stateDir]);
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      child,
      async ask(line) {
        child.stdin.write(`${line}\n`);
        return String((await answers.next()).value);
      },
    };
  };

  it('one of twelve gets a free lock, and one of the rest each time its holder is killed', async () => {
    const stateDir = join(driver.folder, 'killed');
    let racers = Array.from({ length: 12 }, () => racer(stateDir));
    await Promise.all(racers.map(({ ask }) => ask('mine')));
    while (racers.length > 1) {
      const [at, until] = [Date.now() + 40, Date.now() + 120];
      const answers = await Promise.all(racers.map(({ ask }) => ask(`try ${at} ${until}`)));
      expect(answers.filter((answer) => answer === 'got')).toEqual(['got']);
      const winner = racers[answers.indexOf('got')]!;
      expect(await winner.ask('mine')).toBe('true');
      winner.child.kill('SIGKILL');
      await once(winner.child, 'exit');
      racers = racers.filter((each) => each !== winner);
    }
    expect(await racers[0]!.ask('try 0 9999999999999')).toBe('got');
    expect(readdirSync(stateDir)).toEqual(['lock']);
  });

  it('hundreds of takings of free and of dead locks never let two in', async () => {
    const stateDir = join(driver.folder, 'storm');
    const racers = Array.from({ length: 4 }, () => racer(stateDir));
    const answers = await Promise.all(racers.map(({ ask }) => ask('storm 150')));
    expect(answers).toEqual(Array.from({ length: 4 }, () => 'intruders 0'));
  });
});

interface Racer {
  readonly child: ChildProcess;
  ask(line: string): Promise<string>;
}
