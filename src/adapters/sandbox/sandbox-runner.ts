import type { CommandRunner } from '../../model/ports.js';
import { refused } from '../command/refused.js';
import { type Fencing, fencedCommand } from './sandbox-command.js';

/** Starts commands of another runner inside a fence. What the fence cannot hold is told before the start. */
export function fencedRunner(
  commands: CommandRunner,
  fencing: Fencing & { warn?(unheld: readonly string[]): void },
): CommandRunner {
  return {
    start: (spec) => {
      const fenced = fencedCommand(spec, fencing);
      if (!fenced.ok) return refused(fenced.error);
      const { unheld, release } = fenced.value;
      if (unheld.length > 0) fencing.warn?.(unheld);
      const running = commands.start(fenced.value.spec);
      const exit = running.exit.finally(release);
      return { exit, stop: () => running.stop(), kill: () => running.kill() };
    },
    close: () => commands.close(),
  };
}
