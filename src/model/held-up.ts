/** Why a job is not in its scheduler's hands. */
export interface HeldUp {
  /** What the scheduler's programs said. */
  readonly detail: string;
  /** `no`: there surely is no job. Whoever does not know for certain says `unknown`. */
  readonly submitted: 'no' | 'unknown';
  /** Until when it is tried again; absent when it is submitted anew at once. ISO 8601. */
  readonly until?: string;
}

/** `not submitted yet: sbatch exited with 1: …; tried again until 14:05:00`. A person reads the time on their own clock. */
export function heldUpWords({ detail, submitted, until }: HeldUp): string {
  const what = submitted === 'no' ? 'not submitted yet' : 'perhaps not submitted';
  return `${what}: ${detail}; ${until === undefined ? 'tried again' : `tried again until ${clockTime(until)}`}`;
}

function clockTime(iso: string): string {
  const at = new Date(iso);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
