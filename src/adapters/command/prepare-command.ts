import { lstatSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Failure } from '../../model/failure.js';
import type { CommandSpec } from '../../model/ports.js';
import { err, ok, type Result } from '../../model/result.js';
import { markerName } from './environment.js';
import { findProgram } from './find-program.js';

/** A command whose program is known. Whether it can really be started shows only when it is tried. */
export interface PreparedCommand {
  /** Absolute. */
  readonly program: string;
  /** What the program is told it was called as. */
  readonly calledAs: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly stdinFile: string;
  /** Where it really writes: the logs, or the pipes that lead there. */
  readonly stdoutTo: string;
  readonly stderrTo: string;
}

/** Checks what can be checked without starting anything. `path` is where programs are looked up. */
export function prepareCommand(spec: CommandSpec, path: string | undefined): Result<PreparedCommand, Failure> {
  const fault = faultIn(spec);
  if (fault !== undefined) return err({ code: 'command-not-started', detail: fault });
  const { cwd, env, stdoutFile, stderrFile, stdinFile = '/dev/null' } = spec;
  // A command before this one may have put a pipe there, at which the opening would wait for ever.
  const strange = spec.areLogsNew ? undefined : [stdoutFile, stderrFile].find(isSomethingElse);
  if (strange !== undefined) return err({ code: 'not-writable', file: strange, detail: 'it is no file' });
  const { stdout: stdoutTo = stdoutFile, stderr: stderrTo = stderrFile } = spec.through ?? {};
  const place = { cwd, env, stdoutFile, stderrFile, stdinFile, stdoutTo, stderrTo };
  if (typeof spec.run === 'string') {
    // A text that begins with a dash would be read as an option of the shell.
    const args = /^[-+]/.test(spec.run) ? ['-c', '--', spec.run] : ['-c', spec.run];
    return ok({ program: shell, calledAs: shell, args, ...place });
  }
  const [name = '', ...args] = spec.run;
  const found = findProgram(name, cwd, env.PATH ?? path);
  if (found.kind === 'found') return ok({ program: found.file, calledAs: name, args, ...place });
  if (found.kind === 'missing') return err({ code: 'command-not-found', command: name });
  return err({ code: 'command-not-started', detail: `${found.file} is not executable` });
}

const shell = '/bin/sh';

function isSomethingElse(file: string): boolean {
  try {
    // Not there yet is the rule, and an error would cost more than the look.
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
  } catch {
    // Not to be reached: that shows when it is opened.
    return false;
  }
}

function faultIn(spec: CommandSpec): string | undefined {
  const words = typeof spec.run === 'string' ? [spec.run] : spec.run;
  if (words.length === 0) return 'the command is empty';
  for (const [what, path] of Object.entries({
    cwd: spec.cwd,
    stdoutFile: spec.stdoutFile,
    stderrFile: spec.stderrFile,
    ...(spec.stdinFile === undefined ? {} : { stdinFile: spec.stdinFile }),
  })) {
    if (!isAbsolute(path)) return `${what} is not an absolute path: ${path}`;
    if (unpassable.test(path)) return `${what} holds a character that no program can be given: ${JSON.stringify(path)}`;
  }
  if (words.some((word) => unpassable.test(word)))
    return `the command holds a character that no program can be given (${why})`;
  for (const [name, value] of Object.entries(spec.env)) {
    if (name === '' || name.includes('=')) return `${JSON.stringify(name)} cannot be the name of a variable`;
    if (name === markerName) return `the variable ${name} is reserved`;
    if (unpassable.test(name) || unpassable.test(value))
      return `the variable ${JSON.stringify(name)} holds a character that no program can be given (${why})`;
  }
  return undefined;
}

/** NUL ends a string for the system; half a surrogate pair has no bytes in UTF-8 and would be changed silently. */
const unpassable = /[\0\ud800-\udfff]/u;
const why = 'NUL or half a surrogate pair';
