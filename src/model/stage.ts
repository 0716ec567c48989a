import type { MustHaves } from './agents/must-haves.js';
import type { Published } from './agents/published.js';
import type { ReplyForm, ReplyForms } from './agents/reply.js';
import type { TaskPart } from './agents/task-item.js';
import type { Failure } from './failure.js';
import type { FileFacts } from './files/file-facts.js';
import type { Json, JsonObject } from './json.js';
import type { JsonSchema, OptionsOf } from './json-schema.js';
import type { Description } from './plan.js';
import type { JobEnd, JobWish, OnlyJob, StageParameters } from './stage-job.js';
import type { TextMatch } from './text-match.js';
import type { Values } from './value.js';
import type { ValueSource } from './value-source.js';

export type { FileFacts } from './files/file-facts.js';

/**
 * The plug-in contract: a behaviour says what it takes, what it would do, and does it.
 * It never retries, prompts, prints or times itself out; the runner does that for all behaviours alike.
 */
export interface Behaviour<Options = JsonObject> {
  readonly name: string;
  /** One line for `stages list`. */
  readonly summary: string;
  /** Raise it when the behaviour does something else for the same options; finished tasks become stale. */
  readonly version: string;
  /**
   * JSON Schema of `with`. `"format": "shell"` marks text for a shell: templates quote the values they put into it.
   * `"format": "expression"` marks text for `evaluate`, or a dotted path in it: the variables that it names are used.
   */
  readonly options: JsonSchema;
  /**
   * The task files that make many tasks of a stage. Its behaviour is then asked three times: about the list, about each
   * task, about all of them together (`part`).
   */
  expands?(options: Options): TaskSource;
  /** Pure: what `run` would do, as data. Feeds `plan`, dry runs and the protected-path check. */
  describe(options: Options, stage: StageFacts): Description;
  /** Pure: the one job that `run` hands over when all goes well, so that others can queue behind it. Absent: not one alone. */
  submits?(options: Options): OnlyJob | undefined;
  /** Pure: the names of all numbers that `run` may record, so that a misspelt one is found before anything runs. Absent, or undefined: not known beforehand. */
  records?(options: Options): readonly string[] | undefined;
  run(options: Options, context: StageContext): Promise<StageResult>;
  /**
   * What has to hold once more when work that was done in a worktree meets what others have merged meanwhile: the tests.
   * Absent: nothing can be looked at again.
   */
  recheck?(options: Options, context: StageContext): Promise<StageResult>;
}

/** Where the tasks of a stage are written down. */
export interface TaskSource {
  /** Paths and globs. */
  readonly from: readonly string[];
  /** Ids of tasks that are done elsewhere and may be depended on. */
  readonly done?: readonly string[];
}

/** What a behaviour is told about its stage when it describes itself. */
export interface StageFacts {
  readonly task: string;
  readonly stage: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly matrix: { readonly [name: string]: Json };
  readonly vars: { readonly [name: string]: Json };
  /** Globs that an agent of the stage may write; absent: anything in the project. */
  readonly scope?: readonly string[];
  /** What the task is, where a task file makes many of a stage. */
  readonly part?: TaskPart;
  /** The name of the stage's agent. */
  readonly agent?: string;
  /** Who mends in this stage, as `retry.fix` says: the name of an agent, or a command. */
  readonly fixer?: string;
}

/** All effects of a behaviour go through here. Paths are relative to the project folder, as inputs and outputs are. */
export interface StageContext extends StageFacts {
  readonly attempt: number;
  /** Absolute path of the project folder, or of the worktree in its place. */
  readonly root: string;
  /** Absolute path of the folder that commands run in. */
  readonly cwd: string;
  /** Aborted on timeout and interrupt. Commands started here are ended by the runner. */
  readonly signal: AbortSignal;
  /** Runs a program to its end; output goes to the attempt's logs. Text goes through `sh -c`, a list does not. */
  command(run: string | readonly string[], options: CommandOptions & { readonly capture: true }): Promise<PrintedEnd>;
  command(run: string | readonly string[], options?: CommandOptions): Promise<CommandEnd>;
  /** Asks the stage's agent, until its reply has the form asked for, at most three times. Sessions, limits and money are the runner's. */
  ask<Form extends ReplyForm>(wish: AgentWish<Form>): Promise<AgentEnd<Form>>;
  /** Hands work to the stage's cluster and waits for its end, also over the end of this runner. Jobs of one attempt go one after another. */
  job(wish: JobWish): Promise<JobEnd>;
  readonly parameters: StageParameters;
  /**
   * Lets whoever `retry.fix` names mend something, for behaviours that look again at what they found. How often is for the
   * behaviour to bound, and to say in `fixes` of its description.
   */
  mend(wish: MendWish): Promise<AgentEnd<'work'>>;
  /** The failed attempt before this one, and what a person or a judge wants changed. */
  readonly trouble?: PastTrouble;
  readonly feedback?: string;
  /** Files of the project that match, sorted. */
  listFiles(patterns: readonly string[]): readonly string[];
  /** Those of these paths that match a pattern, as `scope` and `inputs` do. */
  matching(patterns: readonly string[], paths: readonly string[]): Promise<readonly string[]>;
  readFile(path: string): Promise<string>;
  /** Whether a regular expression is found in a text. One that takes too long is no answer. */
  finds(pattern: string, text: string): Reading<boolean>;
  /** What a PLAN.md or tasks.yaml says must be true in the end; the words for what is wrong with the file. */
  readMustHaves(path: string): Promise<MustHavesReading>;
  /** What is known of a file of the project; undefined when there is none. */
  fileFacts(path: string): FileFacts | undefined;
  /** sha256 of a file of the project; undefined when there is none. */
  digest(path: string): string | undefined;
  /** Everything in a text that a regular expression fits; `^` and `$` are the ends of lines. One that takes too long is no answer. */
  matches(pattern: string, text: string): Reading<readonly TextMatch[]>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  /** Reads JSON or YAML as plain data, strictly: a key written twice, NaN or a number too large to be exact is no data. */
  parseData(text: string, form: 'json' | 'yaml'): Promise<Reading<Json>>;
  /** Reads values from a file of any known form, or from a command that prints them. Python is loaded in a process of its own. */
  readValues(wish: ValuesWish): Promise<ValuesEnd>;
  /** Works out a CEL expression over these names. What is neither true nor false, or cannot be worked out, is no answer. */
  evaluate(expression: string, names: JsonObject): Promise<Reading<boolean>>;
  /** How a JSON or YAML file does not satisfy the JSON Schema in another file; undefined when it does. */
  schemaProblem(path: string, schema: string): Promise<string | undefined>;
  /** Renders a Handlebars text strictly: an unknown name throws. */
  render(template: string, data: JsonObject): Promise<string>;
  /** Draws a Vega-Lite specification that has its data in it; no file and no address is read. */
  drawFigure(spec: JsonObject, wish: FigureWish): Promise<Reading<Drawing>>;
  /** Adds a line to the attempt's log and shows it as the current line of the task. */
  log(line: string): void;
}

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export interface FigureWish {
  readonly formats: readonly ('svg' | 'pdf' | 'png')[];
  /** Pixels of the PNG for each of the SVG. */
  readonly scale: number;
}

