import type { Failure } from './failure.js';
import type { Json, JsonObject } from './json.js';
import type { Description } from './plan.js';
import type { JsonSchema, OptionsOf } from './json-schema.js';

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
  /** JSON Schema of `with`. `"format": "shell"` marks text for a shell: templates quote the values they put into it. */
  readonly options: JsonSchema;
  /** Pure: what `run` would do, as data. Feeds `plan`, dry runs and the protected-path check. */
  describe(options: Options, stage: StageFacts): Description;
  run(options: Options, context: StageContext): Promise<StageResult>;
}

/** What a behaviour is told about its stage when it describes itself. */
export interface StageFacts {
  readonly task: string;
  readonly stage: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly matrix: { readonly [name: string]: Json };
  readonly vars: { readonly [name: string]: Json };
}

/** All effects of a behaviour go through here. Paths are relative to the project folder, as inputs and outputs are. */
export interface StageContext extends StageFacts {
  readonly attempt: number;
  /** Absolute path of the folder that commands run in. */
  readonly cwd: string;
  /** Aborted on timeout and interrupt. Commands started here are ended by the runner. */
  readonly signal: AbortSignal;
  /** Runs a program to its end; output goes to the attempt's logs. Text goes through `sh -c`, a list does not. */
  command(run: string | readonly string[], options?: CommandOptions): Promise<CommandEnd>;
  readFile(path: string): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  /** Renders a Handlebars text strictly: an unknown name throws. */
  render(template: string, data: JsonObject): Promise<string>;
  /** Adds a line to the attempt's log and shows it as the current line of the task. */
  log(line: string): void;
}

export interface CommandOptions {
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

export type CommandEnd = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };

export type StageResult =
  | { readonly ok: true; readonly summary?: string }
  | { readonly ok: false; readonly failure: Failure };

/** A behaviour as its author writes it: the options' type follows from their schema. */
export interface StageDefinition<Schema extends JsonSchema> {
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  readonly options: Schema;
  describe(options: OptionsOf<Schema>, stage: StageFacts): Description;
  run(options: OptionsOf<Schema>, context: StageContext): Promise<StageResult>;
}
