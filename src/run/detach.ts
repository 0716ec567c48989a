import type { Slots } from './slots.js';
import type { StopSwitch } from './stop-switch.js';

/** What stops a run that leaves its jobs alone. */
export const detached = '--detach';

/** Stops the run as soon as it waits for nothing but jobs of clusters. Answers with who is to be told how many those are. */
export function detachWhenIdle(slots: Slots, stop: StopSwitch): (jobs: number) => void {
  let watching = 0;
  const look = (): void => {
    if (watching > 0 && slots.busy === 0 && slots.resting === watching && !stop.signal) stop.stop(detached);
  };
  slots.afterwards(look);
  return (jobs) => {
    watching = jobs;
    setImmediate(look);
  };
}
