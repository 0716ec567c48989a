import type { Json } from '../../model/json.js';

/**
 * What an agent answered, with a sign in place of what no file and no commit can hold: a zero byte, and half of a surrogate pair, which
 * would be read back as something else.
 */
export function wellFormed<Value extends Json | undefined>(value: Value): Value {
  if (typeof value === 'string') return value.replace(unholdable, '\ufffd') as Value;
  if (Array.isArray(value)) return value.map((item: Json) => wellFormed(item)) as Json as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, wellFormed(item as Json)])) as Value;
}

const unholdable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
