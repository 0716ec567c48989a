import type { EphemeralEvent, JournalEntry, RecordedEvent } from './event.js';
import type { Failure } from './failure.js';
import type { FileStamp } from './fingerprint.js';
import type { Plan } from './plan.js';
import type { RunState } from './run-state.js';

/** What the run needs from the outside world. Adapters implement these; tests bring their own. */

export interface CommandSpec {
  /** Text goes through `sh -c`; a list is a program and its arguments, with no shell between. */
  readonly run: string | readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the runner's own environment. */
  readonly env: { readonly [name: string]: string };
  /** Absolute paths. Output is appended, so several commands of one attempt share the files. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** How a command ended by itself or by a signal. Whether that is a timeout is known to who ended it. */
export type CommandExit =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly failure: Failure };

export interface RunningCommand {
  readonly exit: Promise<CommandExit>;
  /** Ends the whole process group: SIGTERM first, SIGKILL for what is left after the grace period. */
  stop(): void;
  /** Ends it at once. */
  kill(): void;
}

export interface CommandRunner {
  start(spec: CommandSpec): RunningCommand;
  /** Ends everything that still runs and frees the helper processes. */
  close(): Promise<void>;
}

export interface Clock {
  now(): number;
  /** Calls back once after `ms`; returns how to cancel. */
  after(ms: number, callback: () => void): () => void;
}

/** Both steps of writing fail with a `FailureError`. */
export interface JournalWriter {
  /** When this returns, the events are in the file and survive the death of the runner. */
  append(events: readonly RecordedEvent[]): Appended;
  /** Something waits until they are on the disk; without this they gather for some milliseconds first. */
  hurry(): void;
  close(): Promise<void>;
}

export interface Appended {
  readonly entries: readonly JournalEntry[];
  /** Resolves when they are on the disk and survive the death of the machine. */
  readonly durable: Promise<void>;
}

/** Read-only questions about the project's files. All paths are relative to the project folder. */
export interface Files {
  /** Undefined when there is no such file. */
  stamp(path: string): FileStamp | undefined;
  /** sha256 of the content; `stamp` lets an unchanged file be believed without reading it. */
  digest(path: string): string;
  /** Files that match, sorted; a folder's name stands for everything in it. */
  expand(patterns: readonly string[]): readonly string[];
}

/** What a behaviour may do to the project's files. Paths are relative to the project folder and may not leave it. */
export interface Workspace {
  /** Absolute. */
  readonly root: string;
  readFile(path: string): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
}

/** Where one attempt leaves its logs. */
export interface AttemptFolder {
  readonly stdoutFile: string;
  readonly stderrFile: string;
  log(line: string): void;
}

/** Calls back when neither log grew for `idleMs`; returns how to stop watching. */
export type IdleWatch = (folder: AttemptFolder, idleMs: number, onIdle: () => void) => () => void;

/** Shows a run while it happens. Never decides anything; a reporter that throws is a bug. */
export interface Reporter {
  runStarted(plan: Plan, info: RunInfo): void;
  recorded(entry: JournalEntry): void;
  ephemeral(event: EphemeralEvent): void;
  /** Waits for what is still to be drawn. */
  close(): Promise<void>;
}

export interface RunInfo {
  readonly run: string;
  /** Absolute path of the run's folder. */
  readonly dir: string;
  readonly jobs: number;
  readonly resumed: boolean;
  /** The last line that a running task wrote, read when a view wants to show it. */
  lastLine(task: string): string | undefined;
  /** The last lines of a task's logs, for a view that shows why it failed. */
  tail?(task: string): readonly string[];
  /** The run as an earlier process left it, when it goes on. No event tells again of what it finished. */
  readonly earlier?: RunState;
}
