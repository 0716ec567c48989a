import { lstatSync, readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../model/json.js';

export type ReplyLook =
  | { readonly kind: 'none' | 'growing' }
  | { readonly kind: 'whole'; readonly reply: JsonObject }
  | { readonly kind: 'garbage' };

/**
 * A file in which a program that goes on running leaves its reply, perhaps piece by piece. It counts once it is a whole
 * JSON object and two looks found the same; what stays something else for long is no reply and never becomes one.
 */
export class ReplyFile {
  readonly #path: string;
  #seen: { readonly stamp: string; readonly at: number } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  look(now: number): ReplyLook {
    const { stamp, size, plain } = this.#stamp();
    if (stamp === undefined) {
      this.#seen = undefined;
      return { kind: 'none' };
    }
    if (this.#seen?.stamp !== stamp) {
      this.#seen = { stamp, at: now };
      return { kind: 'growing' };
    }
    const reply = plain && size <= mostBytes ? this.#read() : undefined;
    if (reply) return { kind: 'whole', reply };
    return { kind: now - this.#seen.at >= garbageMs ? 'garbage' : 'growing' };
  }

  /** Not through links, and not from pipes: reading one would wait for ever. */
  #stamp(): { readonly stamp?: string; readonly size: number; readonly plain: boolean } {
    const found = lstatSync(this.#path, { throwIfNoEntry: false });
    if (!found) return { size: 0, plain: false };
    const { size, mtimeMs, ino } = found;
    return { stamp: `${ino} ${size} ${mtimeMs}`, size, plain: found.isFile() };
  }

  #read(): JsonObject | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return isJsonObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** A reply is short. */
const mostBytes = 1 << 20;

const garbageMs = 5000;
