import type { TextRange } from './diagnostic.js';
import type { Pointer } from './pointer.js';

/** A config file that has been read: its data, and where each value stands in its text. */
export interface Document {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** Undefined when the value does not stand in this file as such (a TypeScript constant from elsewhere, say). */
  locate(pointer: Pointer, what: 'key' | 'value'): TextRange | undefined;
}
