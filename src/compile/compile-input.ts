import type { Config, Gate } from '../model/generated/config.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';
import type { Progress } from '../model/ports.js';
import type { TaskSource } from '../model/stage.js';
import type { IterationNames } from '../model/state/iteration-state.js';
import type { TaskFiles } from './expand/expand-tasks.js';

/** Everything a plan is made from. */
export interface CompileInput {
  /** Checked against the schema already. */
  readonly config: Config;
  /** By what stages `use`, as written. A behaviour that could not be loaded is missing here and was complained about. */
  readonly behaviours: ReadonlyMap<string, LoadedBehaviour>;
  readonly agentId: string;
  /** The files of the project that the config was read from; relative to its folder. */
  readonly ownFiles?: readonly string[];
  /** Variables that the user's own file or `--set` defines; only these can be left unused by mistake. */
  readonly userVars: ReadonlySet<string>;
  /** The models whose prices the user's own file states; likewise. */
  readonly userPrices: ReadonlySet<string>;
  /** The agents that the user's own file declares; likewise. */
  readonly userAgents: ReadonlySet<string>;
  /** The agents whose backend was `auto` and has been looked up. */
  readonly autoAgents?: ReadonlySet<string>;
  /** The stage whose task file is what it will be in this run; those of others may still be made by a stage. */
  readonly settled?: string;
  /** Reads task files; absent: there are none. */
  taskFiles?(source: TaskSource): Promise<TaskFiles>;
  /** Stages that everything waits for which they do not wait for themselves. */
  readonly first?: ReadonlySet<string>;
  /** In autonomous mode: what a human gate is instead. */
  readonly standIn?: Gate;
  /** In autonomous mode, when nothing says what a human gate is instead. */
  readonly nobodyAsked?: boolean;
  /** The iteration that the plan is for, in a study with `iterate`; the first unless stated. */
  readonly iteration?: IterationNames;
  /** Recordings answer instead of all agents. */
  readonly replay?: boolean;
  readonly progress?: Progress;
}
