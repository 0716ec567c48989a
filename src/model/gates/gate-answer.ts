import type { TaskId } from '../plan.js';
import type { GateQuestion, Verdict } from './gate.js';

/** What a person says at a gate. */
export interface PersonAnswer {
  readonly verdict: Verdict;
  /** The operating system's name for the user. */
  readonly by: string;
  /** Feedback, a reason or a note. */
  readonly text?: string;
}

/** An answer on its way to the runner, bound to one question of one run. */
export interface GateAnswer extends PersonAnswer {
  /** Of the file that it lies in. */
  readonly id: string;
  readonly run: string;
  readonly task: TaskId;
  readonly question: string;
  readonly shown: string;
}

export type AnswerProblem = 'not-an-approver' | 'expired' | 'no-revise' | 'only-words';

/** Why an answer cannot be taken, whatever it says; undefined: it can. */
export function answerProblem(
  question: GateQuestion,
  { by, verdict }: PersonAnswer,
  nowMs: number,
): AnswerProblem | undefined {
  if (question.approvers && !question.approvers.includes(by)) return 'not-an-approver';
  if (question.expiresAt !== undefined && nowMs >= question.expiresAt) return 'expired';
  if (question.kind === 'instructions' && verdict !== 'revise') return 'only-words';
  return verdict === 'revise' && question.noRevise !== undefined ? 'no-revise' : undefined;
}
