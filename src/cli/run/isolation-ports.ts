import { systemClock } from '../../adapters/system-clock.js';
import { FailureError } from '../../model/failure.js';
import type { Task } from '../../model/plan.js';
import type { Reporter } from '../../model/ports.js';
import type { AttemptPorts } from '../../run/attempt/attempt-ports.js';

/** What tasks hold alone, and the copies that they keep; loaded when the first task asks for it. */
export function isolationPorts(
  root: string,
  reporter: Reporter,
): Required<Pick<AttemptPorts, 'hold' | 'mirrorFailure'>> {
  return {
    async hold(task, { run, stop }) {
      const { takeExternalLocks } = await import('../../adapters/external-locks/external-locks.js');
      try {
        const release = await takeExternalLocks(task.locks!, {
          root,
          holder: { run, task: task.id },
          signal: stop,
          clock: systemClock,
          onWait: (words) => reporter.ephemeral({ type: 'notice', text: `${task.id} waits: ${words}` }),
        });
        return { ok: true, release };
      } catch (error) {
        if (error instanceof FailureError) return { ok: false, failure: error.failure };
        throw error;
      }
    },
    async mirrorFailure({ mirror }: Task, signal: AbortSignal) {
      const { mirrorDifferences, mirrorText } = await import('../../adapters/mirror/mirror.js');
      const found = await mirrorDifferences(mirror!, root, { signal });
      if (found.count === 0) return undefined;
      return {
        code: 'mirror-differs',
        count: found.count,
        lines: mirrorText(found).trimEnd().split('\n').slice(0, 20),
      };
    },
  };
}
