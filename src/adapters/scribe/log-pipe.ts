import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { SecretFinder } from '../../model/secrets/secret-finder.js';
import { SecretStream } from '../../model/secrets/secret-stream.js';

export interface LogPipeOptions {
  /** A named pipe that nobody has opened yet, and the log that it leads to. */
  readonly pipe: string;
  readonly log: string;
  readonly finder: SecretFinder;
  readonly most: number;
  /** Nobody writes any more, and all of it is in the log. */
  onOver(): void;
  /** The log cannot be written; whoever writes into the pipe is told by the system. */
  onTrouble(error: NodeJS.ErrnoException): void;
}

/**
 * One stream of a command on its way into a log. While the command may still come, we hold an end for writing ourselves: without
 * any writer the pipe would count as over. Everything happens at once and in order, so a log is never ahead of itself.
 */
export class LogPipe {
  readonly #options: LogPipeOptions;
  readonly #stream: SecretStream;
  readonly #log: number;
  readonly #pipe: number;
  readonly #socket: Socket;
  #guard: number | undefined;
  #taken = 0;
  #isOver = false;

  constructor(options: LogPipeOptions) {
    this.#options = options;
    this.#stream = new SecretStream(options.finder);
    this.#log = openLog(options.log);
    this.#pipe = openSync(options.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#guard = openSync(options.pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd: this.#pipe, readable: true, writable: false });
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#socket.on('end', () => this.#finish());
    this.#socket.on('error', (error) => this.#fail(error));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nobody new will come to write. */
  release(): void {
    if (this.#guard === undefined) return;
    closeSync(this.#guard);
    this.#guard = undefined;
    unlinkSync(this.#options.pipe);
  }

  /**
   * Everything that was in the pipe when this was called is in the log when it returns, but for what may be the front of a
   * value. Who still holds the pipe open is not waited for; what it writes later follows.
   */
  drain(): void {
    this.release();
    try {
      // A pipe holds no more than this, so that one who never stops to write does not keep us here.
      for (let read = 0; read < mostInPipe && !this.#isOver; ) {
        const length = readSync(this.#pipe, room, 0, room.length, null);
        if (length === 0) this.#finish();
        else this.#take(room.subarray(0, length));
        read += length;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.#fail(error as NodeJS.ErrnoException);
    }
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#taken += bytes.length;
    this.#write(this.#stream.take(bytes.toString('latin1')));
    if (this.#taken > this.#options.most) this.#finish();
  }

  #write(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#log, bytes, at);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
    }
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    this.#close();
    this.#options.onTrouble(error);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#write(this.#stream.end());
    if (this.#isOver) return;
    this.#close();
    this.#options.onOver();
  }

  #close(): void {
    this.#isOver = true;
    this.release();
    this.#socket.destroy();
    closeSync(this.#log);
  }
}

const room = Buffer.alloc(64 * 1024);
/** Linux lets anybody make a pipe of one megabyte, and root a larger one. */
const mostInPipe = 64 << 20;

/** Whatever a command may have put in its place is not written to, and not waited for. */
function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error('it is no file'), { code: 'EINVAL' });
}
