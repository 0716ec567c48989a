import type { TestResult } from '../../model/agents/published.js';
import type {
  DecidedBy,
  EvidenceFile,
  GateKind,
  GateState,
  GateVote,
  Verdict,
  WordsState,
} from '../../model/gates/gate.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { gateStatus } from './gate-lines.js';
import { gateKindOf } from './gate-words.js';

/** A gate in `status --json` and `gates --json`. Fields are only ever added. */
export interface GateJson {
  readonly task: string;
  readonly kind: GateKind;
  readonly status: ReturnType<typeof gateStatus>;
  /** How often the work was sent back in this run. */
  readonly rounds: number;
  readonly openedAt: string | null;
  readonly expiresAt: string | null;
  readonly approvers: readonly string[];
  readonly evidence: readonly EvidenceFile[];
  /** The checklist of the task, or of what it waited for. */
  readonly tests: readonly TestResult[];
  readonly because: string | null;
  /** The newest one; it may be about something that has changed since. */
  readonly decision: GateDecisionJson | null;
}

export interface GateDecisionJson {
  readonly verdict: Verdict;
  readonly by: DecidedBy;
  readonly at: string;
  readonly reasons: readonly string[];
  readonly votes: readonly GateVote[];
  readonly evidenceDigest: string;
  readonly planDigest: string;
  readonly rubric: string | null;
  /** No usable answer came. */
  readonly failed: boolean;
  /** The run that decided it about the very same, and when; null: this one. */
  readonly from: { readonly run: string; readonly at: string } | null;
}

export const gatesJson = ({ tasks }: Pick<RunState, 'tasks'>): readonly GateJson[] =>
  [...tasks.values()].flatMap((task) => {
    const { gate, words } = task;
    return [
      ...(gate?.opened || gate?.decided ? [gateJson(task, gate, gateStatus(task))] : []),
      ...(words?.asked ? [wordsJson(task, words.asked, words)] : []),
    ];
  });

/** Who was asked for words when the tries were spent, as a gate that only sends back. */
const wordsJson = (task: TaskState, opened: NonNullable<GateState['opened']>, { given, said }: WordsState): GateJson =>
  gateJson(task, { opened, rounds: said.length, ...(given ? { decided: given } : {}) }, given ? 'revise' : 'open');

function gateJson(task: TaskState, { opened, decided, rounds }: GateState, status: GateJson['status']): GateJson {
  const kind = opened?.kind ?? decided?.kind ?? (decided ? gateKindOf(decided.by) : 'human');
  return {
    task: task.id,
    kind,
    status,
    rounds,
    openedAt: opened ? isoTime(opened.at) : null,
    expiresAt: opened?.expiresAt === undefined ? null : isoTime(opened.expiresAt),
    approvers: opened?.approvers ?? [],
    evidence: opened?.evidence ?? decided?.evidence ?? [],
    tests: opened?.tests ?? task.tests ?? [],
    because: opened?.because ?? null,
    decision: decided
      ? {
          verdict: decided.verdict,
          by: decided.by,
          at: isoTime(decided.at),
          reasons: decided.reasons,
          votes: decided.votes ?? [],
          evidenceDigest: decided.shown,
          planDigest: decided.planDigest,
          rubric: decided.rubric ?? null,
          failed: decided.failed ?? false,
          from: decided.from ?? null,
        }
      : null,
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
