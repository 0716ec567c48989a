/** A value as a file or a program has it. What JSON cannot hold is kept apart: a whole number of any length, NaN, and things without a value. */
export type Value =
  | null
  | boolean
  | string
  | number
  | readonly Value[]
  | { readonly map: { readonly [key: string]: Value } }
  | { readonly digits: string }
  | { readonly other: string };

/** Everything that a file or a program says, by dotted path: maps are taken apart, lists are values. */
export type Values = ReadonlyMap<string, Value>;
