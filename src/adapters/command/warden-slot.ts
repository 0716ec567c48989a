import type { Socket } from 'node:net';
import { commandLines } from './command-lines.js';

/** What a slot tells about the command it runs. */
export interface SlotListener {
  started(pid: number): void;
  /** The command itself is gone, maybe by a signal; when `goOn` is called, the rest of its group is killed. */
  signalled?(goOn: () => void): void;
  ended(end: SlotEnd): void;
}

/**
 * `refused`: the command's folder, variables or logs could not be set up. `untaken`: the process that was to become the
 * command ended before it knew of it. `lost`: the slot is gone and nobody knows how the command fared.
 */
export type SlotEnd =
  | { readonly kind: 'status'; readonly status: number; readonly bySignal: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'untaken' }
  | { readonly kind: 'lost' };

/** The runner's end of one slot: one command at a time. */
export class WardenSlot {
  /** Of the command that the slot was given, until its end is known. */
  #listener: SlotListener | undefined;
  /** The process that the slot is. */
  #shell: number | undefined;
  /** The slot's child: waits for a command or is one. */
  #pid: number | undefined;
  /** An end by a signal, until the slot goes on: only then is it sure that the command was taken. */
  #unsure: SlotEnd | undefined;
  #rest = '';
  /** What bash said last about the child. */
  #remark: string | undefined;
  #refused = false;
  #gone = false;

  constructor(
    private readonly socket: Socket,
    private readonly token: string,
  ) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    // An error (the slot was killed while being written to) is always followed by `close`.
    socket.on('error', () => {});
    socket.on('close', () => this.discard());
  }

  get idle(): boolean {
    return this.#listener === undefined && !this.#gone;
  }

  /**
   * Whether it can be given a command now. When an idle slot is killed, the child that waits in it keeps the socket open,
   * and nobody would report on the command that it takes. Should that happen right after this look, the socket closes
   * when the child turns into the command.
   */
  isFree(): boolean {
    if (this.idle && !this.#signal(0)) this.discard();
    return this.idle;
  }

  run(code: string, listener: SlotListener): void {
    this.#listener = listener;
    // An idle helper must not keep the program alive, a running command must.
    this.socket.ref();
    this.socket.write(commandLines(code), 'latin1');
    if (this.#pid !== undefined) listener.started(this.#pid);
  }

  /** The slot is lost or is to be forgotten. Its child ends when it finds the socket closed. */
  discard(why: 'lost' | 'untaken' = 'lost'): void {
    this.#gone = true;
    this.socket.destroy();
    this.#finish({ kind: why });
  }

  /** Ends the slot's own process, when all else failed. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#report(line);
  }

  #report(line: string): void {
    const [token, what, number = ''] = line.split(' ');
    if (token !== this.token) {
      this.#remark = line;
      return;
    }
    const value = /^\d+$/.test(number) ? Number(number) : undefined;
    if (what === 's' && value !== undefined && value > 1 && this.#pid === undefined) this.#began(value);
    // The child says this itself, and may be quicker than the slot that tells of the child.
    else if (what === 'x' && this.#listener !== undefined) this.#refused = true;
    else if (what === 'e' && value !== undefined && this.#pid !== undefined) this.#ended(value);
    else if (what === 'p' && value !== undefined && value > 1 && this.#shell === undefined) this.#shell = value;
    else if (what === 'u' && this.#unsure !== undefined) this.discard('untaken');
    // A report that cannot be is no report: whoever sends it is not to be believed about anything.
    else this.discard();
  }

  #began(pid: number): void {
    this.#pid = pid;
    if (this.#unsure === undefined) this.#listener?.started(pid);
    else this.#finish(this.#unsure);
  }

  #ended(status: number): void {
    const end: SlotEnd = this.#refused
      ? { kind: 'refused' }
      : { kind: 'status', status, bySignal: tellsOfSignal(this.#remark, status) };
    this.#pid = undefined;
    this.#remark = undefined;
    this.#refused = false;
    if (status > 128) {
      const goOn = (): void => void this.socket.write(`${this.token}\n`);
      if (this.#listener !== undefined) this.#unsure = end;
      if (this.#listener?.signalled !== undefined) this.#listener.signalled(goOn);
      else goOn();
    } else if (this.#listener !== undefined) this.#finish(end);
    else this.discard();
  }

  #finish(end: SlotEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#unsure = undefined;
    this.socket.unref();
    listener?.ended(end);
  }

  /** False when the slot's process is known to be gone. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#shell === undefined || process.kill(this.#shell, signal);
    } catch {
      return false;
    }
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
