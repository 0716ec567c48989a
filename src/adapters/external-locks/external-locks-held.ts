import { closeSync, lstatSync, rmSync, writeSync } from 'node:fs';
import type { Clock } from '../../model/ports.js';
import { type Holder, inodeOf, recordOf } from '../lock/lock-file.js';

export interface ExternalLockParts {
  /** The name under which it is ours: that of the lock, or of one that follows a dead lock. */
  readonly file: string;
  /** Open for writing. */
  readonly fd: number;
  readonly holder: Holder;
  readonly clock: Clock;
  onLost(): void;
}

/**
 * An external lock in the hands of its holder: gives signs of life and notices its loss. Not a `HeldLock`, which listens for
 * requests to stop in the folder of the lock: here anybody could put one.
 */
export class ExternalLock {
  readonly #parts: ExternalLockParts;
  #state: 'held' | 'lost' | 'released' = 'held';
  #cancelTimer: () => void;

  constructor(parts: ExternalLockParts) {
    this.#parts = parts;
    this.#cancelTimer = parts.clock.after(beatMs, () => this.#beat());
  }

  release(): void {
    if (this.#state === 'released') return;
    this.#cancelTimer();
    try {
      if (this.#isMine()) rmSync(this.#parts.file, { force: true });
    } catch {
      // It stays, and counts as dead as soon as this process is.
    }
    this.#state = 'released';
    closeSync(this.#parts.fd);
  }

  #beat(): void {
    if (this.#state !== 'held') return;
    if (this.#isLost()) {
      this.#state = 'lost';
      this.#parts.onLost();
      return;
    }
    this.#cancelTimer = this.#parts.clock.after(beatMs, () => this.#beat());
    const { fd, holder } = this.#parts;
    try {
      writeSync(fd, recordOf(holder), 0, undefined, 0);
    } catch {
      // Others will see how old the last sign of life is.
    }
  }

  #isLost(): boolean {
    try {
      return !this.#isMine();
    } catch {
      // A disk that does not answer is not a lost lock.
      return false;
    }
  }

  /** What is in it does not matter: it is rewritten with the next sign of life. */
  #isMine(): boolean {
    const { file, fd } = this.#parts;
    const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return found !== undefined && `${found.dev}:${found.ino}` === inodeOf(fd);
  }
}

/** Others give up a holder that they cannot ask for after six of them. */
const beatMs = 10_000;
