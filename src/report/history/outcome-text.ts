import type { Outcome } from '../../model/events/event.js';
import type { Paint } from '../words/paint.js';
import type { Symbols } from '../words/symbols.js';

/** The outcome as the predicate of a sentence: `tiny-study passed`. Total on purpose. */
const words: Record<Outcome, string> = {
  running: 'is running',
  passed: 'passed',
  failed: 'failed',
  waiting: 'waits for a person',
  cancelled: 'was stopped',
  'over-budget': 'spent its budget',
  violated: 'was violated',
};

/** The outcome as a cell of a table, in the same words. */
export const outcomeNames: Record<Outcome, string> = {
  running: 'running',
  passed: 'passed',
  failed: 'failed',
  waiting: 'waits for a person',
  cancelled: 'stopped',
  'over-budget': 'over budget',
  violated: 'violated',
};

export const outcomeWords = (outcome: Outcome, signal?: string): string =>
  `${words[outcome]}${outcome === 'cancelled' && signal !== undefined ? ` by ${signal}` : ''}`;

export function outcomeSign(outcome: Outcome, { p, s }: { readonly p: Paint; readonly s: Symbols }): string {
  if (outcome === 'passed') return p.green(s.passed);
  if (outcome === 'running') return p.cyan(s.run);
  if (outcome === 'waiting' || outcome === 'cancelled') return p.yellow(s.skipped);
  return p.red(s.failed);
}

export function paintOutcome(outcome: Outcome, p: Paint): (text: string) => string {
  if (outcome === 'passed') return p.green;
  if (outcome === 'running') return p.cyan;
  return outcome === 'waiting' || outcome === 'cancelled' ? p.yellow : p.red;
}
