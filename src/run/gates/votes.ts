import type { ReviewReply } from '../../model/agents/reply.js';
import type { GateVote } from '../../model/gates/gate.js';
import type { JudgeGate } from '../../model/generated/config.js';
import type { Judged } from './gate-ports.js';

/** A reply as a vote. Where a score is asked for, a pass without one, or with too low a one, is none. */
export function voteOf(
  { verdict, score, reasons }: ReviewReply,
  { threshold }: Pick<JudgeGate, 'threshold'>,
): GateVote {
  const known = { ...(score === undefined ? {} : { score }), reasons };
  if (verdict !== 'pass' || threshold === undefined) return { verdict, ...known };
  if (score === undefined) return { verdict: 'failed', reasons: ['it gave no score', ...reasons] };
  if (score >= threshold) return { verdict, ...known };
  return { verdict: 'revise', score, reasons: [`the score ${score} is below ${threshold}`, ...reasons] };
}

/** More than half have to pass, counted over all that were asked: a tie does not, nor does silence help anybody. */
export function countVotes(votes: readonly GateVote[], rubric: string): Judged {
  const count = (verdict: GateVote['verdict']): number => votes.filter((vote) => vote.verdict === verdict).length;
  const isMost = (verdict: GateVote['verdict']): boolean => 2 * count(verdict) > votes.length;
  const more = { rubric, votes };
  const said = (verdicts: readonly GateVote['verdict'][]): readonly string[] => [
    ...(votes.length > 1 ? [`${count('pass')} of ${votes.length} votes to pass`] : []),
    ...new Set(votes.filter(({ verdict }) => verdicts.includes(verdict)).flatMap(({ reasons }) => reasons)),
  ];
  if (isMost('pass')) return { kind: 'verdict', verdict: 'pass', reasons: said(['pass']), more };
  if (isMost('reject')) return { kind: 'verdict', verdict: 'reject', reasons: said(['reject']), more };
  // Without the votes that failed it might have passed, or not: nobody knows.
  if (isMost('failed') || count('failed') === votes.length) return { kind: 'failed', reasons: said(['failed']), more };
  return { kind: 'verdict', verdict: 'revise', reasons: said(['revise', 'reject', 'failed']), more };
}
