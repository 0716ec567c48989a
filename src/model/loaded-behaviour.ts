import type { DiagnosticCode } from './catalogue/catalogue.js';
import type { Pointer } from './pointer.js';
import type { Behaviour } from './stage.js';

/** A behaviour that has been found and loaded, together with what only its loader knows. */
export interface LoadedBehaviour {
  readonly behaviour: Behaviour;
  /** Digest of its name, version and code; another one makes finished tasks stale. */
  readonly digest: string;
  /** Absolute: its code and what that imports, where it is the user's own. */
  readonly files?: readonly string[];
  /** Checks options, after templates, against the behaviour's schema. An empty list: they fit. */
  validate(options: unknown): readonly OptionIssue[] | Promise<readonly OptionIssue[]>;
}

/** One mistake in the options of a stage. */
export interface OptionIssue {
  readonly code: DiagnosticCode;
  /** Inside the options: `''` is the whole of `with`. */
  readonly pointer: Pointer;
  /** Point at the key instead of the value. */
  readonly key?: boolean;
  readonly message: string;
  readonly hint?: string;
}
