/** A JSON Schema (draft-07) as a behaviour's author writes it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The type that a schema describes. Covers what option schemas use: objects, arrays, scalars, enum, const, anyOf and
 * oneOf. Anything else is `unknown`, which a behaviour has to check for itself.
 */
export type OptionsOf<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
      ? A extends unknown
        ? OptionsOf<A>
        : never
      : S extends { readonly type: 'string' }
        ? string
        : S extends { readonly type: 'number' | 'integer' }
          ? number
          : S extends { readonly type: 'boolean' }
            ? boolean
            : S extends { readonly type: 'array' }
              ? readonly (S extends { readonly items: infer I } ? OptionsOf<I> : unknown)[]
              : S extends { readonly type: 'object' }
                ? ObjectOf<S>
                : unknown;

type Properties<S> = S extends { readonly properties: infer P } ? P : Record<never, never>;
type RequiredNames<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type ObjectOf<S> = {
  readonly [K in keyof Properties<S> as K extends RequiredNames<S> ? K : never]: OptionsOf<Properties<S>[K]>;
} & {
  readonly [K in keyof Properties<S> as K extends RequiredNames<S> ? never : K]?: OptionsOf<Properties<S>[K]>;
} & (S extends { readonly additionalProperties: infer A }
    ? A extends false
      ? unknown
      : { readonly [key: string]: A extends true ? unknown : OptionsOf<A> }
    : unknown);
