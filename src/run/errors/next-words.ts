import type { ErrorVerdict } from '../../model/errors/error-verdict.js';
import { isAskedText } from '../../model/errors/retry-limits.js';
import type { FixCommand, Retry } from '../../model/generated/config.js';
import type { NextStep } from './retry.js';

/** What follows a failed attempt, as it is written into logs/errors.log. */
export function nextWords(step: NextStep, { gaveUp }: ErrorVerdict, whoIsNext: string, { fix }: Retry): string {
  const slow = gaveUp ? `; the expression of class ${gaveUp.join(', ')} took too long and was given up` : '';
  return `${stepWords(step, whoIsNext, fix)}${slow}`;
}

function stepWords(step: NextStep, whoIsNext: string, fix: string | FixCommand | undefined): string {
  if (step.kind === 'wait') return `waits for its quota until ${new Date(step.untilMs).toISOString()}`;
  if (step.kind === 'spent') return whoIsNext;
  const mends = fix === undefined ? '' : `${fixName(fix)} mends, then `;
  return `${mends}another try`;
}

/** The next one in the list of `escalate`. */
export const whoIsNextWords = (to: string | undefined): string =>
  to === undefined || to === 'fail' ? 'no more tries' : `no more tries; ${isAskedText(to)}`;

export const fixName = (fix: string | FixCommand): string => (typeof fix === 'string' ? fix : fix.run);
