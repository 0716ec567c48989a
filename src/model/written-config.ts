import type { Config } from './generated/config.js';

/**
 * A config as a person writes it: parts may come from a preset, `null` removes what a preset brought, and
 * `{ $append: […] }` adds to its list. What a run works with is the merged and checked `Config`.
 */
export type WrittenConfig = Written<Config>;

type Written<T> = T extends readonly (infer Item)[]
  ? readonly Item[] | { readonly $append: readonly Item[] }
  : T extends object
    ? { readonly [Key in keyof T]?: Written<T[Key]> | null }
    : T;
