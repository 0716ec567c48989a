import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { ToolRefusal } from './call-end.js';
import { isGuarded, partsOf, realParts, realPartsToWrite } from './confined-path.js';
import { withFolder } from './open-folder.js';

export interface ConfinedOptions {
  /** Whether a path may be written, relative to the root, links resolved. */
  inScope(path: string): boolean;
  /** Absolute folders that belong to the call itself and are not to be written. */
  readonly ownFolders: readonly string[];
  /** Told before a file is changed; throws to end the call. */
  changing(path: string): void;
}

export interface FileText {
  readonly bytes: Buffer;
  /** Of the whole file; more than was read when it is large. */
  readonly size: number;
}

/** The files below one folder, and no others. Every path is the model's own and nothing about it is believed. */
export class ConfinedFiles {
  readonly #root: string;
  readonly #roots: readonly string[];
  readonly #options: ConfinedOptions;

  constructor(cwd: string, options: ConfinedOptions) {
    this.#root = realpathSync(cwd);
    this.#roots = [cwd, this.#root];
    this.#options = options;
  }

  /** The beginning of a file, up to `most` bytes. */
  read(path: string, most: number): FileText {
    const parts = realParts(this.#root, this.#nonEmpty(path), path);
    return this.#at(parts, (file) => readRegular(file, { shown: path, most }));
  }

  /** Of the name itself: a link is a link. */
  stat(path: string): Stats {
    const parts = partsOf(path, this.#roots);
    const folder = realParts(this.#root, parts.slice(0, -1), path);
    return this.#at([...folder, ...parts.slice(-1)], (file) => lstatSync(file));
  }

  list(path: string): readonly Dirent[] {
    const parts = realParts(this.#root, partsOf(path, this.#roots), path);
    return withFolder(this.#root, { parts }, (folder) => readdirSync(folder.at(''), { withFileTypes: true }));
  }

  /** Nobody ever sees half a file, and what other names the old one had keep it. */
  write(path: string, content: string): void {
    const parts = realPartsToWrite(this.#root, this.#nonEmpty(path), path);
    const real = parts.join('/');
    this.#refuseGuarded(parts, path);
    if (!this.#options.inScope(real)) throw new ToolRefusal(`${path} is not among the files you may write`);
    this.#existing(parts, path);
    this.#options.changing(real);
    withFolder(this.#root, { parts: parts.slice(0, -1), create: true }, (folder) => {
      const [target, temporary] = [
        folder.at(parts.at(-1)!),
        folder.at(`.autoresearch-${randomUUID().slice(0, 8)}.tmp`),
      ];
      const old = regularOrNone(target, path);
      try {
        const fd = openSync(temporary, createFlags, 0o666);
        try {
          writeFileSync(fd, content);
          if (old) fchmodSync(fd, old.mode & 0o777);
        } finally {
          closeSync(fd);
        }
        folder.check();
        renameSync(temporary, target);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    });
  }

  #nonEmpty(path: string): string[] {
    const parts = partsOf(path, this.#roots);
    if (parts.length === 0) throw new ToolRefusal('a file is needed, not the folder itself');
    return parts;
  }

  #at<T>(parts: readonly string[], work: (file: string) => T): T {
    return withFolder(this.#root, { parts: parts.slice(0, -1) }, (folder) => work(folder.at(parts.at(-1) ?? '')));
  }

  #refuseGuarded(parts: readonly string[], path: string): void {
    const file = [this.#root, ...parts].join(sep);
    // A call that works in its own folder, or below it, could write nothing at all.
    const own = this.#options.ownFolders.some(
      (folder) => folder !== this.#root && isBelow(this.#root, folder) && isBelow(folder, file),
    );
    if (isGuarded(parts) || own)
      throw new ToolRefusal(`${path} belongs to git or to the runner and is not to be written`);
  }

  /** Before anything is counted or made: a link, a folder or a device is not replaced. */
  #existing(parts: readonly string[], path: string): void {
    try {
      this.#at(parts, (file) => regularOrNone(file, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Without waiting, because opening a pipe would wait for somebody to write. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const isBelow = (folder: string, file: string): boolean => {
  const inner = relative(folder, file);
  return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
};

function regularOrNone(file: string, shown: string): Stats | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new ToolRefusal(`${shown} is ${kindOf(stat)}, not a plain file`);
  return stat;
}

function readRegular(file: string, { shown, most }: { readonly shown: string; readonly most: number }): FileText {
  // Asked before it is opened, because opening alone can do something to a device.
  const before = lstatSync(file);
  if (!before.isFile()) throw new ToolRefusal(`${shown} is ${kindOf(before)}, not a plain file`);
  const fd = openSync(file, readFlags);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new ToolRefusal(`${shown} is ${kindOf(stat)}, not a plain file`);
    const bytes = Buffer.alloc(Math.min(stat.size, most));
    let read = 0;
    for (let got = 1; got > 0 && read < bytes.length; read += got)
      got = readSync(fd, bytes, read, bytes.length - read, read);
    return { bytes: bytes.subarray(0, read), size: stat.size };
  } finally {
    closeSync(fd);
  }
}

export function kindOf(stat: Stats | Dirent): string {
  if (stat.isFile()) return 'a file';
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  if (stat.isFIFO()) return 'a pipe';
  if (stat.isSocket()) return 'a socket';
  return 'a device';
}
