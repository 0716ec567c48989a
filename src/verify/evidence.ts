import type { JournalEntry } from '../model/events/event.js';
import type { EndNoteReading } from '../model/files/end-note.js';
import type { KeptFile } from '../model/files/kept-file.js';
import type { OutputRecord } from '../model/fingerprint.js';
import type { Check } from '../model/gates/check.js';
import type { LedgerCall } from '../model/money/ledger-line.js';
import type { Plan, Task, TaskId } from '../model/plan.js';
import type { RunState, TaskState } from '../model/state/run-state.js';

/** What a run has left behind, and questions about how things are now. Nothing here changes anything. */
export interface RunEvidence {
  readonly run: string;
  readonly entries: readonly JournalEntry[];
  /** Bytes follow the last whole line. */
  readonly isTorn: boolean;
  readonly state: RunState;
  /** A live process holds the state folder. */
  readonly isLive: boolean;
  /** Undefined unless plan.json holds the plan that the journal tells of. */
  readonly plan: Plan | undefined;
  /** What plan.json is instead. */
  readonly planProblem: 'gone' | 'other' | undefined;
  readonly endNotes: {
    readonly inside: EndNoteReading;
    readonly outside: EndNoteReading;
    /** Where the one outside of the project would be. */
    readonly place: string;
    /** The run was made on this machine, so it has to be there. */
    readonly isHere: boolean;
  };
  /** sha256; words when there is no file that can be read. */
  digest(path: string): { readonly digest: string } | { readonly problem: string };
  /** Who made it anew since, of the same loop, in words: it is what that one made, and nobody else changed it. */
  madeAnew(path: string): string | undefined;
  /** What the task would read now, with digests. Throws when something cannot be read. */
  inputs(task: Task): { readonly [path: string]: string };
  /** What follows from the plan for the fingerprint of a task. */
  definition(task: Task): { readonly behaviour: string; readonly options: string; readonly env: string };
  product(outputs: readonly OutputRecord[]): string;
  /** How the gate of a task stands, given what is there now. */
  gate(task: Task, state: TaskState): { readonly isPassed: boolean; readonly detail: string };
  /** Whether the arms that a task compared are alike now, in words. */
  parity(task: Task): Promise<{ readonly ok: boolean; readonly detail: string }>;
  /** Whether what a task asserted holds now, in words. */
  assertions(task: Task): Promise<{ readonly ok: boolean; readonly detail: string }>;
  protection(): Promise<ProtectedNow>;
  /** Undefined when there is no ledger. Throws when it cannot be believed. */
  ledger(): ReadonlyMap<string, LedgerCall> | undefined;
  /** What is written about the run, where it is there; `differs` says what journal and results make otherwise. */
  reports(): Promise<readonly { readonly file: string; readonly differs?: string; readonly apart?: string }[]>;
  /** The loop that the run belongs to; undefined for any other run. */
  loop(): Promise<LoopEvidence | undefined>;
  /** The first so many bytes of a file in a folder of the run, or all of it; undefined when there is no such file. */
  keptNow(folder: string, name: string, bytes?: number): KeptFile | undefined;
  attemptLogs(task: TaskId, attempt: number): { readonly isThere: boolean; readonly hasOutput: boolean };
}

export interface LoopEvidence {
  readonly lines: number;
  /** Why the record cannot be believed. */
  readonly problem?: string;
  /** Iterations that changed something, and what is wrong with what was kept of that. */
  readonly changes: readonly { readonly number: number; readonly problem?: string }[];
  /** What the runs of all iterations say of them. */
  readonly runs?: { readonly words: string; readonly problems: readonly string[] };
  /** Table and insights; absent when nothing was told yet. */
  readonly told?: { readonly words: string; readonly problems: readonly string[] };
  /** What the loop came to, of the run that it ended with. */
  readonly goal?: { readonly isReached: boolean; readonly words: string } | undefined;
  /** Whether what was kept is what is there; absent when nothing was. */
  readonly kept?: { readonly words: string; readonly problems: readonly string[] } | undefined;
}

export type ProtectedNow =
  | { readonly how: 'vault'; readonly changed: readonly string[] }
  | { readonly how: 'content'; readonly isSame: boolean }
  | { readonly how: 'unknown'; readonly why: string };

/** One kind of question. It answers with a check for each thing that it looked at. */
export type CheckModule = (evidence: RunEvidence) => readonly Check[] | Promise<readonly Check[]>;
