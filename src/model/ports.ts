import type { EphemeralEvent, JournalEntry, RecordedEvent } from './events/event.js';
import type { Failure, FailureError } from './failure.js';
import type { FileStamp } from './fingerprint.js';
import type { Plan } from './plan.js';
import type { RunState } from './state/run-state.js';

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
  /** They were looked for a moment ago and are not there, so nothing else can stand in their place. */
  readonly areLogsNew?: true;
  /** Absolute. Nothing to read unless stated. */
  readonly stdinFile?: string;
  /**
   * What `stop` sends instead of SIGTERM. For programs that run their own commands in sessions of their own and end them
   * on SIGINT alone; what such a program leaves behind is ended with it, however it ends.
   */
  readonly stopSignal?: 'SIGINT';
  /** When it has ended by itself, whatever it started and left behind is ended too, wherever it has gone. */
  readonly leavesNothing?: true;
  /** Whoever runs may know any secret of the runner's environment; unless stated, only those among its variables. */
  readonly mayKnow?: 'all';
  /** Where the logs pass through a process of ours, no more than so much of each is taken. */
  readonly mostLogBytes?: number;
  /** Pipes that lead to the logs; unless stated, the command writes straight into the files. */
  readonly through?: LogPipes;
}

export interface LogPipes {
  /** Absolute paths of pipes that somebody reads from. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when what was written before this call is in the logs; asked for when the command is over. */
  drained(): Promise<void>;
}

/** How a command ended by itself or by a signal. Whether that is a timeout is known to who ended it. */
export type CommandExit =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly failure: Failure };

export interface RunningCommand {
  readonly exit: Promise<CommandExit>;
  /** Ends the whole process group: SIGTERM first (or the `stopSignal`), SIGKILL for what is left after the grace period. */
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

/** Fails with a `FailureError`, now or at the next call. */
export interface JournalWriter {
  /**
   * When this returns, the events are in the file and survive the death of the runner. The disk follows within
   * milliseconds. A dead machine can only lose the last records together, so whatever is built on a record is never
   * remembered without it.
   */
  append(events: readonly RecordedEvent[]): readonly JournalEntry[];
  /** Resolves when everything appended so far survives the death of the machine; for what cannot be done again. */
  flushed(): Promise<void>;
  /** The same at once, before anything else happens; for what must not be undone before it is known for good. */
  flushNow(): void;
  /** Called once, when writing in the background fails. */
  onFailure(listener: (error: FailureError) => void): void;
  close(): Promise<void>;
}

/** Read-only questions about the project's files. All paths are relative to the project folder. */
export interface Files {
  /** Undefined when there is no such file. */
  stamp(path: string): FileStamp | undefined;
  /** sha256 of the content; `stamp` lets an unchanged file be believed without reading it. */
  digest(path: string): string;
  /**
   * Reads those of these files that are so long that `digest` would keep everything waiting, and hears a stop meanwhile: it
   * then fails with `cancelled`. A digest that follows knows what was read, while the file is as it was. True: there was such a file.
   */
  readAhead?(paths: readonly string[], stop: AbortSignal): Promise<boolean>;
  /**
   * The stamp under which the digest just given may be believed by later runs, without reading the file again. Undefined
   * for files that are small, that a journal has told of as outputs, or that were changed a moment ago.
   */
  lastingStamp?(path: string): FileStamp | undefined;
  /** Which file it really is, and since when; undefined when there is none. */
  origin?(path: string): FileOrigin | undefined;
  /** Files that match, sorted; a folder's name stands for everything in it. */
  expand(patterns: readonly string[]): readonly string[];
  /** The files as they are at this moment, each looked at once; for one decision, or for many while nothing runs. */
  still?(): Files;
  /**
   * The same, shared by all who ask within one turn of the loop, when nobody has been able to do anything in between; until somebody asks for what is there by now
   * (`still`), because it has just been written.
   */
  recent?(): Files;
}

/** What no `touch` and no other name changes about a file. */
export interface FileOrigin {
  /** The same for all names of one file, and for links that lead to it. */
  readonly id: string;
  /** When it was made; unknown where the disk does not tell. Writing it anew in place does not change it. */
  readonly bornNs?: bigint;
  /** It is reached through a link, or has other names. */
  readonly isLinked: boolean;
}

/** What a behaviour may do to the project's files. Paths are relative to the project folder and may not leave it. */
export interface Workspace {
  /** Absolute. */
  readonly root: string;
  readFile(path: string): Promise<string>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
}

/** Where one attempt leaves its logs. */
export interface AttemptFolder {
  /** Absolute. */
  readonly dir: string;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Nothing was in it when it was opened, a moment ago. */
  readonly isNew?: true;
  log(line: string): void;
}

/** Calls back when neither log grew for `idleMs`; returns how to stop watching. */
export type IdleWatch = (folder: AttemptFolder, idleMs: number, onIdle: () => void) => () => void;

/** Shows a run while it happens. Never decides anything; a reporter that throws is a bug. */
export interface Reporter {
  runStarted(plan: Plan, info: RunInfo): void;
  /** The plan has more tasks from here on. */
  planExtended(plan: Plan): void;
  recorded(entry: JournalEntry): void;
  ephemeral(event: EphemeralEvent): void;
  /** Takes a live view away, so that somebody can be asked in its place. */
  pause?(): Promise<void>;
  resume?(): void;
  /** Waits for what is still to be drawn. */
  close(): Promise<void>;
}

/** Told of what takes long while it is done; cheap enough to be called for each of many things. */
export interface Progress {
  at(step: ProgressStep): void;
}

export interface ProgressStep {
  /** `reading data.csv`. */
  readonly what: string;
  readonly done: number;
  /** Unknown when absent. */
  readonly total?: number;
  /** Things unless stated. */
  readonly unit?: 'bytes';
}

export interface RunInfo {
  readonly run: string;
  /** Absolute path of the run's folder. */
  readonly dir: string;
  readonly jobs: number;
  readonly resumed: boolean;
  /** Options that the next command needs too, with a space before them. */
  readonly again?: string;
  /** From the request to stop until what still runs is killed; a view counts it down. */
  readonly graceMs?: number;
  /** The last line that a running task wrote, read when a view wants to show it. */
  lastLine(task: string): string | undefined;
  /** The last lines of a task's logs, for a view that shows why it failed. */
  tail?(task: string): readonly string[];
  /** The run as an earlier process left it, when it goes on. No event tells again of what it finished. */
  readonly earlier?: RunState;
  /** How long tasks of this stage took in earlier runs (the median); undefined when none has passed yet. */
  earlierMs?(stage: string): number | undefined;
}
