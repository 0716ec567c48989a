import type { Json } from '../model/json.js';
import type { Task } from '../model/plan.js';
import type { AttemptFolder, Clock, CommandRunner, Files, IdleWatch, Workspace } from '../model/ports.js';
import type { Behaviour } from '../model/stage.js';

/** What an attempt needs from the outside. */
export interface AttemptPorts {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  readonly files: Files;
  readonly workspace: Workspace;
  readonly watchIdle: IdleWatch;
  openAttempt(task: Task, attempt: number): AttemptFolder;
  /** Undefined: the file satisfies the schema. Otherwise the words that say how it does not. */
  checkSchema(file: string, schema: string): Promise<string | undefined>;
  render(template: string, data: { readonly [name: string]: Json }): Promise<string>;
}

export interface AttemptInput {
  readonly task: Task;
  readonly behaviour: Behaviour;
  readonly attempt: number;
  readonly run: string;
  readonly vars: { readonly [name: string]: Json };
  /** Aborted when the run is told to stop; the reason is the signal's name. */
  readonly stop: AbortSignal;
  /** Aborted when it is told a second time. */
  readonly kill: AbortSignal;
}
