import type { Socket } from 'node:net';
import { quitWord } from './warden-script.js';

/** What a slot tells about the command it runs. `lost`: the slot is gone and nobody knows how the command fared. */
export interface SlotListener {
  started(pid: number): void;
  ended(end: SlotEnd): void;
}

export type SlotEnd =
  | { readonly kind: 'status'; readonly status: number; readonly bySignal: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost' };

/** The runner's end of one slot: one command at a time. */
export class WardenSlot {
  #listener: SlotListener | undefined;
  #id = 0;
  #rest = '';
  /** What bash said last since the command started. */
  #remark: string | undefined;
  #refused = false;
  #gone = false;

  constructor(
    private readonly socket: Socket,
    private readonly token: string,
  ) {
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => this.#read(chunk));
    // An error (the slot was killed while being written to) is always followed by `close`.
    socket.on('error', () => {});
    socket.on('close', () => this.discard());
  }

  get idle(): boolean {
    return this.#listener === undefined && !this.#gone;
  }

  get gone(): boolean {
    return this.#gone;
  }

  run(code: string, listener: SlotListener): void {
    this.#listener = listener;
    this.#id += 1;
    this.#remark = undefined;
    this.#refused = false;
    // An idle helper must not keep the program alive, a running command must.
    this.socket.ref();
    this.socket.write(`${this.#id} ${code}\n`);
  }

  /** No more commands; the slot ends by itself once it is idle. */
  end(): void {
    this.socket.write(`${quitWord}\n`);
  }

  /** The slot is lost or is to be forgotten. */
  discard(): void {
    this.#gone = true;
    this.socket.destroy();
    this.#finish({ kind: 'lost' });
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#report(line);
  }

  #report(line: string): void {
    const [token, what, id, number] = line.split(' ');
    if (token !== this.token) {
      this.#remark = line;
      return;
    }
    const value = /^\d+$/.test(number ?? '') ? Number(number) : undefined;
    // A report that cannot be is no report: whoever sends it is not to be believed about anything.
    if (this.#listener === undefined || id !== String(this.#id)) this.discard();
    else if (what === 's' && value !== undefined && value > 1) this.#listener.started(value);
    else if (what === 'x') this.#refused = true;
    else if (what === 'e' && value !== undefined) this.#finish(this.#endOf(value));
    else this.discard();
  }

  #endOf(status: number): SlotEnd {
    return this.#refused
      ? { kind: 'refused' }
      : { kind: 'status', status, bySignal: tellsOfSignal(this.#remark, status) };
  }

  #finish(end: SlotEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.socket.unref();
    listener?.ended(end);
  }
}

/**
 * Bash announces an end in one of two ways, its words being in the user's language: `[1]+  Exit 130  (…)` with the status
 * as a number, or a signal's description instead, or `name: line 8: 1234 Killed  (…)`, which it says of signals alone.
 */
function tellsOfSignal(remark: string | undefined, status: number): boolean {
  if (status <= 128 || remark === undefined) return false;
  return !remark.startsWith('[') || !new RegExp(`\\b${status}\\b`).test(remark);
}
