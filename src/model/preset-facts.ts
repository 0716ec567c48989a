import type { Params } from './generated/params.js';

/** What somebody wants to know of a preset before using it. */
export interface PresetFacts {
  /** How a config calls it: `autoresearch:NAME`, a path or a package. */
  readonly entry: string;
  /** Absolute. */
  readonly file: string;
  /** One line. */
  readonly summary: string;
  /** The whole first comment, without its marks. */
  readonly comment: string;
  /** Those of the presets it builds on come first. */
  readonly params: Params;
  readonly stages: { readonly [name: string]: { readonly [key: string]: unknown } };
  readonly agents: { readonly [name: string]: { readonly [key: string]: unknown } };
}
