import type { DiagnosticCode } from './catalogue/catalogue.js';

/** What is wrong inside one string. Whoever knows where the string stands makes a `Diagnostic` of it. */
export interface TextProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
  /** Offsets into the string: `[start, end)`. */
  readonly within?: readonly [start: number, end: number];
}
