import { createHash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openPlainFile } from './vault-file.js';
import { stampsOf } from './vault-kept.js';

/**
 * Many small copies in one file, one after another: `<digest> <size>`, a newline, the bytes. To make a file costs up to a
 * millisecond, and an agent may be kept from writing in thousands of them. Like any copy, one is believed only after it was
 * read; what cannot be read as a pack holds nothing.
 */
export class VaultPacks {
  readonly #folder: string;
  readonly #name: string;
  readonly #places = new Map<string, Place[]>();
  readonly #scanned = new Set<string>();
  #own: OwnPack | undefined;
  #packs = 0;

  /** `name` is nobody else's. */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  add(digest: string, bytes: Buffer): void {
    const own = this.#own ?? this.#begin();
    const head = Buffer.from(`${digest} ${bytes.length}\n`);
    try {
      // At once, so that there is either all of it or something that is no copy.
      const all = Buffer.concat([head, bytes]);
      for (let done = 0; done < all.length; ) done += writeSync(own.fd, all, done);
      own.stamps = stampsOf(fstatSync(own.fd, { bigint: true }));
    } catch (error) {
      // Nothing is written behind half a copy.
      closeSync(own.fd);
      this.#own = undefined;
      throw error;
    }
    this.#note(digest, { file: own.file, offset: own.length + head.length, size: bytes.length });
    own.length += head.length + bytes.length;
  }

  /** The packs that may have it. `isOurs`: we wrote it, and nobody has touched the pack since. */
  look(digest: string): readonly { readonly stamps: string; readonly isOurs: boolean }[] {
    return this.#of(digest).flatMap(({ file }) => {
      const stamps = stampsAt(file);
      return stamps === undefined ? [] : [{ stamps, isOurs: this.#own?.file === file && this.#own.stamps === stamps }];
    });
  }

  /** The bytes, when some pack has them right, and the stamps that it had before it was read. */
  read(digest: string): { readonly bytes: Buffer; readonly stamps: string } | undefined {
    for (const place of this.#of(digest)) {
      const stamps = stampsAt(place.file);
      const bytes = stamps === undefined ? undefined : readAt(place);
      if (bytes && createHash('sha256').update(bytes).digest('hex') === digest) return { bytes, stamps: stamps! };
    }
    return undefined;
  }

  #begin(): OwnPack {
    this.#packs += 1;
    const file = join(this.#folder, `pack.${this.#name}.${this.#packs}`);
    rmSync(file, { recursive: true, force: true });
    this.#scanned.add(file);
    this.#own = { file, fd: openSync(file, 'wx', 0o400), length: 0, stamps: '' };
    return this.#own;
  }

  /** Where it may be: in a pack of ours, or of another process that was here before. */
  #of(digest: string): readonly Place[] {
    const known = this.#places.get(digest);
    if (known) return known;
    for (const name of namesIn(this.#folder)) {
      const file = join(this.#folder, name);
      if (!name.startsWith('pack.') || this.#scanned.has(file)) continue;
      this.#scanned.add(file);
      for (const [found, place] of placesIn(file)) this.#note(found, place);
    }
    return this.#places.get(digest) ?? [];
  }

  #note(digest: string, place: Place): void {
    this.#places.set(digest, [place, ...(this.#places.get(digest) ?? [])]);
  }
}

/** Whoever took the folder away has taken the copies, and nothing else. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface Place {
  readonly file: string;
  readonly offset: number;
  readonly size: number;
}

interface OwnPack {
  readonly file: string;
  readonly fd: number;
  length: number;
  /** As we left it. */
  stamps: string;
}

function* placesIn(file: string): Generator<[string, Place]> {
  const fd = opened(file);
  if (fd === undefined) return;
  try {
    const head = Buffer.alloc(headLength);
    for (let at = 0; ; ) {
      const read = readSync(fd, head, 0, head.length, at);
      const [line, digest, size] = /^([0-9a-f]{64}) (\d{1,15})\n/.exec(head.toString('latin1', 0, read)) ?? [];
      if (line === undefined) return;
      yield [digest!, { file, offset: at + line.length, size: Number(size) }];
      at += line.length + Number(size);
    }
  } finally {
    closeSync(fd);
  }
}

function stampsAt(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? stampsOf(stats) : undefined;
}

const headLength = 64 + 1 + 15 + 1;

function readAt({ file, offset, size }: Place): Buffer | undefined {
  const fd = opened(file);
  if (fd === undefined) return undefined;
  try {
    // A forged head must not make us take all memory.
    if (offset + size > fstatSync(fd).size) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    for (let done = 0; done < size; ) {
      const read = readSync(fd, bytes, done, size - done, offset + done);
      if (read === 0) return undefined;
      done += read;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** Undefined: it is gone, or no plain file. */
function opened(file: string): number | undefined {
  try {
    return openPlainFile(file);
  } catch {
    return undefined;
  }
}
