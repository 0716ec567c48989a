import type { AgentSession, AgentTrouble } from '../agents/agent.js';
import type { KeptFiles } from '../files/kept-file.js';
import type { Overspent, SpendPlace, SpendSource } from '../money/spend.js';
import type { TaskId } from '../plan.js';

export interface AgentInvoked extends SpendPlace {
  readonly type: 'agent-invoked';
  /** Unique over all runs; also the id of its line in the ledger. */
  readonly call: string;
  readonly attempt: number;
  readonly capUsd?: number;
  /** Of what the tree was like before: should the run be cut short, it says what to put back. */
  readonly note?: string;
  /** Where its prompt and its reply are kept, relative to the run's folder. */
  readonly folder?: string;
  /** It begins a new session, because the one before is gone, and is told what that one knew. */
  readonly replaces?: SessionReplaced;
}

export interface SessionReplaced {
  readonly session: string;
  /** Of how many calls of the lost session it is told, and how many there were. */
  readonly told: number;
  readonly of: number;
}

export interface AgentCompleted {
  readonly type: 'agent-completed';
  readonly call: string;
  readonly task: TaskId;
  readonly durationMs: number;
  readonly outcome: string;
  readonly summary?: string;
  readonly agent?: string;
  /** The session it worked in, for the next call. */
  readonly session?: AgentSession;
  readonly turns?: number;
  readonly model?: string;
  /** Files of the project that changed since the question was first asked. */
  readonly files?: readonly string[];
  /** How many; the list may be cut. */
  readonly changedFiles?: number;
  /** What its folder held then. */
  readonly kept?: KeptFiles;
}

export interface AgentFailed {
  readonly type: 'agent-failed';
  readonly call: string;
  readonly task: TaskId;
  readonly durationMs: number;
  readonly detail: string;
  readonly agent?: string;
  readonly why?: AgentTrouble;
  readonly resetAt?: number;
  readonly session?: AgentSession;
  readonly turns?: number;
  readonly model?: string;
  readonly files?: readonly string[];
  /** How many; the list may be cut. */
  readonly changedFiles?: number;
  /** What its folder held then. */
  readonly kept?: KeptFiles;
}

/** The reply did not fit its schema. */
export interface AgentValidationFailed {
  readonly type: 'agent-validation-failed';
  /** Set when the reply is not what was wrong: files that must not have changed. */
  readonly violated?: readonly string[];
  /** Those of them that say what the study is. */
  readonly held?: readonly string[];
  readonly call: string;
  readonly task: TaskId;
  readonly detail: string;
  /** True when it is asked for once more. */
  readonly again: boolean;
}

export interface SpendRecorded extends SpendPlace {
  readonly type: 'spend-recorded';
  readonly call: string;
  /** Absent where there is neither a report nor a price nor a cap; such a call is counted as unpriced. */
  readonly usd?: number;
  readonly source: SpendSource;
  readonly tokens: number;
  readonly wallMs: number;
  readonly gpuHours: number;
  /** It cost more than it may have. Absent in old journals. */
  readonly over?: Overspent;
}
