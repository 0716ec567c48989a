import type { OutputRecord } from '../fingerprint.js';

interface Made {
  readonly outputs?: readonly OutputRecord[];
  readonly amended?: readonly OutputRecord[];
}

/** What a task has made, as it has to be now: what somebody has changed by right counts as it is since. */
export const outputsNow = ({ outputs = [], amended = [] }: Made): readonly OutputRecord[] =>
  amended.length === 0 ? outputs : outputs.map((one) => amended.find(({ path }) => path === one.path) ?? one);
