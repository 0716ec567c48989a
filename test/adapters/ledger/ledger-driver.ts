import { join } from 'node:path';
import { FileLedger } from '../../../src/adapters/ledger/file-ledger.js';
import { takeMutex } from '../../../src/adapters/lock/file-mutex.js';
import { systemClock } from '../../../src/adapters/system-clock.js';

/** A runner in a process of its own: `spend` books until nothing is left, `hold` takes the mutex and keeps it. */
const [root = '', agentId = '', deed = ''] = process.argv.slice(2);

if (deed === 'hold') {
  await takeMutex(join(root, '.autoresearch', 'ledger.lock'), systemClock);
  console.log('held');
  setInterval(() => {}, 1000);
} else {
  const config = { budget: { usdPerDay: 6 }, stages: { build: { uses: 'command' } } };
  const ledger = new FileLedger({ root, agentId, clock: systemClock, config });
  for (let call = 0; ; call += 1) {
    const place = { run: '1-aaaa', stage: 'build', task: 'build', role: 'author', agent: 'coder' } as const;
    const full = await ledger.reserve({ ...place, call: `${agentId}-${call}`, capUsd: 0.1 });
    if (full) break;
    console.log('booked');
  }
  console.log('full');
}
