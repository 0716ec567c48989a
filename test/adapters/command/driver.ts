import { join } from 'node:path';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';

/**
 * A runner in a process of its own, for tests that kill it. Arguments: a folder for logs, `wait`, `leave` or `stay`, and
 * the commands to start. Once all have ended, `wait` closes properly, `leave` just comes to its end and `stay` does not.
 */
const [dir, mode, ...commands] = process.argv.slice(2) as [string, string, ...string[]];
const { TEST_RUNNER: id } = process.env;
const runner = createCommandRunner({
  clock: systemClock,
  env: process.env,
  maxSlots: 4,
  ...(id ? { runner: id } : {}),
});
const exits = commands.map(async (run, index) => {
  const logs = { stdoutFile: join(dir, `${index}.out`), stderrFile: join(dir, `${index}.err`) };
  const exit = await runner.start({ run, cwd: dir, env: {}, ...logs }).exit;
  console.log(JSON.stringify(exit));
});
await Promise.all(exits);
if (mode === 'wait') await runner.close();
if (mode === 'stay') setInterval(() => {}, 60_000);
