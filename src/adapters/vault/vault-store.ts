import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ReadFile, readPlainFile } from './vault-file.js';
import { stampsOf } from './vault-kept.js';
import { VaultPacks } from './vault-packs.js';

/**
 * Copies by digest. Whoever works in the project may know where they are and may be allowed to write there, so a copy
 * is believed only after it was read, and small ones are also held in memory, where nobody else gets at them.
 */
export class VaultStore {
  private readonly folder: string;
  private readonly held = new Map<string, Buffer>();
  private heldBytes = 0;
  /** Copies that were read and found right, with the stamps they had. */
  private readonly checked = new Map<string, string>();
  private drafts = 0;
  private readonly own = randomUUID();
  private readonly packs: VaultPacks;

  constructor(dir: string) {
    this.folder = join(dir, 'copies');
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if (!lstatSync(this.folder).isDirectory()) throw new Error(`${this.folder} is no folder`);
    chmodSync(this.folder, 0o700);
    this.packs = new VaultPacks(this.folder, this.own);
  }

  /** `packed`: together with others in one file, where there may be thousands. */
  keepBytes(digest: string, bytes: Buffer, how: 'alone' | 'packed' = 'alone'): void {
    this.hold(digest, bytes);
    if (this.isSound(digest)) return;
    if (how === 'packed') this.packs.add(digest, bytes);
    else this.write(digest, (fd) => writeAll(fd, bytes));
  }

  /** For files too large to be held: read once more, and it must still be the same. */
  keepFile(digest: string, file: string | Buffer): void {
    if (this.isSound(digest)) return;
    this.write(digest, (fd) => {
      const read = copyPlainFile(file, fd);
      if (read.digest !== digest) throw new Error(`${file} changes while it is kept`);
    });
  }

  /** Whether there is a copy on the disk that is what it should be. Read only when its stamps are new. */
  isSound(digest: string): boolean {
    const file = this.fileOf(digest);
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (!stats?.isFile()) return this.isSoundInPack(digest);
    if (this.checked.get(digest) === stampsOf(stats)) return true;
    return this.isRight(digest);
  }

  private isSoundInPack(digest: string): boolean {
    const found = this.packs.look(digest);
    const known = this.checked.get(digest);
    return found.some(({ isOurs, stamps }) => isOurs || stamps === known) || (found.length > 0 && this.isRight(digest));
  }

  /** Read now, whatever was known of it. */
  isRight(digest: string): boolean {
    this.checked.delete(digest);
    try {
      const read = readPlainFile(this.fileOf(digest));
      if (read.digest === digest) {
        this.checked.set(digest, stampsOf(read.stats));
        return true;
      }
    } catch {
      // Then it is in a pack, or nowhere.
    }
    const packed = this.packs.read(digest);
    if (packed) this.checked.set(digest, packed.stamps);
    return packed !== undefined;
  }

  /** All bytes of a copy, checked; undefined when there is none that is right. Ask the size before. */
  bytesOf(digest: string): Buffer | undefined {
    const held = this.held.get(digest);
    if (held) return held;
    try {
      let pieces: Buffer[] = [];
      const begin = (): void => {
        pieces = [];
      };
      const { digest: found } = readPlainFile(this.fileOf(digest), (piece) => pieces.push(Buffer.from(piece)), begin);
      if (found === digest) return Buffer.concat(pieces);
    } catch {
      // Then it is in a pack, or nowhere.
    }
    return this.packs.read(digest)?.bytes;
  }

  /** Writes the copy; false when what was written is not what it should be, or there is nothing to write. */
  copyTo(digest: string, fd: number): boolean {
    const file = this.fileOf(digest);
    const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
    const bytes = this.held.get(digest) ?? (isFile ? undefined : this.packs.read(digest)?.bytes);
    if (bytes) writeAll(fd, bytes);
    if (bytes || !isFile) return bytes !== undefined;
    return copyPlainFile(file, fd).digest === digest;
  }

  private fileOf(digest: string): string {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`'${digest}' is no digest`);
    return join(this.folder, digest);
  }

  private hold(digest: string, bytes: Buffer): void {
    if (this.held.has(digest) || this.heldBytes + bytes.length > mostHeld) return;
    this.held.set(digest, bytes);
    this.heldBytes += bytes.length;
  }

  /** What stands at the name, and is not right, makes way. */
  private write(digest: string, fill: (fd: number) => void): void {
    this.drafts += 1;
    const draft = join(this.folder, `draft.${this.own}.${this.drafts}`);
    try {
      const fd = openSync(draft, 'wx', 0o400);
      try {
        fill(fd);
      } finally {
        closeSync(fd);
      }
      const file = this.fileOf(digest);
      if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) rmSync(file, { recursive: true, force: true });
      renameSync(draft, file);
      this.checked.set(digest, stampsOf(lstatSync(file, { bigint: true })));
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }
}

const mostHeld = 32 << 20;

/** A second try begins at the start again. */
function copyPlainFile(file: string | Buffer, fd: number): ReadFile {
  let offset = 0;
  const begin = (): void => {
    ftruncateSync(fd);
    offset = 0;
  };
  const add = (piece: Buffer): void => {
    writeAll(fd, piece, offset);
    offset += piece.length;
  };
  return readPlainFile(file, add, begin);
}

function writeAll(fd: number, bytes: Buffer, at = 0): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}
