import type { ErrorVerdict } from '../../model/errors/error-verdict.js';
import { fullPauseMs, totalTries } from '../../model/errors/retry-limits.js';
import type { Retry } from '../../model/generated/config.js';

export type NextStep =
  /** Another try after a pause. The failure counts against its class. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** A quota that says when to come back. Costs no attempt. Milliseconds since 1970. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** No more tries: those of the class are used up, those of the task, or another one cannot help. */
  | { readonly kind: 'spent'; readonly why: 'class' | 'total' | 'final' };

/** What the journal says of a task before the failure in question. */
export interface TriesSoFar {
  /** Class of error → failed attempts that counted. */
  readonly failures: { readonly [errorClass: string]: number };
  /** Waits for a quota in this run, up to now. */
  readonly waits: number;
}

export interface RetryTools {
  readonly nowMs: number;
  /** At least 0, less than 1. */
  random(): number;
}

/** A service that keeps naming new times to come back would hold a task for ever. */
export const mostWaits = 20;
/** A clock or a message that is wrong must not stop a run for days. */
export const longestWaitMs = 24 * 3_600_000;
const shortestWaitMs = 1000;

/**
 * What follows a failed attempt. Pure: the counts come from the journal, so that a resumed run has exactly the tries
 * left that an unbroken one would have.
 */
export function nextStep(retry: Retry, soFar: TriesSoFar, verdict: ErrorVerdict, tools: RetryTools): NextStep {
  if (verdict.final) return { kind: 'spent', why: 'final' };
  const untilMs = waitUntil(verdict, soFar, tools.nowMs);
  if (untilMs !== undefined) return { kind: 'wait', untilMs };
  const { failures } = soFar;
  // A class may be named like something that every object has.
  const ofClass = 1 + (Object.hasOwn(failures, verdict.errorClass) ? failures[verdict.errorClass]! : 0);
  if (ofClass >= retry.attempts) return { kind: 'spent', why: 'class' };
  const inAll = 1 + Object.values(failures).reduce((sum, count) => sum + count, 0);
  if (inAll >= totalTries(retry)) return { kind: 'spent', why: 'total' };
  return { kind: 'again', afterMs: pauseMs(retry, ofClass, tools.random()) };
}

/** Undefined when nothing is to be waited for, or when what was said is not to be believed. */
function waitUntil({ resetAt }: ErrorVerdict, { waits }: TriesSoFar, nowMs: number): number | undefined {
  if (resetAt === undefined || waits >= mostWaits) return undefined;
  if (!(resetAt > nowMs && resetAt <= nowMs + longestWaitMs)) return undefined;
  return Math.max(resetAt, nowMs + shortestWaitMs);
}

/** Chance takes up to half off, so that tasks do not come back all at once. */
const pauseMs = (retry: Retry, failures: number, random: number): number =>
  Math.round(fullPauseMs(retry, failures) * (1 - random / 2));
