import { join } from 'node:path';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';

/**
 * A runner in a process of its own, for tests that kill it. Arguments: a folder for logs, `wait` or `leave`, and the
 * commands to start. `wait` closes properly once all have ended, `leave` just comes to its end.
 */
const [dir, mode, ...commands] = process.argv.slice(2) as [string, string, ...string[]];
const runner = createCommandRunner({ clock: systemClock, env: process.env, maxSlots: 4 });
const exits = commands.map(async (run, index) => {
  const logs = { stdoutFile: join(dir, `${index}.out`), stderrFile: join(dir, `${index}.err`) };
  const exit = await runner.start({ run, cwd: dir, env: {}, ...logs }).exit;
  console.log(JSON.stringify(exit));
});
await Promise.all(exits);
if (mode === 'wait') await runner.close();
