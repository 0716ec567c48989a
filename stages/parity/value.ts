import type { Value } from 'autoresearch';

/** The same value of the same kind. NaN equals nothing, and neither does what has no value; 3e-4 is 0.0003. */
export function same(a: Value, b: Value): boolean {
  if (typeof a === 'number' || isDigits(a)) return sameNumber(a, b);
  if (typeof a !== 'object' || a === null) return a === b;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]!));
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a.map);
  return (
    keys.length === Object.keys(b.map).length &&
    keys.every((key) => b.map[key] !== undefined && same(a.map[key]!, b.map[key]))
  );
}

function sameNumber(a: number | { readonly digits: string }, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  const [one, other] = [exact(a), exact(b)];
  return one !== undefined && one === other;
}

const exact = (value: Value): bigint | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return isDigits(value) ? BigInt(value.digits) : undefined;
};

export const isMap = (value: Value): value is { readonly map: { readonly [key: string]: Value } } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'map' in value;

const isDigits = (value: Value): value is { readonly digits: string } =>
  typeof value === 'object' && value !== null && 'digits' in value;

/** As a person would write it; text has quotes, so that 42 and "42" look as different as they are. */
export function shown(value: Value | undefined): string {
  if (value === undefined) return '(missing)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (isMap(value))
    return `{${Object.entries(value.map)
      .map(([key, item]) => `${key}: ${shown(item)}`)
      .join(', ')}}`;
  return 'digits' in value ? value.digits : `(a ${(value as { other: string }).other})`;
}

/** What sort of value it is, for a person who looks for the difference between 42 and "42". */
export function kindOf(value: Value): string {
  if (value === null) return 'nothing';
  if (typeof value === 'number' || isDigits(value)) return 'a number';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true or false';
  return Array.isArray(value) ? 'a list' : isMap(value) ? 'a map' : 'an object';
}

/** Why a value cannot be equal to any other, not even to itself. */
export function flaw(value: Value): string | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN is no value' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return first(value.map(flaw));
  if (isMap(value)) return first(Object.values(value.map).map(flaw));
  return 'other' in value ? 'it has no value that could be compared' : undefined;
}

const first = (flaws: readonly (string | undefined)[]): string | undefined => flaws.find((one) => one !== undefined);
