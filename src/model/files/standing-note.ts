import type { ConfigSource } from '../events/event.js';
import type { FileStamp } from '../fingerprint.js';

/**
 * That a run stands, on one page: what `exec` would otherwise gather from journal, plan and config each time that it is typed
 * and there is nothing to do. Written when that was found out the long way, kept outside of the project, and worth nothing as soon as one of these
 * files is another.
 */
export interface StandingNote {
  readonly version: 1;
  readonly run: string;
  readonly source: ConfigSource;
  readonly journal: FileStamp;
  readonly files: readonly NotedFile[];
  readonly said: StandingFacts;
}

/** What a file has to be: by its stamp where the run has told one, by its content where it is read each time. */
export type NotedFile =
  | readonly [path: string, digest: string]
  | readonly [path: string, size: number, mtimeNs: string, ctimeNs: string, ino: string];

/** What is said of a run that stands. */
export interface StandingFacts {
  readonly name: string;
  readonly tasks: number;
  readonly run: string;
  readonly startedAt: number;
  /** The first of what the tasks at the end of the plan made, and how many more there are. */
  readonly results: readonly string[];
  readonly more: number;
}
