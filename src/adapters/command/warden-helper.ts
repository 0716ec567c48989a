import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Clock } from '../../model/ports.js';
import { firstSlotFd, quitWord, wardenName, wardenScript } from './warden-script.js';
import { WardenSlot } from './warden-slot.js';

export interface WardenHelperOptions {
  readonly bash: string;
  readonly env: { readonly [name: string]: string };
  /** The runner's id, which begins the id of each of its commands. */
  readonly runner: string;
  readonly slots: number;
  readonly clock: Clock;
}

/** One bash process and the slots opened in it so far. */
export class WardenHelper {
  readonly #child: ChildProcess;
  readonly #slots: WardenSlot[] = [];
  readonly #gone: Promise<void>;
  #broken: string | undefined;

  constructor(private readonly options: WardenHelperOptions) {
    this.#child = this.#spawn();
    this.#gone = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.#break(reason);
        resolve();
      };
      this.#child.on('error', (error) => end(error.message));
      this.#child.on('exit', (status, signal) => end(`it ended (${signal ?? `exit ${status}`})`));
    });
    this.#socket(0)?.on('error', () => {});
    // A helper that has nothing to do must not keep the program alive; a slot with a command does (`WardenSlot.run`).
    this.#child.unref();
    for (const socket of this.#sockets()) socket.unref();
  }

  /** Why it cannot be used any more. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /** For the account of a command that was lost with it. */
  get condition(): { readonly helped: boolean; readonly lostBecause: string | undefined } {
    return { helped: this.#child.pid !== undefined, lostBecause: this.#broken };
  }

  /** A free slot, opened now if need be; undefined when all are taken. */
  freeSlot(): WardenSlot | undefined {
    if (this.#broken !== undefined) return undefined;
    return this.#slots.findLast((slot) => slot.isFree()) ?? this.#openSlot();
  }

  /** Ends the helper, whose slots are idle by now. Resolves when its processes are gone. */
  async close(): Promise<void> {
    this.#child.ref();
    this.#socket(0)?.write(`${quitWord}\n`);
    const cancel = this.options.clock.after(patienceMs, () => this.#kill());
    await this.#gone;
    cancel();
  }

  #openSlot(): WardenSlot | undefined {
    const fd = firstSlotFd + this.#slots.length;
    const socket = this.#slots.length < this.options.slots ? this.#socket(fd) : undefined;
    if (socket === undefined) return undefined;
    const token = randomBytes(8).toString('hex');
    const slot = new WardenSlot(socket, token);
    this.#slots.push(slot);
    this.#socket(0)?.write(`${fd} ${token}\n`);
    return slot;
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    for (const slot of this.#slots) slot.discard();
    for (const socket of this.#sockets()) socket.destroy();
  }

  #kill(): void {
    for (const slot of this.#slots) slot.kill();
    this.#child.kill('SIGKILL');
  }

  #sockets(): readonly Socket[] {
    return this.#child.stdio.filter((stream) => stream !== null && stream !== undefined) as unknown as Socket[];
  }

  #socket(fd: number): Socket | undefined {
    return (this.#child.stdio[fd] ?? undefined) as Socket | undefined;
  }

  /**
   * Straight from node:child_process: loading execa for this one call would cost every run about 19 ms (measured).
   * A session of its own takes commands off the terminal, so that Ctrl-C reaches only the runner and a program that asks
   * for a password fails instead of waiting. `-p` keeps bash from importing functions and from reading BASH_ENV or
   * SHELLOPTS, which commands still get.
   */
  #spawn(): ChildProcess {
    const { bash, env, runner, slots } = this.options;
    const args = [
      '--norc',
      '--noprofile',
      '-p',
      '-c',
      wardenScript,
      wardenName,
      runner,
      String(firstSlotFd + slots - 1),
    ];
    const sockets = Array.from({ length: slots }, () => 'pipe' as const);
    return spawn(bash, args, { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore', ...sockets] });
  }
}

/** An idle bash ends within a millisecond or two; one that does not was stopped by someone. */
const patienceMs = 2000;
