export interface FailureWords {
  /** What happened, in one line without a full stop: `exited with code 2`. */
  readonly what: string;
  /** What to do about it, as a sentence without a full stop. */
  readonly next: string;
}
