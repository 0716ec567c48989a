import type { JsonSchema } from '../../model/json-schema.js';
import { typeOfValue, typesOf } from './schema-words.js';

/** Which alternative of an `anyOf` or `oneOf` was meant. */
export type BranchChoice =
  /** These could have been meant; none: the type fits no alternative. */
  | { readonly kind: 'branches'; readonly indexes: readonly number[] }
  /** A key tells the alternatives apart, and its value is missing or none of those allowed. */
  | { readonly kind: 'tag'; readonly tag: string; readonly allowed: readonly unknown[] };

export function chooseBranch(branches: readonly JsonSchema[], value: unknown): BranchChoice {
  const indexes = branches.flatMap((branch, index) => (accepts(branch, value) ? [index] : []));
  const tag = indexes.length > 1 ? tagOf(indexes.map((index) => branches[index]!)) : undefined;
  if (tag === undefined || typeof value !== 'object' || value === null) return { kind: 'branches', indexes };
  const written = (value as Record<string, unknown>)[tag];
  const meant = indexes.filter((index) => tagValue(branches[index]!, tag) === written);
  if (meant.length > 0) return { kind: 'branches', indexes: meant };
  return { kind: 'tag', tag, allowed: indexes.map((index) => tagValue(branches[index]!, tag)) };
}

function accepts(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  const type = typeOfValue(value);
  return types === undefined || types.includes(type) || (type === 'number' && types.includes('integer'));
}

/** A key that every alternative fixes to a value of its own. */
function tagOf(branches: readonly JsonSchema[]): string | undefined {
  const names = Object.keys((branches[0]?.properties ?? {}) as object);
  return names.find((name) => branches.every((branch) => tagValue(branch, name) !== undefined));
}

function tagValue(branch: JsonSchema, name: string): unknown {
  const properties = (branch.properties ?? {}) as Record<string, JsonSchema>;
  return Object.hasOwn(properties, name) ? properties[name]?.const : undefined;
}
