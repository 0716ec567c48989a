import type { Config } from '../model/generated/config.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';

/** Everything a plan is made from. */
export interface CompileInput {
  /** Checked against the schema already. */
  readonly config: Config;
  /** By what stages `use`, as written. A behaviour that could not be loaded is missing here and was complained about. */
  readonly behaviours: ReadonlyMap<string, LoadedBehaviour>;
  readonly agentId: string;
  /** Variables that the user's own file or `--set` defines; only these can be left unused by mistake. */
  readonly userVars: ReadonlySet<string>;
}
