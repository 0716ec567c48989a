import type { AgentCompleted } from '../../model/events/agent-event.js';
import type { JournalEntry, Outcome } from '../../model/events/event.js';
import { type RunFacts, told } from '../history/run-facts.js';
import { iterationWords } from '../iterations/iteration-words.js';
import { type AnswerLine, answersOf } from './answers.js';
import {
  type ReviewResult,
  reviewsOf,
  type Validation,
  type VerificationResult,
  validationsOf,
  verificationsOf,
} from './checks.js';
import { type Fix, fixesOf, type Mend, mendsOf, type StoppedAttempt, stopsOf } from './fixes.js';
import { type GateLine, gatesOf } from './gates.js';
import { type JobLine, jobsOf } from './jobs.js';
import { type LoopRecord, loopRecord } from './loop.js';
import { type Monitored, monitoringOf } from './monitoring.js';
import { runOutcome } from './run-outcome.js';
import { type SpendLine, spendOf } from './spend.js';
import { type CommitLine, commitsOf, type PlanLine, plansOf } from './stages.js';
import { type RunVerdict, verdictOf } from './status.js';
import { type WarningLine, warningsOf } from './warnings.js';

/** `execution.json`: all that is worth telling of a run, as data. Fields are only ever added. */
export interface ExecutionRecord extends RunVerdict {
  readonly version: 1;
  readonly run: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** What was asked and found, for each comparison; that the run passed is none of it. */
  readonly answers: readonly AnswerLine[];
  /** `iteration 3 of 50`, in a study with `iterate`. */
  readonly iteration: string | null;
  /** How that loop stands, and every iteration of it. */
  readonly loop: LoopRecord | null;
  readonly planDigest: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly workedMs: number;
  /** What the results were made from. */
  readonly branch: string | null;
  readonly commit: string | null;
  readonly changedFiles: number | null;
  readonly worktrees: readonly WorktreeLine[];
  readonly commits: readonly CommitLine[];
  readonly plans: readonly PlanLine[];
  readonly changes: readonly ChangeLine[];
  readonly validations: readonly Validation[];
  readonly jobs: readonly JobLine[];
  readonly monitoring: readonly Monitored[];
  readonly fixes: readonly Fix[];
  /** Attempts that were stopped: no failures. */
  readonly stops: readonly StoppedAttempt[];
  readonly mends: readonly Mend[];
  readonly gates: readonly GateLine[];
  readonly verifications: readonly VerificationResult[];
  readonly reviews: readonly ReviewResult[];
  readonly violations: readonly ViolationLine[];
  /** What tasks passed with, and what cost more than it may have. */
  readonly warnings: readonly WarningLine[];
  readonly spend: SpendLine;
}

export interface WorktreeLine {
  readonly task: string;
  readonly branch: string;
  readonly path: string;
  /** `removed`: it left nothing to merge. */
  readonly state: 'open' | 'merged' | 'kept' | 'removed';
  /** Why it was kept. */
  readonly why?: string;
}

export interface ChangeLine {
  readonly task: string;
  readonly by: string;
  readonly files: readonly string[];
  readonly summary: string;
  readonly line: number;
}

export interface ViolationLine {
  readonly task: string | null;
  readonly files: readonly string[];
  readonly evidence: string;
  readonly line: number;
}

export function executionRecord(facts: RunFacts): ExecutionRecord {
  const { state, entries } = facts;
  return {
    version: 1,
    run: state.run,
    name: state.name,
    outcome: runOutcome(facts).outcome,
    answers: answersOf(facts),
    ...verdictOf(facts),
    iteration: state.iteration ? iterationWords(state.iteration) : null,
    loop: loopRecord(facts),
    planDigest: state.planDigest,
    startedAt: isoTime(state.startedAt),
    finishedAt: state.finishedAt === undefined ? null : isoTime(state.finishedAt),
    workedMs: state.workedMs,
    branch: state.workspace?.branch ?? null,
    commit: state.workspace?.commit ?? null,
    changedFiles: state.workspace?.changedFiles ?? null,
    worktrees: worktreesOf(facts),
    commits: commitsOf(entries),
    plans: plansOf(facts),
    changes: changesOf(facts),
    validations: validationsOf(facts),
    jobs: jobsOf(entries, facts.plan),
    monitoring: monitoringOf(facts),
    fixes: fixesOf(entries),
    stops: stopsOf(entries),
    mends: mendsOf(entries),
    gates: gatesOf(entries),
    verifications: verificationsOf(facts),
    reviews: reviewsOf(facts),
    violations: violationsOf(facts),
    warnings: warningsOf(facts),
    spend: spendOf(entries).total,
  };
}

/** What agents changed, as it was measured, not as they say. */
const changesOf = ({ entries, state }: RunFacts): readonly ChangeLine[] =>
  entries.flatMap((entry) =>
    entry.type === 'agent-completed' && (entry.files?.length ?? 0) > 0
      ? [
          {
            task: entry.task,
            by: entry.agent ?? '',
            files: entry.files!,
            summary: entry.summary ?? mendedOf(entries, entry) ?? state.tasks.get(entry.task)?.summary ?? '',
            line: entry.seq + 1,
          },
        ]
      : [],
  );

/** Whoever mended says what they did in the record that follows. */
function mendedOf(entries: readonly JournalEntry[], { seq, task }: JournalEntry & AgentCompleted): string | undefined {
  const next = entries.slice(seq + 1).find((entry) => ends.has(entry.type) && 'task' in entry && entry.task === task);
  return next?.type === 'fix-finished' ? next.summary : undefined;
}

const ends: ReadonlySet<string> = new Set(['fix-finished', 'agent-invoked', 'task-finished', 'task-failed']);

function worktreesOf({ entries }: RunFacts): readonly WorktreeLine[] {
  const how = new Map<string, { state: 'merged' | 'kept' | 'removed'; why?: string }>();
  for (const entry of entries) {
    if (entry.type === 'worktree-kept') how.set(entry.branch, { state: 'kept', why: entry.why });
    else if (entry.type === 'worktree-merged') how.set(entry.branch, { state: 'merged' });
    else if (entry.type === 'worktree-removed' && !how.has(entry.branch)) how.set(entry.branch, { state: 'removed' });
  }
  return entries.flatMap((entry) =>
    entry.type === 'worktree-created'
      ? [
          {
            task: entry.task,
            branch: entry.branch,
            path: entry.path,
            ...(how.get(entry.branch) ?? { state: 'open' as const }),
          },
        ]
      : [],
  );
}

/** What was said twice of one breach counts once: the last word has it all. */
const violationsOf = ({ entries }: RunFacts): readonly ViolationLine[] => {
  const all = told<{ task?: string; files: readonly string[]; evidence: string }>(entries, 'protection-violated');
  const last = new Map(all.map((one) => [one.evidence, one]));
  return [...last.values()].map(({ task, files, evidence, seq }) => ({
    task: task ?? null,
    files,
    evidence,
    line: seq + 1,
  }));
};

const isoTime = (ms: number): string => new Date(ms).toISOString();
