import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';

/**
 * A folder that stays the one that was opened, whatever happens to its name meanwhile: what is in it is reached through
 * its descriptor. Names and paths are `latin1`, a character for each byte, so that names that are no text are kept.
 */
export class OpenFolder {
  readonly #fd: number;
  readonly #path: string;

  /** Fails when there is no folder of that name, and when it is a link. */
  constructor(path: string) {
    this.#fd = openSync(bytes(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    // Without /proc only the name itself is safe, not what it hangs on.
    this.#path = hasDescriptors ? `/proc/self/fd/${this.#fd}` : path;
  }

  get fd(): number {
    return this.#fd;
  }

  /** For any call that takes a path. */
  at(name: string): Buffer {
    return bytes(`${this.#path}/${name}`);
  }

  /** All that is mirrored. */
  names(): readonly string[] {
    return this.allNames().filter((name) => !isUnmirrored(name));
  }

  allNames(): readonly string[] {
    return readdirSync(bytes(this.#path), { encoding: 'latin1' }).sort();
  }

  /** False when some folder on the way was swapped for a link while it was being opened. */
  isAt(path: string): boolean {
    return !hasDescriptors || readlinkSync(this.#path, { encoding: 'latin1' }) === path;
  }

  folder(name: string): OpenFolder {
    return new OpenFolder(`${this.#path}/${name}`);
  }

  /** Undefined when there is no such name. */
  look(name: string): Entry | undefined {
    const stats = lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
    return stats && entryOf(stats);
  }

  /** Opens a file to read. Neither waits for the other end of a pipe nor follows a link. */
  read(name: string): number {
    const fd = openSync(this.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
    throw new Error('it is not a file any more');
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export interface Entry {
  /** `other`: pipes, sockets and devices. */
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly size: bigint;
  /** Device and inode. */
  readonly inode: string;
}

export const entryOf = (stats: BigIntStats): Entry => ({
  type: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
  mode: Number(stats.mode) & 0o7777,
  size: stats.size,
  inode: `${stats.dev}:${stats.ino}`,
});

/** What Python and git keep for themselves. */
const isUnmirrored = (name: string): boolean => name === '__pycache__' || name === '.git' || name.endsWith('.pyc');

export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The text as a path of one character for each byte, and back. */
export const fromText = (text: string): string => Buffer.from(text).toString('latin1');
export const toText = (path: string): string => bytes(path).toString();

const hasDescriptors = existsSync('/proc/self/fd');
