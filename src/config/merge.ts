import type { Diagnostic } from '../model/diagnostic.js';
import { type Pointer, pointerLabel, pointerOf } from '../model/pointer.js';
import { didYouMean } from '../source/did-you-mean.js';
import { showValue } from '../source/schema/schema-words.js';
import { addressIn, type Layer } from './layer.js';

export type ConfigMap = { readonly [key: string]: unknown };

export interface Merged {
  readonly value: ConfigMap;
  readonly diagnostics: readonly Diagnostic[];
  /** Where a mistake was found; what is said about the same place later would only follow from it. */
  readonly faulty: ReadonlySet<Pointer>;
}

/**
 * Puts layers on top of each other, lowest first. Maps merge by key, lists and scalars replace, `null` removes, and
 * `{ $append: […] }` adds to the list below. Inside lists nothing is merged. Inputs are not changed.
 */
export function mergeLayers(layers: readonly Pick<Layer, 'document' | 'value'>[]): Merged {
  const faulty = new Set<Pointer>();
  const diagnostics: Diagnostic[] = [];
  let value: ConfigMap = {};
  for (const [index, layer] of layers.entries()) {
    const merger = new Merger(layer.document, index === 0);
    value = merger.map(index === 0 ? undefined : value, layer.value);
    diagnostics.push(...merger.diagnostics);
    for (const pointer of merger.faulty) faulty.add(pointer);
  }
  return { value, diagnostics, faulty };
}

export const isMap = (value: unknown): value is ConfigMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{ $append: … }`, also with other keys beside it, which is a mistake. */
export const isAppend = (value: unknown): value is { readonly $append: unknown } =>
  isMap(value) && Object.hasOwn(value, '$append');

class Merger {
  readonly diagnostics: Diagnostic[] = [];
  readonly faulty: Pointer[] = [];
  readonly #path: string[] = [];

  constructor(
    readonly layer: Layer['document'],
    readonly lowest: boolean,
  ) {}

  /** Answers `upper` itself where nothing below it matters and nothing in it is a marker, so that most is not copied. */
  map(lower: ConfigMap | undefined, upper: ConfigMap): ConfigMap {
    let result: Record<string, unknown> | undefined = lower ? { ...lower } : undefined;
    for (const key of Object.keys(upper)) {
      const written = upper[key];
      const below = lower && Object.hasOwn(lower, key) ? lower[key] : undefined;
      this.#path.push(key);
      const value = written === null ? this.#remove(below, lower) : this.#value(below, written);
      this.#path.pop();
      if (!result && value === written) continue;
      result ??= { ...upper };
      if (value === undefined) delete result[key];
      else setOwn(result, key, value);
    }
    return result ?? upper;
  }

  #value(below: unknown, written: unknown): unknown {
    if (isAppend(written)) return this.#append(below, written);
    return isMap(written) ? this.map(isMap(below) ? below : undefined, written) : written;
  }

  #remove(below: unknown, siblings: ConfigMap | undefined): undefined {
    if (below !== undefined) return undefined;
    const key = this.#path.at(-1) ?? '';
    const label = pointerLabel(pointerOf(...this.#path));
    const hint = siblings ? didYouMean(key, Object.keys(siblings)) : undefined;
    const message = this.lowest ? `${label} has no value` : `there is no ${label} below this layer to remove`;
    const fallback = 'Give it a value, or take it out: null removes what a preset sets';
    return this.#complain(message, hint ?? fallback);
  }

  #append(below: unknown, written: { readonly $append: unknown }): unknown {
    const label = pointerLabel(pointerOf(...this.#path));
    const others = Object.keys(written).filter((key) => key !== '$append');
    if (others.length > 0) {
      return this.#complain(
        `${label} has "$append" beside other keys`,
        'Keep "$append" alone, or write the whole value',
      );
    }
    const added = written.$append;
    if (!Array.isArray(added)) {
      return this.#complain(`${label}.$append must be a list, but is ${showValue(added)}`, 'Write a list');
    }
    if (!Array.isArray(below)) {
      const what = below === undefined ? 'there is nothing below' : `what is below is ${showValue(below)}, not a list`;
      return this.#complain(`${label} cannot be appended to: ${what}`, 'Write the list itself instead of "$append"');
    }
    return [...below, ...added];
  }

  #complain(message: string, hint: string): undefined {
    const pointer = pointerOf(...this.#path);
    this.faulty.push(pointer);
    this.diagnostics.push({ code: 'AR109', message, hint, at: addressIn(this.layer, pointer, 'key') });
    return undefined;
  }
}

/** Assignment would set the prototype for the key `__proto__`. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}
