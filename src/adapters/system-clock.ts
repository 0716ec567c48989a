import type { Clock } from '../model/ports.js';

/** Node's timers fire at once beyond this (about 24.8 days), so longer waits are taken in steps. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = setTimeout(
        () => (left > longestTimerMs ? wait(left - longestTimerMs) : callback()),
        Math.min(left, longestTimerMs),
      );
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
