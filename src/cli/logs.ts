import { closeSync, openSync, readSync } from 'node:fs';
import { attemptDir, attemptLogs } from '../adapters/attempt-folder.js';
import { exitCode } from '../model/exit-code.js';
import type { RunState, TaskState } from '../model/run-state.js';
import type { CliContext } from './context.js';
import { type OpenedReading, openRun } from './open-run.js';
import { refuse } from './refuse.js';
import { unknownTask } from './unknown-task.js';

const pollMs = 250;

export async function run(context: CliContext): Promise<number> {
  const opened = await openRun(context);
  const name = context.positionals[0];
  const known = opened.store.readPlan(opened.id)?.tasks ?? [];
  const ids =
    name === undefined
      ? undefined
      : new Set(known.filter((task) => task.id === name || task.stage === name).map((task) => task.id));
  if (ids?.size === 0)
    return refuse(
      [
        unknownTask(
          name!,
          known.map((task) => task.id),
        ),
      ],
      context,
    );
  const printer = new LogPrinter(context, opened, ids === undefined || ids.size > 1);
  const wanted = (state: RunState): TaskState[] =>
    [...state.tasks.values()].filter((task) => ids === undefined || ids.has(task.id));
  for (const task of wanted(opened.state)) printer.print(task);
  if (context.flag('follow'))
    await follow(context, opened, (state) => {
      for (const task of wanted(state)) printer.print(task);
    });
  return exitCode.passed;
}

/** Looks again until the run has ended or the person has had enough. */
async function follow(context: CliContext, opened: OpenedReading, print: (state: RunState) => void): Promise<void> {
  let { state } = opened;
  let enough = false;
  process.once('SIGINT', () => {
    enough = true;
  });
  while (state.outcome === 'running' && !enough) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    ({ state } = await openRun(context));
    print(state);
  }
}

/** Prints what each log has beyond what was printed before, under a heading when there is more than one task. */
class LogPrinter {
  #context: CliContext;
  #opened: OpenedReading;
  #headings: boolean;
  #printed = new Map<string, number>();
  #current: string | undefined;

  constructor(context: CliContext, opened: OpenedReading, headings: boolean) {
    this.#context = context;
    this.#opened = opened;
    this.#headings = headings;
  }

  print(task: TaskState): void {
    const made = task.attempts > 0 ? { dir: this.#opened.dir, attempts: task.attempts } : this.#earlier(task);
    if (!made) return;
    const { stdoutFile, stderrFile } = attemptLogs(attemptDir(made.dir, task.id, made.attempts));
    this.#printFile(task.id, stdoutFile);
    this.#printFile(task.id, stderrFile);
  }

  /** A cached task wrote its log in the run that did the work. */
  #earlier(task: TaskState): { readonly dir: string; readonly attempts: number } | undefined {
    if (task.status !== 'cached' || this.#context.value('run') !== undefined) return undefined;
    const { store } = this.#opened;
    for (const id of store.ids()) {
      const attempts = store.read(id)?.state?.tasks.get(task.id)?.attempts ?? 0;
      if (attempts > 0) return { dir: store.runDir(id), attempts };
    }
    return undefined;
  }

  #printFile(task: string, file: string): void {
    const from = this.#printed.get(file) ?? 0;
    const text = readFrom(file, from);
    if (text.length === 0) return;
    this.#printed.set(file, from + text.length);
    if (this.#headings && this.#current !== task) this.#context.stdout.write(`── ${task}\n`);
    this.#current = task;
    this.#context.stdout.write(text.toString('utf8'));
  }
}

function readFrom(file: string, from: number): Buffer {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    // Nothing written yet.
    return Buffer.alloc(0);
  }
  try {
    const parts: Buffer[] = [];
    for (let position = from; ; ) {
      const part = Buffer.alloc(65_536);
      const read = readSync(fd, part, 0, part.length, position);
      if (read === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, read));
      position += read;
    }
  } finally {
    closeSync(fd);
  }
}
