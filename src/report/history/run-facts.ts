import type { JournalEntry } from '../../model/events/event.js';
import type { IterationEntry } from '../../model/events/iteration-event.js';
import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';

/** A run as its journal tells it, with the texts of what it made. Every section of a record or a report follows from this alone. */
export interface RunFacts {
  readonly state: RunState;
  /** Without it, tasks that were never touched are not known. */
  readonly plan?: Plan;
  readonly entries: readonly JournalEntry[];
  /** Results that hold something to show, by path. */
  readonly files: ReadonlyMap<string, ResultFile>;
  /** Those that are gone. */
  readonly lost?: readonly LostFile[];
  /** What tasks that compare arms have printed, in this run or in the one whose result still holds: the table stands nowhere else. */
  readonly tables: ReadonlyMap<string, PrintedTable>;
  /** From the run's folder to the project folder, for links: `../../../..`. */
  readonly toRoot: string;
  /** What is protected, by path; absent when the vault cannot be read any more. */
  readonly protectedFiles?: ReadonlyMap<string, string>;
  /** Of a run that is an iteration. */
  readonly loop?: LoopFacts;
}

/** The loop that a run is an iteration of, as its record tells it. */
export interface LoopFacts {
  /** The record, from the project folder. */
  readonly path: string;
  /** The state folder, from the project folder; absent in an archive, which holds one run and the record. */
  readonly dir?: string;
  /** Which series of it the run belongs to. */
  readonly series: number;
  /** The lines that are told of: the record grows after the run has ended. */
  readonly entries: readonly IterationEntry[];
  /** Why the record cannot be believed; nothing of it is told then. */
  readonly problem?: string;
}

export interface PrintedTable {
  /** The log, from the project folder. */
  readonly path: string;
  readonly text: string;
}

export interface ResultFile {
  readonly path: string;
  readonly task: string;
  readonly text: string;
  /** sha256 of what is there now. */
  readonly digest: string;
  /** sha256 of what the task left behind, as the journal tells it; absent where it is still at work. */
  readonly recorded?: string;
  /** It is no longer what the task left behind. */
  readonly isChanged: boolean;
}

/** A result that a report would show something of, and that cannot be read any more. */
export type LostFile = Required<Pick<ResultFile, 'path' | 'task' | 'recorded'>>;

/** Where something stands in the journal; lines count from 1. */
export interface Told {
  readonly seq: number;
  readonly at: string;
}

export const lineOf = ({ seq }: Pick<Told, 'seq'>): number => seq + 1;

/** The events of one kind. Their fields are those that are shown; a journal may hold more. */
export const told = <T extends object>(entries: readonly JournalEntry[], type: string): readonly (T & Told)[] =>
  entries.filter((entry) => (entry.type as string) === type) as unknown as readonly (T & Told)[];