/** The forms that were asked for. */
export interface Drawing {
  readonly svg?: string;
  readonly pdf?: Uint8Array;
  readonly png?: Uint8Array;
  /** What the library had to say about the specification. */
  readonly warnings: readonly string[];
}

export interface ValuesWish {
  readonly from: ValueSource;
  /** The names that are asked for, `*` for any part: Python prints no others, so that no log holds them. */
  readonly names: readonly string[];
  /** `python3` unless stated. */
  readonly python?: string;
}

/** `failure`: a command failed; `why`: it was read, and what it holds cannot be used. */
export type ValuesEnd =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly why: string }
  | { readonly ok: false; readonly failure: Failure };

export interface CommandOptions {
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** Gives back what it printed, besides writing it to the logs. Such a command has the attempt's logs to itself while it runs. */
  readonly capture?: boolean;
}

/** What a behaviour wants of its agent. How to answer is added to the prompt. */
export interface AgentWish<Form extends ReplyForm = ReplyForm> {
  readonly prompt: string;
  readonly reply: Form;
  /** `read`: a file that changes meanwhile is a violation. */
  readonly access: 'read' | 'write';
  readonly helpers?: number;
}

/** What is to be mended. */
export interface MendWish {
  /** What is wrong, in one line. */
  readonly what: string;
  readonly prompt: string;
}

export type MustHavesReading =
  | { readonly ok: true; readonly mustHaves: MustHaves }
  | { readonly ok: false; readonly problems: readonly string[] };

export type AgentEnd<Form extends ReplyForm> =
  | {
      readonly ok: true;
      readonly reply: ReplyForms[Form];
      /** What really changed in the project while it worked. */
      readonly files: readonly string[];
      /** In a worktree, what is there and would be in no commit, so that it is out of the way until the attempt is over; folders end with a slash. */
      readonly unkept?: readonly string[];
    }
  | { readonly ok: false; readonly failure: Failure };

export interface PastTrouble {
  readonly attempt: number;
  readonly what: string;
  readonly errorClass: string;
  /** The most telling lines of what the attempt wrote. */
  readonly lines: readonly string[];
}

export type CommandEnd = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };

/** How a captured command ended. `exitCode` is absent when it did not end by itself. */
export type PrintedEnd = CommandEnd & Printed & { readonly exitCode?: number };

/** What a command wrote. Values of secrets are taken out. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** There was more than a megabyte, and only the last of it is here; or somebody shortened the log. */
  readonly isCut: boolean;
}

export type StageResult = Published &
  (
    | {
        readonly ok: true;
        readonly summary?: string;
        /** What somebody has to know although the task passed: goes into logs/errors.log and the journal. */
        readonly warnings?: readonly string[];
        /** What came of it, where that is no file: dependants are spared when the same comes of it again. */
        readonly product?: string;
      }
    | { readonly ok: false; readonly failure: Failure }
  );

/** A behaviour as its author writes it: the options' type follows from their schema. */
export interface StageDefinition<Schema extends JsonSchema> {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly options: Schema;
  expands?(options: OptionsOf<Schema>): TaskSource;
  describe(options: OptionsOf<Schema>, stage: StageFacts): Description;
  submits?(options: OptionsOf<Schema>): OnlyJob | undefined;
  records?(options: OptionsOf<Schema>): readonly string[] | undefined;
  run(options: OptionsOf<Schema>, context: StageContext): Promise<StageResult>;
  recheck?(options: OptionsOf<Schema>, context: StageContext): Promise<StageResult>;
}
