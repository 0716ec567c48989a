import type { Address, TextRange } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import type { Params } from '../model/generated/params.js';
import { type Pointer, pointerOf, pointerPath } from '../model/pointer.js';

/** What only a preset has: it is about the preset, and not part of the config that it helps to make. */
export interface PresetParts {
  readonly summary?: string;
  readonly params?: Params;
  readonly variants?: Variants;
}

/** Parameter → one of its values → the part of a config that this value adds. */
export type Variants = { readonly [param: string]: { readonly [value: string]: { readonly [key: string]: unknown } } };

/** One file, or the `--set` options, that contributes to a config. */
export interface Layer extends PresetParts {
  /** How people know it: a path relative to where they are, `autoresearch:NAME`, a package, or `--set`. */
  readonly name: string;
  readonly document: Document;
  /** The document's data without `extends`, which says which layers there are and is not itself merged. */
  readonly value: { readonly [key: string]: unknown };
  /** The entry of the study's `extends` that brought a preset along. */
  readonly entry?: Address;
}

/** A place in a layer's own file, whatever the layers above it say. */
export function addressIn(document: Document, pointer: Pointer, what: 'key' | 'value' = 'value'): Address {
  const range = rangeIn(document, pointer, what);
  return { kind: 'file', file: document.file, pointer, ...(range ? { range } : {}) };
}

/** Where a value stands, or else its key, or else the nearest thing around it that has a name. */
export function rangeIn(document: Document, pointer: Pointer, what: 'key' | 'value'): TextRange | undefined {
  if (pointer === '') return undefined;
  const value = what === 'value' ? document.locate(pointer, 'value') : undefined;
  if (value && value.end > value.start) return value;
  const key = document.locate(pointer, 'key');
  if (key && key.end > key.start) return key;
  return rangeIn(document, pointerOf(...pointerPath(pointer).slice(0, -1)), 'key');
}
