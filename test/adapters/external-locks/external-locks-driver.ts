import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { takeExternalLocks } from '../../../src/adapters/external-locks/external-locks.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { FailureError } from '../../../src/model/failure.js';

/**
 * A process that wants external locks. On stdin: `take NAME PATH…` answers `wait NAME words` and `got NAME` or `no NAME
 * failure`; `release NAME` answers `released NAME`; `stop NAME` ends its waiting; `hammer N PATH…` takes them N times and
 * answers with how often somebody else was in as well.
 */
const [locks = '', root = ''] = process.argv.slice(2);
const releases = new Map<string, () => void>();
const stops = new Map<string, AbortController>();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, name = '', ...paths] = line.split(' ');
  if (word === 'take') void take(name, paths);
  if (word === 'hammer') void hammer(Number(name), paths);
  if (word === 'stop') stops.get(name)?.abort('SIGINT');
  if (word === 'release') {
    releases.get(name)?.();
    say(`released ${name}`);
  }
});

async function take(name: string, paths: readonly string[]): Promise<void> {
  const stop = new AbortController();
  stops.set(name, stop);
  try {
    const onWait = (words: string): void => say(`wait ${name} ${words}`);
    const holder = { run: '1-test', task: name };
    const options = { root, holder, signal: stop.signal, clock: systemClock, onWait, locks };
    releases.set(name, await takeExternalLocks(paths, options));
    say(`got ${name}`);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    say(`no ${name} ${JSON.stringify(error.failure)}`);
  }
}

async function hammer(rounds: number, paths: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const quick = { now: () => Date.now(), after: (_ms: number, act: () => void) => systemClock.after(1, act) };
  let intruders = 0;
  for (let round = 0; round < rounds; round += 1) {
    // Only the timers of waiting are hurried; no round lasts until a heartbeat.
    const clock = {
      ...quick,
      after: (ms: number, act: () => void) => (ms < 1000 ? quick : systemClock).after(ms, act),
    };
    const holder = { run: '1-test', task: 'hammer' };
    const release = await takeExternalLocks(round % 2 ? paths : [...paths].reverse(), {
      root,
      holder,
      signal,
      clock,
      locks,
    });
    try {
      for (const path of paths) mkdirSync(join(root, path, 'inside'));
      await new Promise((done) => setImmediate(done));
      for (const path of paths) rmdirSync(join(root, path, 'inside'));
    } catch (error) {
      intruders += 1;
      writeFileSync(join(root, 'intruder'), String(error));
    }
    release();
  }
  say(`intruders ${intruders}`);
}
