import type { Outcome } from '../model/events/event.js';
import { exitCode } from '../model/exit-code.js';
import { detached } from '../run/detach.js';
import type { StopSwitch } from '../run/stop-switch.js';

/** How a run ended, as the number that shells see. */
export function exitCodeOf(outcome: Exclude<Outcome, 'running'>, stop: StopSwitch): number {
  if (outcome === 'cancelled' && stop.signal === detached) return exitCode.waiting;
  // Nobody stopped it now, but what was stopped before is not done.
  if (outcome === 'cancelled' && stop.signal === undefined) return exitCode.failed;
  if (outcome === 'cancelled') return stop.signal === 'SIGINT' ? exitCode.interrupted : exitCode.terminated;
  return outcomeExitCode[outcome];
}

const outcomeExitCode: Record<Exclude<Outcome, 'running' | 'cancelled'>, number> = {
  passed: exitCode.passed,
  failed: exitCode.failed,
  waiting: exitCode.waiting,
  'over-budget': exitCode.overBudget,
  violated: exitCode.integrity,
};
