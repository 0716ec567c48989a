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
  readonly env: NodeJS.ProcessEnv;
}

export interface Output {
  write(text: string): void;
  readonly color: boolean;
  readonly isTty: boolean;
  columns(): number;
  rows(): number;
}
