import type { Scalar } from './options.js';

/** One combination of the values of `each`: `{arm: cosine, seed: 11}`. */
export type Key = { readonly [name: string]: Scalar };

/** All combinations, the last name varying fastest; one without a name where there is no `each`. */
export function keysOf(each: { readonly [name: string]: readonly Scalar[] } = {}): Key[] {
  let keys: Key[] = [{}];
  for (const [name, values] of Object.entries(each))
    keys = keys.flatMap((key) => values.map((value) => ({ ...key, [name]: value })));
  return keys;
}

/** Puts the values of a combination in the place of `{name}`; a text that is nothing else keeps the kind of the value. */
export function filled<T extends Scalar | undefined>(text: T, key: Key): T {
  if (typeof text !== 'string') return text;
  const whole = /^\{(\w+)\}$/.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(key, whole)) return key[whole] as T;
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(key, name) ? String(key[name]) : all)) as T;
}

/** Names in braces that no value stands for. */
export const unknownNames = (text: string, each: object = {}): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => !Object.hasOwn(each, name));

/** `arm=cosine,seed=11`; nothing for the only one. */
export const keyText = (key: Key): string =>
  Object.entries(key)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
