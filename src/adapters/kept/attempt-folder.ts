import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';
import { appendPlain, readPlain, writePlain } from '../disk/plain-file.js';

export const attemptDir = (runDir: string, task: string, attempt: number): string =>
  join(runDir, 'tasks', task, String(attempt));

export const attemptLogs = (dir: string): { stdoutFile: string; stderrFile: string } => ({
  stdoutFile: join(dir, 'stdout.log'),
  stderrFile: join(dir, 'stderr.log'),
});

export interface AttemptFolders {
  openAttempt(task: Task, attempt: number): AttemptFolder;
  prepareAttempt(task: Task, attempt: number): void;
  discardPrepared(): void;
}

/** The folders of a run's attempts, each made when it is needed or a little before. */
export function attemptFolders(runDir: string): AttemptFolders {
  const prepared = new Set<string>();
  return {
    openAttempt(task, attempt) {
      const dir = attemptDir(runDir, task.id, attempt);
      // Whoever made it a moment ago need not make it again, but look whether it is still as it was.
      return prepared.delete(dir) && isEmptyFolder(dir) ? newFolderAt(dir) : openFolder(dir);
    },
    prepareAttempt(task, attempt) {
      const dir = attemptDir(runDir, task.id, attempt);
      if (prepared.has(dir)) return;
      try {
        makeFolder(dir);
        prepared.add(dir);
      } catch {
        // When it is needed, it is tried again and told.
      }
    },
    discardPrepared() {
      for (const dir of prepared) removeEmpty(dir);
      prepared.clear();
    },
  };
}

function isEmptyFolder(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch {
    return false;
  }
}

function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir);
    rmdirSync(dirname(dir));
  } catch {
    // Something is in it after all.
  }
}

/** Beside the logs of the attempt that it is about. */
export const openFixFolder = (
  runDir: string,
  task: Task,
  { attempt, name }: { readonly attempt: number; readonly name: string },
): AttemptFolder => {
  const dir = join(attemptDir(runDir, task.id, attempt), name);
  return openFolder(isCall(name) ? nextFree(dir) : dir);
};

/** `judge-1`, but not `check-1`, which is the first of a gate's checks whenever they are made. */
const isCall = (name: string): boolean => /^(?!check-)[a-z]+-\d+$/.test(name);

/** The journal holds digests of what was asked and answered there, so a call keeps its folder: whoever is asked anew gets the next. */
function nextFree(dir: string): string {
  const [, role, first] = /^(.*-)(\d+)$/.exec(dir)!;
  let number = Number(first);
  while (number < mostCalls && existsSync(`${role}${number}`) && !isEmptyFolder(`${role}${number}`)) number += 1;
  return `${role}${number}`;
}

const mostCalls = 10_000;

/** As an earlier process, or an earlier call, left it. */
export const seeAttempt = (runDir: string, task: Task, attempt: number): AttemptFolder =>
  folderAt(attemptDir(runDir, task.id, attempt));

/** Copies, because the folder of the call is the record and stays whole. */
export function showCall(attempt: string, callDir: string): void {
  for (const name of ['prompt.md', 'reply.json']) {
    try {
      const text = readPlain(join(callDir, name));
      if (text !== undefined) writePlain(join(attempt, name), text);
    } catch {
      // A call that never began has no prompt, and one that failed no reply.
    }
  }
}

/** What was there before may be wanted: the log of a call that an earlier process did not see to its end. */
function freeName(dir: string): string {
  let name = dir;
  for (let number = 2; existsSync(name) && number < 1000; number += 1) name = `${dir}.${number}`;
  return name;
}

function openFolder(dir: string): AttemptFolder {
  try {
    // Whatever ran before may have put pipes there, at which the runner would wait for ever.
    if (!makeFolder(dir) && readdirSync(dir).length > 0) {
      renameSync(dir, freeName(`${dir}.found`));
      makeFolder(dir);
    }
  } catch (error) {
    throw diskError(error, dir);
  }
  return newFolderAt(dir);
}

const newFolderAt = (dir: string): AttemptFolder => ({ ...folderAt(dir), isNew: true });

function folderAt(dir: string): AttemptFolder {
  const files = attemptLogs(dir);
  return { dir, ...files, log: (line) => appendPlain(files.stdoutFile, `${line}\n`) };
}

/**
 * Two plain calls are a third of the price of a recursive one; only the first task of a run has to make more. True: it was not
 * there before.
 */
function makeFolder(dir: string): boolean {
  try {
    mkdirSync(dirname(dir));
    mkdirSync(dir);
    return true;
  } catch {
    mkdirSync(dir, { recursive: true });
    return false;
  }
}
