import type { CallSignals } from '../../model/agents/agent.js';
import type { ReplyForm } from '../../model/agents/reply.js';
import type { CheckedBare, Failure, MirrorFailure } from '../../model/failure.js';
import type { Guard } from '../../model/files/guard.js';
import type { Isolation } from '../../model/files/isolation.js';
import type { KeepTaskFiles } from '../../model/files/task-file-keeper.js';
import type { LoopFiles } from '../../model/fingerprint.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder, Clock, CommandRunner, Files, IdleWatch, Workspace } from '../../model/ports.js';
import type {
  AgentEnd,
  AgentWish,
  Behaviour,
  MendWish,
  MustHavesReading,
  PastTrouble,
  Printed,
  StageContext,
  ValuesEnd,
  ValuesWish,
} from '../../model/stage.js';
import type { Measured } from '../freshness/measured-by.js';
import type { JobErrand, JobResult, JobSignals } from '../jobs/job-errand.js';
import type { BareChecks } from '../protect/bare-checks.js';
import type { Leftovers, OutputsBefore } from './outputs.js';

export type Held = { readonly ok: true; release(): void } | { readonly ok: false; readonly failure: Failure };

export interface StudyChange {
  /** In one line. */
  readonly what: string;
  readonly files: readonly string[];
  readonly evidence: string;
}

/** A failed attempt as it goes into logs/errors.log. */
export interface LoggedError {
  readonly task: string;
  readonly attempt: number;
  readonly errorClass: string;
  readonly what: string;
  /** The most telling lines of what it wrote. */
  readonly lines: readonly string[];
  /** What follows: another try, a wait, an escalation or nothing. */
  readonly next: string;
  /** Absolute: where its logs are. */
  readonly dir: string;
}

/** The files of a loop, as they are measured. */
export interface Ready extends Required<CheckedBare> {
  readonly given?: LoopFiles;
  /** Why they cannot be. */
  readonly failure?: Failure;
}

/** What an attempt needs from the outside. */
export interface AttemptPorts {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  readonly files: Files;
  readonly workspace: Workspace;
  readonly watchIdle: IdleWatch;
  /** What time it is for the disk that a folder is on, in nanoseconds. `after`: waits until its clock has moved on. */
  diskTime?(folder: AttemptFolder, which: 'now' | 'after'): bigint | undefined;
  /** Puts old outputs of a task out of the way; answers which, and how they come back where nothing took their place. */
  setAside?(task: Task, paths: readonly string[]): { readonly paths: readonly string[]; putBack(): void };
  /** Absent in a study that protects nothing. */
  readonly guard?: Guard;
  /** Of what says what the study is, what has changed since it was asked for the last time, and where it is kept as it was. */
  studyChange?(task: Task): Promise<StudyChange | undefined>;
  /** Holds what the task has to hold alone; answers when it does, or with why it cannot. */
  hold?(task: Task, wait: { readonly run: string; readonly stop: AbortSignal }): Promise<Held>;
  /** What is wrong with the copies that the task has to keep; undefined when nothing is. */
  mirrorFailure?(task: Task, stop: AbortSignal): Promise<MirrorFailure | undefined>;
  /** Gives worktrees; absent in a study that wants none. */
  readonly isolation?: Isolation;
  /** Commits these files of the checkout, and no others; undefined when they are committed already. */
  commitFiles?(
    files: readonly string[],
    message: string,
  ): Promise<{ readonly commit: string; readonly files: readonly string[] } | undefined>;
  /** Keeps task files while a planner may change them; absent where none may. */
  readonly keepTaskFiles?: KeepTaskFiles;
  /** In a loop that puts files back: makes them what is kept of them before a task measures them. `folder`: of the attempt. */
  ready?(task: Task, folder: () => AttemptFolder): Promise<Ready | undefined>;
  openAttempt(task: Task, attempt: number): AttemptFolder;
  /** The folder of an attempt that is over. */
  seeAttempt(task: Task, attempt: number): AttemptFolder;
  /** Makes the folder ahead, while nothing else is to be done; `openAttempt` then finds it. */
  prepareAttempt(task: Task, attempt: number): void;
  /** Takes away what was prepared and never used. */
  discardPrepared(): void;
  /** A folder inside the attempt's own, for what is done about its failure. */
  openFix(task: Task, attempt: number, name: string): AttemptFolder;
  /** Puts prompt and reply of a call where people look for them: beside the logs of the attempt. Never fails. */
  showCall(folder: AttemptFolder, callDir: string): void;
  /** The last lines that an attempt wrote. */
  said(folder: AttemptFolder): { readonly stdout: readonly string[]; readonly stderr: readonly string[] };
  /** Answers later with what has been written to the logs since now, without the values of secrets. */
  printedSince(folder: AttemptFolder): () => Printed;
  /** What happened, in one line. */
  failureWords(failure: Failure): string;
  /** What the commands of a task get of the runner's environment besides what all commands get. */
  passedTo(task: Task): { readonly [name: string]: string };
  /** Takes the secrets that whoever worked in a folder could know out of what was left there. */
  scrub(folder: Pick<AttemptFolder, 'dir'>, known: readonly string[] | 'any'): Promise<void>;
  /** A line in logs/errors.log. Never fails. */
  logError(error: LoggedError): void;
  /** At least 0, less than 1. */
  random(): number;
  /** Undefined: the file satisfies the schema. Otherwise the words that say how it does not. */
  checkSchema(file: string, schema: string): Promise<string | undefined>;
  /** What a PLAN.md or tasks.yaml says must be true in the end. */
  readMustHaves(text: string, file: string): Promise<MustHavesReading>;
  parseData: StageContext['parseData'];
  /** With the commands and files of the stage that asks. */
  readValues(wish: ValuesWish, context: StageContext): Promise<ValuesEnd>;
  evaluate: StageContext['evaluate'];
  drawFigure: StageContext['drawFigure'];
  render(template: string, data: { readonly [name: string]: Json }): Promise<string>;
}

