/** What a run ran on. */
export interface Machine {
  /** The version of Node. */
  readonly node: string;
  /** `linux x64`. */
  readonly platform: string;
  readonly processors: number;
  readonly memoryGb: number;
}

export interface DiskMoment {
  /** What time it was for the disk that the run is kept on, in nanoseconds: what is older was there before. */
  readonly diskNs?: string;
}
