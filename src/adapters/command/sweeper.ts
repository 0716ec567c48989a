import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { EndedProcesses } from '../process/ended-processes.js';
import { markerName } from './environment.js';

/**
 * Ends processes that left their group (setsid) by the marker in their environment. Looking through all of /proc takes
 * milliseconds, so it is done only when something is to be stopped, and once for everything that is stopped together.
 * Without /proc (macOS) there is nothing to look through and what left its group is not found.
 */
export class Sweeper {
  readonly #wanted = new Map<string, () => void>();
  readonly #promises = new Map<string, Promise<void>>();
  /** How many looks in a row have found nothing of it. */
  readonly #quiet = new Map<string, number>();
  readonly #ended = new EndedProcesses();
  /** Once all is over: processes of which the look before showed that they are none of ours. */
  #strangers: Set<number> | undefined;

  /** `id` is a command's id, or the part before the dot for all commands of a runner. Resolves when none is left. */
  sweep(id: string, begin: (pass: () => void) => void = setImmediate): Promise<void> {
    const known = this.#promises.get(id);
    if (known !== undefined) return known;
    const promise = new Promise<void>((resolve) => {
      if (this.#wanted.size === 0) begin(() => this.#pass(1));
      this.#wanted.set(id, resolve);
    });
    this.#promises.set(id, promise);
    return promise;
  }

  /**
   * The same for all commands of a runner that starts none any more. Then nobody who is none of ours can turn into one of
   * ours, as a child of a slot does that is given a command, and need not be looked at again. Begins at once: whoever writes
   * about the run meanwhile lets no timer in, and the pause between two looks passes while they do.
   */
  sweepLast(runner: string): Promise<void> {
    this.#strangers ??= new Set();
    return this.sweep(runner, queueMicrotask);
  }

  #pass(round: number): void {
    const found = this.#killMarked();
    const someLeft = this.#ended.someLeft();
    // Only for the few milliseconds between quiet looks: in a longer time their numbers may be given to others.
    if (found.size > 0) this.#strangers?.clear();
    for (const [id, resolve] of [...this.#wanted]) {
      // Looks again until several looks find nothing: who forks and ends without pause slips through a single one.
      const quiet = found.has(id) ? 0 : (this.#quiet.get(id) ?? 0) + 1;
      this.#quiet.set(id, quiet);
      if ((quiet < quietLooks || someLeft) && round < maxRounds) continue;
      this.#quiet.delete(id);
      this.#wanted.delete(id);
      this.#promises.delete(id);
      resolve();
    }
    // Not the injected clock: this waits for the kernel, it does not measure time.
    if (this.#wanted.size > 0) setTimeout(() => this.#pass(round + 1), 2);
  }

  /** Passes over strangers, which are most of a machine, and adds to them. */
  #killMarked(): ReadonlySet<string> {
    const [wanted, strangers] = [this.#wanted, this.#strangers];
    const found = new Set<string>();
    for (const pid of processIds()) {
      if (strangers?.has(pid)) continue;
      const environ = environOf(pid);
      // Who is just turning into another program shows nothing for a moment, and is looked at again.
      let isStranger = environ.length !== 1;
      for (const id of markersIn(environ)) {
        const match = wanted.has(id) ? id : id.slice(0, id.indexOf('.'));
        if (!wanted.has(match)) continue;
        isStranger = false;
        if (this.#ended.end(pid)) found.add(match);
      }
      if (isStranger) strangers?.add(pid);
    }
    return found;
  }
}

/** A process in the kernel's uninterruptible sleep cannot be ended; one second is enough to know. */
const maxRounds = 500;
const quietLooks = 3;

export function processIds(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The ids of all commands that a process descends from. */
export const markersOf = (pid: number): readonly string[] => markersIn(environOf(pid));

function markersIn(environ: Buffer): readonly string[] {
  const at = environ.indexOf(`\0${markerName}=`);
  if (at < 0) return [];
  const from = at + markerName.length + 2;
  const to = environ.indexOf('\0', from);
  const value = environ.toString('latin1', from, to < 0 ? environ.length : to);
  return value.split(',').filter((id) => id !== '');
}

/** With a NUL in front. Nothing at all for zombies, for the kernel's own and for other people's processes. */
function environOf(pid: number): Buffer {
  let fd: number | undefined;
  try {
    const file = `/proc/${pid}/environ`;
    fd = openSync(file, 'r');
    // A third of the time that readFile takes, and this is done for every process of the machine.
    const length = readSync(fd, room, 1, room.length - 1, 0);
    return length < room.length - 1
      ? room.subarray(0, length + 1)
      : Buffer.concat([room.subarray(0, 1), readFileSync(file)]);
  } catch {
    return room.subarray(0, 0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const room = Buffer.alloc(64 * 1024);
