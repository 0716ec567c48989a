import type { Progress } from '../model/ports.js';

/** What every command gets: the checked command line and the outside world. */
export interface CliContext {
  readonly cwd: string;
  readonly configFile?: string;
  readonly agentId: string;
  readonly set: readonly string[];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  /** The value of an option that is given at most once. */
  value(name: string): string | undefined;
  /** All values of a list option. */
  values(name: string): readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  readonly progress: WaitingProgress;
  readonly env: NodeJS.ProcessEnv;
}

/** Shown at a terminal to whoever has waited for long. */
export interface WaitingProgress extends Progress {
  /** Somebody else shows what goes on, until `goOn`. */
  hold(): void;
  goOn(): void;
}

export interface Output {
  write(text: string): void;
  readonly color: boolean;
  readonly isTty: boolean;
  columns(): number;
  rows(): number;
}
