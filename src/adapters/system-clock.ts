import type { Clock } from '../model/ports.js';

/** Node's timers fire at once beyond this (about 24.8 days). */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Long waits are taken in steps. A process that was halted (SIGSTOP, Ctrl-Z, a debugger) finds all its timers due at once
 * when it goes on, before it hears of anything else that has happened: the step that it slept through counts no more than
 * others, and whatever ended meanwhile is heard of first.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number, wasLate = false): void => {
      const stepMs = Math.min(leftMs, longestStepMs);
      const since = upMs();
      timer = setTimeout(() => {
        const restMs = leftMs - stepMs;
        const isLate = ms > shortMs && upMs() - since - stepMs > lateMs;
        if (restMs > 0 || (isLate && !wasLate)) wait(isLate ? Math.max(restMs, shortMs) : restMs, isLate);
        else callback();
      }, stepMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Of a clock that nobody sets. `performance` would be loaded for it, which takes a millisecond. */
const upMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
};

const longestStepMs = 10_000;
const lateMs = 1000;
/** What is shorter than this limits nothing, and is time enough to hear of what has ended. */
const shortMs = 250;

/** For what may not keep the program alive. */
export const backgroundClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref();
    return () => clearTimeout(timer);
  },
};
