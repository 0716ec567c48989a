import type { Json } from '../model/json.js';
import type { Value, Values } from '../model/value.js';

export const fromJson = (json: Json): Value => {
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== 'object' || json === null) return json as Value;
  return { map: mapped(json as { [key: string]: Json }, (key) => key, fromJson) };
};

/** What `python-script.ts` printed: `$int`, `$float` and `$other` are marks, a key that begins with `$` has one more. */
export const fromPython = (json: Json): Value => {
  if (Array.isArray(json)) return json.map(fromPython);
  if (typeof json !== 'object' || json === null) return json as Value;
  const object = json as { [key: string]: Json };
  if (typeof object.$int === 'string') return { digits: object.$int };
  if (typeof object.$float === 'string') return floats[object.$float] ?? { other: object.$float };
  if (typeof object.$other === 'string') return { other: object.$other };
  return { map: mapped(object, (key) => (key.startsWith('$') ? key.slice(1) : key), fromPython) };
};

const floats: { readonly [text: string]: number } = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };

/** No prototype: a parameter may be called `constructor`. */
function mapped(
  object: { readonly [key: string]: Json },
  name: (key: string) => string,
  convert: (json: Json) => Value,
): { [key: string]: Value } {
  const map: { [key: string]: Value } = Object.create(null);
  for (const key of Object.keys(object)) map[name(key)] = convert(object[key]!);
  return map;
}

export const isMap = (value: Value): value is { readonly map: { readonly [key: string]: Value } } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'map' in value;

/** A text says why it cannot be taken apart. */
export function flattened(value: Value): Values | string {
  if (!isMap(value)) return 'it holds no names with values';
  const found = new Map<string, Value>();
  const doubled: string[] = [];
  const take = (each: Value, path: string): void => {
    if (isMap(each) && Object.keys(each.map).length > 0) {
      for (const [key, inner] of Object.entries(each.map)) take(inner, path === '' ? key : `${path}.${key}`);
      return;
    }
    if (found.has(path)) doubled.push(path);
    found.set(path, each);
  };
  for (const [key, each] of Object.entries(value.map)) take(each, key);
  return doubled.length > 0 ? `two of its values are called ${doubled.join(', ')}` : found;
}
