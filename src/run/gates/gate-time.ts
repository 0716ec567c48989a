import type { Clock } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';

/** By the clock, but never before what is recorded: a clock that was set back must not revive a gate whose time is over. */
export const gateTime = ({
  ports,
  state,
}: {
  readonly ports: { readonly clock: Pick<Clock, 'now'> };
  state(): Pick<RunState, 'latestAt'>;
}): number => Math.max(ports.clock.now(), state().latestAt);
