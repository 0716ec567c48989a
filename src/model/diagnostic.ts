import type { DiagnosticCode } from './catalogue/catalogue.js';
import type { Pointer } from './pointer.js';

/**
 * Wrong words in a file, found before anything runs. A diagnostic says where by an address inside the resolved config;
 * `config/locate` turns the address into a file, a line and a column, and `report/` alone turns it into text.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** One sentence without a full stop at its end: what is wrong. */
  readonly message: string;
  /** How to mend it, as an imperative sentence without a full stop at its end. */
  readonly hint?: string;
  readonly at?: Address;
  /** Other places that take part, such as the first writer of an output. */
  readonly related?: readonly { readonly message: string; readonly at: Address }[];
}

/** Where a diagnostic points: into the merged config, straight into a file, or at the command line. */
export type Address =
  | {
      readonly kind: 'config';
      readonly pointer: Pointer;
      /** Point at the key instead of the value (unknown and misplaced keys). */
      readonly key?: boolean;
      /** Part of a string value, as offsets into the string: `[start, end)`. */
      readonly within?: readonly [start: number, end: number];
    }
  | { readonly kind: 'file'; readonly file: string; readonly range?: TextRange; readonly pointer?: Pointer }
  | { readonly kind: 'argument'; readonly argument: string };

/** Offsets into a file's text: `[start, end)`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** An address that has been looked up in the files. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly pointer?: Pointer;
  readonly line?: number;
  readonly column?: number;
  /** The whole source line and the part of it to underline (columns, end exclusive). */
  readonly text?: string;
  readonly endColumn?: number;
}

export interface LocatedDiagnostic extends Diagnostic {
  readonly place?: Place;
  readonly relatedPlaces?: readonly { readonly message: string; readonly place?: Place }[];
}
