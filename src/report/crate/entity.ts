import type { Json } from '../../model/json.js';
import type { Plan } from '../../model/plan.js';
import type { RunFacts } from '../history/run-facts.js';

/** An entity of JSON-LD. */
export interface Entity {
  readonly '@id': string;
  readonly '@type': string | readonly string[];
  readonly [name: string]: Json;
}

export interface CrateFile {
  /** In the crate, and from the project folder. */
  readonly path: string;
  readonly digest?: string;
  readonly size?: number;
  readonly what?: string;
}

export const ref = (id: string): { readonly '@id': string } => ({ '@id': id });

/** With the offset written out: readers of the profile take it that way. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00');

/** A path as a relative address. */
export const idOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** What goes into a crate besides its metadata. */
export interface CrateContent {
  readonly facts: RunFacts;
  readonly plan: Plan;
  readonly tool: string;
  /** Inputs, results and what was written about the run, as they lie in the crate. */
  readonly files: readonly CrateFile[];
  /** Files of the run that cannot be brought along, and why. */
  readonly missing: readonly CrateFile[];
  /** The name of the licence file among `files`, or an address. */
  readonly license?: string;
}

/** What autoresearch adds has a folder of its own in the crate: a study may have files of any name. */
export const ownFolder = 'autoresearch-run';
export const workflowFile = `${ownFolder}/plan.json`;
