/**
 * The world said no while something ran. Plain data, because it goes into the journal.
 * A new code does not compile until `exit-code.ts` gives it a number and `report/failure-text.ts` gives it words.
 */
export type Failure =
  | { readonly code: 'command-failed'; readonly exitCode: number }
  | { readonly code: 'command-killed'; readonly signal: string }
  | { readonly code: 'command-not-found'; readonly command: string }
  | { readonly code: 'command-not-started'; readonly detail: string }
  | { readonly code: 'timed-out'; readonly afterMs: number }
  | { readonly code: 'idle-timed-out'; readonly afterMs: number }
  | { readonly code: 'output-missing'; readonly outputs: readonly string[] }
  | { readonly code: 'output-empty'; readonly outputs: readonly string[] }
  | { readonly code: 'output-not-written'; readonly outputs: readonly string[] }
  | { readonly code: 'output-invalid'; readonly output: string; readonly detail: string }
  | { readonly code: 'input-missing'; readonly inputs: readonly string[] }
  | { readonly code: 'behaviour-failed'; readonly detail: string }
  | { readonly code: 'behaviour-crashed'; readonly detail: string }
  | { readonly code: 'cancelled'; readonly signal: string }
  | { readonly code: 'disk-full'; readonly file: string }
  | { readonly code: 'not-writable'; readonly file: string; readonly detail: string }
  | { readonly code: 'journal-corrupt'; readonly file: string; readonly line: number; readonly detail: string }
  | { readonly code: 'run-not-found'; readonly run: string }
  | {
      readonly code: 'plan-mismatch';
      readonly expected: string;
      readonly actual: string;
      readonly changes: readonly string[];
    }
  | { readonly code: 'locked'; readonly holder: string; readonly file: string };

export type FailureCode = Failure['code'];

/** Carries a failure through code that throws, such as a port; caught where the attempt or the command ends. */
export class FailureError extends Error {
  /** The bundle may hold this class more than once, so what it carries counts, not which class made it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'FailureError' && 'failure' in value;
  }

  constructor(readonly failure: Failure) {
    super('detail' in failure ? failure.detail : failure.code);
    this.name = 'FailureError';
  }
}
