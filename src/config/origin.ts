import { type Pointer, pointerOf, pointerPath } from '../model/pointer.js';
import type { Layer } from './layer.js';
import { isAppend, isMap } from './merge.js';

/** Which layer a value of the merged config came from, and where it stands in that layer. */
export interface Origin {
  readonly layer: Layer;
  readonly pointer: Pointer;
}

/** A part of one layer that contributes to the value being looked at. */
interface Share {
  readonly layer: Layer;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * Follows a pointer down through all layers at once, by the rules of `mergeLayers`. Nothing is recorded while merging:
 * most values are never asked about. Of a value with several authors the topmost one is named.
 */
export function originOf(layers: readonly Layer[], pointer: Pointer): Origin | undefined {
  let shares: readonly Share[] = layers.map((layer) => ({ layer, path: [], value: layer.value })).reverse();
  for (const part of pointerPath(pointer)) {
    const top = shares[0]?.value;
    shares = isMap(top) && !isAppend(top) ? inMap(shares, part) : inList(shares, part);
  }
  const [top] = shares;
  return top ? { layer: top.layer, pointer: pointerOf(...top.path) } : undefined;
}

/** Where a value was written, when what variables gave has moved it. */
export function writtenAt(pointer: Pointer, moved: ReadonlyMap<Pointer, Pointer>): Pointer {
  if (moved.size === 0) return pointer;
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    const from = moved.get(pointer.slice(0, end));
    if (from !== undefined) return from + pointer.slice(end);
  }
  return pointer;
}

/** Topmost first, down to the layer that hides everything below it. */
function inMap(shares: readonly Share[], key: string): Share[] {
  const found: Share[] = [];
  for (const { layer, path, value } of shares) {
    if (!isMap(value) || !Object.hasOwn(value, key)) continue;
    const child = value[key];
    if (child === null || (found.length > 0 && !addsTo(found.at(-1)?.value, child))) break;
    found.push({ layer, path: [...path, key], value: child });
  }
  return found;
}

/** Whether something of the lower value is left under the upper one. */
function addsTo(upper: unknown, lower: unknown): boolean {
  if (isAppend(upper)) return isAppend(lower) || Array.isArray(lower);
  return isMap(upper) && isMap(lower) && !isAppend(lower);
}

function inList(shares: readonly Share[], part: string): Share[] {
  let index = Number(part);
  for (const share of shares.toReversed()) {
    const items = isAppend(share.value) ? share.value.$append : share.value;
    if (!Array.isArray(items)) return [];
    if (index < items.length) {
      const path = [...share.path, ...(isAppend(share.value) ? ['$append'] : []), index];
      return [{ layer: share.layer, path, value: items[index] }];
    }
    index -= items.length;
  }
  return [];
}
