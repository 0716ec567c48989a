import type { Diagnostic, TextRange } from './diagnostic.js';
import type { Pointer } from './pointer.js';

/** A config file that has been read: its data, and where each value stands in its text. */
export interface Document {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** Further files of the project that it was made from; absolute paths. */
  readonly imports?: readonly string[];
  /** What is wrong although the data could be read, a key written twice, say: the rest can be looked at, and nothing may run. */
  readonly mistakes?: readonly Diagnostic[];
  /** Undefined when the value does not stand in this file as such (a TypeScript constant from elsewhere, say). */
  locate(pointer: Pointer, what: 'key' | 'value'): TextRange | undefined;
}
