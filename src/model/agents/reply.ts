/** What an agent may answer that was asked to do something. */
export interface WorkReply {
  readonly outcome: 'done' | 'failed' | 'escalate';
  readonly reason?: 'design' | 'scope' | 'environment';
  readonly summary: string;
  /** The changes it says it made; which files really changed is measured. */
  readonly files: readonly ClaimedChange[];
  readonly notes?: string;
}

export interface ClaimedChange {
  readonly path: string;
  /** `12` or `10-42`, several with commas. */
  readonly lines?: string;
  readonly change?: string;
}

/** What an agent may answer that was asked to judge something. */
export interface ReviewReply {
  readonly verdict: 'pass' | 'revise' | 'reject';
  /** From 0 to 1. */
  readonly score?: number;
  readonly reasons: readonly string[];
}

/** What an agent may answer that was asked how a whole execution went. */
export interface HealthReply {
  readonly verdict: 'HEALTHY' | 'WARNING' | 'CRITICAL';
  /** Whether the plan was carried out. */
  readonly fidelity: 'FULL' | 'PARTIAL';
  /** What is wrong. Not empty unless it is healthy. */
  readonly issues: readonly string[];
  /** What may go wrong yet. */
  readonly risks: readonly string[];
  /** From 0 to 1. */
  readonly confidence: number;
}

/** What an agent may answer that was given numbered statements to check. */
export interface ChecklistReply {
  readonly results: readonly CheckedStatement[];
}

export interface CheckedStatement {
  /** From 1. */
  readonly number: number;
  readonly holds: boolean;
  readonly reason: string;
  /** Where it can be seen. */
  readonly files: readonly string[];
}

export interface ReplyForms {
  readonly work: WorkReply;
  readonly review: ReviewReply;
  readonly health: HealthReply;
  readonly checklist: ChecklistReply;
}

export type ReplyForm = keyof ReplyForms;
