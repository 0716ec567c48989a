import { join } from 'node:path';
import { LocalScheduler } from '../../../src/adapters/schedulers/local.js';

/** Submits one order in a process of its own, says so, and waits to be killed. */
const [dir, text] = process.argv.slice(2);
const local = new LocalScheduler({
  dirOf: (tag) => join(dir!, 'jobs', tag),
  slotsDir: join(dir!, 'slots'),
  slots: 1,
  gpus: 0,
  env: { PATH: process.env.PATH! },
});
const answer = await local.submit([JSON.parse(text!)]);
process.stdout.write(`${answer.kind}\n`);
setInterval(() => {}, 1000);
