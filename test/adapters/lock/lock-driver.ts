import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { HeldLock } from '../../../src/adapters/lock/held-lock.js';
import { recordOf } from '../../../src/adapters/lock/lock-file.js';
import { takeLock } from '../../../src/adapters/lock/state-lock.js';
import { knownProcess } from '../../../src/adapters/process/known-process.js';
import { backgroundClock } from '../../../src/adapters/system-clock.js';

/**
 * A process that wants the lock, for tests in which many do. `try AT UNTIL` on stdin: from the one time to the other,
 * tries as fast as it can; answers `got` or `locked`. `mine` answers whether it still has it. `storm N` takes it N times,
 * and each time lets go of it or leaves it behind as a dead process would; answers with how often others were in as well.
 */
const [stateDir = ''] = process.argv.slice(2);
let lock: HeldLock | undefined;

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...numbers] = line.split(' ');
  if (word === 'try') console.log(attempt(Number(numbers[0]), Number(numbers[1])));
  if (word === 'mine') console.log(String(lock?.isMine()));
  if (word === 'storm') console.log(storm(Number(numbers[0])));
}

function attempt(at: number, until: number): string {
  while (Date.now() < at);
  // At least once, also where the time was over before this process had its turn.
  do lock ??= take();
  while (lock === undefined && Date.now() < until);
  return lock ? 'got' : 'locked';
}

function take(): HeldLock | undefined {
  try {
    return takeLock(stateDir, { clock: backgroundClock });
  } catch (error) {
    if ((error as { failure?: { code: string } }).failure?.code !== 'locked') throw error;
    return undefined;
  }
}

function storm(rounds: number): string {
  let intruders = 0;
  for (let done = 0; done < rounds; ) {
    const held = take();
    if (held === undefined) continue;
    done += 1;
    try {
      mkdirSync(join(stateDir, 'inside'));
      for (const end = performance.now() + 0.2; performance.now() < end; );
      if (!held.isMine()) intruders += 1;
      rmdirSync(join(stateDir, 'inside'));
    } catch {
      intruders += 1;
    }
    if (done % 3 === 0) held.release();
    else writeFileSync(join(stateDir, 'lock'), deadRecord(), { flag: 'r+' });
  }
  return `intruders ${intruders}`;
}

function deadRecord(): Buffer {
  const token = Array.from({ length: 16 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
  return recordOf({ ...knownProcess(process.pid), started: '1', since: new Date().toISOString(), token });
}
