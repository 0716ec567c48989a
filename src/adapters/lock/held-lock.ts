import { closeSync, existsSync, fdatasync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Clock } from '../../model/ports.js';
import { type CancelRequest, takeRequest } from './cancel-request.js';
import { type Holder, inodeOf, readLock, recordOf } from './lock-file.js';

export interface HeldLockOptions {
  readonly file: string;
  /** Open for writing; it leads to the lock even when the lock has been moved. */
  readonly fd: number;
  readonly holder: Holder;
  readonly clock: Clock;
  onLost?(): void;
  onCancel?(now: boolean): void;
}

/** The lock in the hands of its holder: gives signs of life, notices its loss, and listens for requests to stop. */
export class HeldLock {
  #options: HeldLockOptions;
  #holder: Holder;
  readonly #inode: string;
  #looks = 0;
  #lookedAt: number;
  #state: 'held' | 'lost' | 'released' = 'held';
  #cancelTimer: () => void;

  constructor(options: HeldLockOptions) {
    this.#options = options;
    this.#holder = options.holder;
    this.#inode = inodeOf(options.fd);
    this.#lookedAt = options.clock.now();
    this.#cancelTimer = options.clock.after(lookEveryMs, () => this.#look());
  }

  /** Says which run it is for. */
  name(run: string): void {
    this.#holder = { ...this.#holder, run };
    this.#write();
  }

  /** Looks at the disk. */
  isMine(): boolean {
    const lock = readLock(this.#options.file);
    return lock?.holder?.token === this.#holder.token && lock.inode === this.#inode;
  }

  /**
   * Throws `lock-lost` when the lock is known to be lost. Called before anything that only the holder may do, and looks
   * at the disk when the last look is a while ago: a machine that slept wakes in the middle of its work.
   */
  check(): void {
    if (Math.abs(this.#options.clock.now() - this.#lookedAt) > 2 * lookEveryMs) this.#see();
    if (this.#state === 'lost') throw new FailureError({ code: 'lock-lost', file: this.#options.file });
  }

  release(): void {
    if (this.#state === 'released') return;
    this.#cancelTimer();
    try {
      if (this.isMine()) unlinkSync(this.#options.file);
    } catch {
      // It stays, and counts as dead as soon as this process is.
    }
    this.#state = 'released';
    closeSync(this.#options.fd);
  }

  #look(): void {
    this.#see();
    if (this.#state !== 'held') return;
    const request = this.#request();
    this.#looks += 1;
    if (this.#looks % looksPerBeat === 0) this.#beat();
    this.#cancelTimer = this.#options.clock.after(lookEveryMs, () => this.#look());
    if (request?.token === this.#holder.token) this.#options.onCancel?.(request.now);
  }

  #see(): void {
    if (this.#state !== 'held') return;
    this.#lookedAt = this.#options.clock.now();
    try {
      // A state folder that is gone altogether took the journal with it, which says so better.
      if (this.isMine() || !existsSync(dirname(this.#options.file))) return;
    } catch {
      // A disk that does not answer is not a lost lock. When it answers again, we shall see.
      return;
    }
    this.#state = 'lost';
    this.#cancelTimer();
    this.#options.onLost?.();
  }

  #request(): CancelRequest | undefined {
    try {
      return takeRequest(dirname(this.#options.file));
    } catch {
      return undefined;
    }
  }

  /** The server of a shared disk stamps the file when the bytes reach it, hence the flush, which nobody waits for. */
  #beat(): void {
    try {
      this.#write();
      fdatasync(this.#options.fd, () => {});
    } catch {
      // Others will see how old the last sign of life is.
    }
  }

  #write(): void {
    writeSync(this.#options.fd, recordOf(this.#holder), 0, undefined, 0);
  }
}

/** Cheap enough not to be noticed: one small file is read. */
const lookEveryMs = 2000;
/** A sign of life every ten seconds. */
const looksPerBeat = 5;
