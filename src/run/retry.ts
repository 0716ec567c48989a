import { parseDuration } from '../model/duration.js';
import type { Failure } from '../model/failure.js';
import type { Retry } from '../model/generated/config.js';

/** Counts the attempts of one task. Each class of error has the whole number of tries; a new kind starts its own count. */
export class RetryCount {
  #failures = new Map<string, number>();
  #retry: Retry;

  constructor(retry: Retry) {
    this.#retry = retry;
  }

  /** What follows after this failure: the pause before the next try, or undefined when the tries are spent. */
  next(failure: Failure): { readonly errorClass: string; readonly afterMs: number } | undefined {
    if (failure.code === 'cancelled') return undefined;
    const errorClass = errorClassOf(failure);
    const failures = (this.#failures.get(errorClass) ?? 0) + 1;
    this.#failures.set(errorClass, failures);
    if (failures >= this.#retry.attempts) return undefined;
    const pauseMs = this.#retry.backoff === undefined ? 0 : (parseDuration(this.#retry.backoff) ?? 0);
    return { errorClass, afterMs: pauseMs * 2 ** (failures - 1) };
  }
}

/** Failures of one class are thought to have one cause. */
export function errorClassOf(failure: Failure): string {
  if (failure.code === 'command-failed') return `${failure.code}:${failure.exitCode}`;
  if (failure.code === 'command-killed') return `${failure.code}:${failure.signal}`;
  return failure.code;
}
