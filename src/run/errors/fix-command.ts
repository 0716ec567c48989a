import { resolve } from 'node:path';
import type { Failure } from '../../model/failure.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { commandFailure, mayKnow } from '../attempt/stage-context.js';
import { supervise } from '../attempt/supervise.js';
import type { StopSwitch } from '../stop-switch.js';

export interface FixRun {
  readonly run: string;
  readonly env: { readonly [name: string]: string };
  readonly folder: AttemptFolder;
  readonly task: Task;
}

/** Runs the command that mends, under the limits of the stage. Answers with the failure, if any. */
export async function runFixCommand(
  { run, env, folder, task }: FixRun,
  { ports, stop }: { readonly ports: AttemptPorts; readonly stop: StopSwitch },
): Promise<Failure | undefined> {
  const end = await supervise(
    {
      ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
      ...(task.idleMs === undefined ? {} : { idleMs: task.idleMs }),
      clock: ports.clock,
      stop: stop.stopping,
      kill: stop.killing,
      watchIdle: (ms, onIdle) => ports.watchIdle(folder, ms, onIdle),
    },
    async (supervisor) => {
      const ending = supervisor.ending();
      if (ending) return { ok: false, failure: ending };
      const command = ports.commands.start({
        run,
        cwd: resolve(env.AUTORESEARCH_ROOT!, task.cwd),
        env: { ...ports.passedTo(task), ...env },
        stdoutFile: folder.stdoutFile,
        stderrFile: folder.stderrFile,
        ...mayKnow(task),
      });
      supervisor.adopt(command);
      const failure = commandFailure(await command.exit, run);
      return failure ? { ok: false, failure } : { ok: true };
    },
  );
  if (task.passEnv) await ports.scrub(folder, task.passEnv);
  return end.ok ? undefined : end.failure;
}
