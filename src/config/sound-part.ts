import type { Diagnostic } from '../model/diagnostic.js';
import type { Config } from '../model/generated/config.js';
import { isJsonObject } from '../model/json.js';
import { type Pointer, pointerOf, pointerPath, valueAt } from '../model/pointer.js';
import { validateConfig } from './validate.js';

/** What is left of a config when everything that is wrong in its shape is taken out. */
export interface SoundPart {
  readonly config: Config;
  readonly removed: readonly Removed[];
}

export interface Removed {
  readonly pointer: Pointer;
  readonly value: unknown;
}

/**
 * The part of a config that can still be looked at for other mistakes, so that a person hears of all of them at once.
 * Undefined where too little is left to say anything of.
 */
export async function soundPart(value: object, mistakes: readonly Diagnostic[]): Promise<SoundPart | undefined> {
  const part = structuredClone(value) as Record<string, unknown>;
  const removed: Removed[] = [];
  for (let found: readonly Diagnostic[] = mistakes, round = 0; round < mostRounds; round++) {
    for (const { at } of found) if (at?.kind === 'config') takeOut(part, at.pointer, removed);
    part.name ??= 'unnamed';
    if (!isJsonObject(part.stages) || Object.keys(part.stages).length === 0) return undefined;
    const valid = await validateConfig(part);
    if (valid.ok) return { config: valid.value, removed };
    found = valid.error;
  }
  return undefined;
}

/** What lacks a key goes as a whole, and that may leave a key missing further out. */
const mostRounds = 4;

function takeOut(part: object, pointer: Pointer, removed: Removed[]): void {
  const path = pointerPath(pointer);
  // A list goes as a whole: otherwise places after the gap would no longer be where they are in the file.
  const list = path.findIndex((_, length) => Array.isArray(valueAt(part, pointerOf(...path.slice(0, length)))));
  const whole = list < 0 ? path : path.slice(0, list);
  const key = whole.at(-1);
  const place = valueAt(part, pointerOf(...whole.slice(0, -1)));
  if (key === undefined || !isJsonObject(place) || !Object.hasOwn(place, key)) return;
  removed.push({ pointer: pointerOf(...whole), value: place[key] });
  delete (place as Record<string, unknown>)[key];
}