/** Typed loosely here: `stageContext` gives it the type that follows from the form of the reply. */
export type AskForAttempt = (
  wish: AgentWish,
  call: { readonly env: { readonly [name: string]: string }; readonly signals: CallSignals },
) => Promise<AgentEnd<ReplyForm>>;

/** What is to be tried once more, or for the first time. */
export interface Try {
  readonly folder: AttemptFolder;
  readonly attempt: number;
  readonly trouble?: PastTrouble;
  /** What the attempt before it failed of, in this process or an earlier one. */
  readonly failedOf?: Failure['code'];
  readonly leftovers?: Leftovers;
  /** What a gate has sent it back with. */
  readonly feedback?: string;
  /** What it is made from, as one digest. */
  readonly fingerprint?: string;
  readonly ready?: Ready;
}

export type MendForAttempt = (wish: MendWish, call: Parameters<AskForAttempt>[1]) => Promise<AgentEnd<'work'>>;

/** A job as the context of a behaviour hands it on. */
export type JobForAttempt = (
  errand: Omit<JobErrand, 'task' | 'attempt' | 'folder'>,
  signals: JobSignals,
) => Promise<JobResult>;

export interface AttemptInput {
  readonly task: Task;
  readonly behaviour: Behaviour;
  readonly folder: AttemptFolder;
  readonly attempt: number;
  readonly run: string;
  /** When the run began, by the clock of the disk; everything that is older is not of this run. */
  readonly runBeganNs?: bigint;
  /** Files that tasks of the plan measure by. */
  mustBeNew?(): Measured;
  readonly vars: { readonly [name: string]: Json };
  /** Present when nothing has come of it before, so what lies there is not its work. */
  readonly leftovers?: Leftovers;
  /** The failed attempt before this one. */
  readonly trouble?: StageContext['trouble'];
  fileFacts: StageContext['fileFacts'];
  /** What a gate has sent it back with. */
  readonly feedback?: string;
  /** Asks the stage's agent; the environment is that of its commands. */
  ask: AskForAttempt;
  /** Present in a worktree. */
  readonly bare?: BareChecks;
  /** Absent where no task runs on a cluster. */
  job?: JobForAttempt;
  readonly parameters: StageContext['parameters'];
  /** What came of a job, for who checks the outputs and cleans up. */
  jobEnded?(result: JobResult): void;
  /** The outputs as they were when the attempt began. */
  readonly before?: OutputsBefore;
  mend: MendForAttempt;
  /** Aborted when the run is told to stop; the reason is the signal's name. */
  readonly stop: AbortSignal;
  /** Aborted when it is told a second time. */
  readonly kill: AbortSignal;
}
