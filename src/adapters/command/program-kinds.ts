import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { findProgram } from './find-program.js';

/**
 * Remembers which programs the system can execute by itself. A script without `#!` is none: a shell would read it, and then it
 * matters which. Nor is one whose interpreter is gone, as in a virtual environment that was moved: a shell looks further. It is looked at once, for what it is; where it lies is found anew whenever it is executed.
 */
export class ProgramKinds {
  readonly #known = new Map<string, boolean>();

  isExecutedBySystem(name: string, path: string | undefined): boolean {
    const key = `${name}\0${path}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = isFixed(path) && looksExecutable(name, path);
      this.#known.set(key, known);
    }
    return known;
  }
}

/** With a relative folder in it, every command may find another program. */
const isFixed = (path: string | undefined): path is string =>
  path?.split(':').every((folder) => folder.startsWith('/')) === true;

function looksExecutable(name: string, path: string): boolean {
  const found = findProgram(name, '/', path);
  if (found.kind !== 'found') return false;
  let fd: number | undefined;
  try {
    fd = openSync(found.file, 'r');
    const start = Buffer.alloc(256);
    const text = start.toString('latin1', 0, readSync(fd, start, 0, start.length, 0));
    const interpreter = /^#![ \t]*(\/[^\s\0]+)[ \t\n]/.exec(text)?.[1];
    return interpreter === undefined ? text.startsWith('\x7fELF') : existsSync(interpreter);
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
