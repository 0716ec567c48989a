import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { markerName } from './environment.js';

/**
 * Ends processes that left their group (setsid) by the marker in their environment. Looking through all of /proc takes
 * milliseconds, so it is done only when something is to be stopped, and once for everything that is stopped together.
 * Without /proc (macOS) there is nothing to look through and what left its group is not found.
 */
export class Sweeper {
  readonly #wanted = new Map<string, () => void>();
  readonly #promises = new Map<string, Promise<void>>();

  /** `id` is a command's id, or the part before the dot for all commands of a runner. Resolves when none is left. */
  sweep(id: string): Promise<void> {
    const known = this.#promises.get(id);
    if (known !== undefined) return known;
    const promise = new Promise<void>((resolve) => {
      if (this.#wanted.size === 0) setImmediate(() => this.#pass(1));
      this.#wanted.set(id, resolve);
    });
    this.#promises.set(id, promise);
    return promise;
  }

  #pass(round: number): void {
    const found = killMarked(this.#wanted);
    for (const [id, resolve] of [...this.#wanted]) {
      // Looks again until a look finds nothing, because a process may have forked between the look and its end.
      if (found.has(id) && round < maxRounds) continue;
      this.#wanted.delete(id);
      this.#promises.delete(id);
      resolve();
    }
    // Not the injected clock: this waits for the kernel, it does not measure time.
    if (this.#wanted.size > 0) setTimeout(() => this.#pass(round + 1), 2);
  }
}

/** A process in the kernel's uninterruptible sleep cannot be ended; one second is enough to know. */
const maxRounds = 500;

function killMarked(wanted: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pid of processIds()) {
    for (const id of markersOf(pid)) {
      const match = wanted.has(id) ? id : id.slice(0, id.indexOf('.'));
      if (wanted.has(match) && end(pid)) found.add(match);
    }
  }
  return found;
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function markersOf(pid: number): readonly string[] {
  const environ = environOf(pid);
  const at = environ.indexOf(`\0${markerName}=`);
  if (at < 0) return [];
  const from = at + markerName.length + 2;
  const to = environ.indexOf('\0', from);
  const value = environ.toString('latin1', from, to < 0 ? environ.length : to);
  return value.split(',').filter((id) => id !== '');
}

/** With a NUL in front. Empty for zombies and for other people's processes. */
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

function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
