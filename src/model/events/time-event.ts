/** The run is at work. Written from time to time where time is limited, so that a killed runner does not give it back. */
export interface TimeRecorded {
  readonly type: 'time-recorded';
  /** When the next one is due; a runner that dies before counts as having worked as long. */
  readonly everyMs: number;
}
