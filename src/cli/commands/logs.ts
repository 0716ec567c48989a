import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { attemptDir, attemptLogs } from '../../adapters/kept/attempt-folder.js';
import { exitCode } from '../../model/exit-code.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { CliContext } from '../context.js';
import { madeAttempts } from '../history/attempt-folders.js';
import { chooseLog, neverTried, oneTask } from '../history/log-choice.js';
import { tellMore } from '../history/more-logs.js';
import { type OpenedReading, openRun } from '../history/open-run.js';
import { refuse } from '../refuse.js';
import { unknownTask } from '../unknown-task.js';

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
  if (context.value('attempt') !== undefined || context.value('fix') !== undefined)
    return printChosen(context, opened, ids ?? new Set(known.map((task) => task.id)));
  const printer = new LogPrinter(context, opened, ids === undefined || ids.size > 1);
  const wanted = (state: RunState): TaskState[] =>
    [...state.tasks.values()].filter((task) => ids === undefined || ids.has(task.id));
  for (const task of wanted(opened.state)) printer.print(task);
  if (context.flag('follow'))
    await follow(context, opened, (state) => {
      for (const task of wanted(state)) printer.print(task);
    });
  const [only] = ids?.size === 1 ? wanted((await openRun(context)).state) : [];
  if (only) tellMore(context, only, { made: madeAttempts(only, opened, context) });
  return exitCode.passed;
}

/** One attempt, or what mended after it. */
async function printChosen(context: CliContext, opened: OpenedReading, ids: ReadonlySet<string>): Promise<number> {
  const [id] = ids;
  const task = id === undefined ? undefined : opened.state.tasks.get(id);
  const option = context.value('fix') === undefined ? '--attempt' : '--fix';
  if (ids.size !== 1) return refuse([oneTask(option, [...ids])], context);
  if (!task) return refuse([neverTried(id!)], context);
  const made = madeAttempts(task, opened, context);
  const chosen = chooseLog(task, made, context);
  if (!chosen.ok) return refuse([chosen.error], context);
  const { dir, attempt, fix } = chosen.value;
  for (const name of fix === undefined ? ['stdout.log', 'stderr.log'] : fixFiles) {
    const decoder = new TextDecoder();
    let last = '';
    for (const piece of piecesFrom(join(dir, name), 0)) {
      if (last === '' && fix !== undefined) context.stdout.write(`── ${name}\n`);
      last = decoder.decode(piece, { stream: true });
      context.stdout.write(last);
    }
    if (last !== '' && fix !== undefined && !last.endsWith('\n')) context.stdout.write('\n');
  }
  if (fix === undefined) tellMore(context, task, { made, attempt });
  return exitCode.passed;
}

/** In the order in which they come about. */
const fixFiles = ['prompt.md', 'stdout.log', 'stderr.log', 'reply.json'];

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
  /** A character may be cut in two by the end of what was written so far. */
  #decoders = new Map<string, TextDecoder>();
  #current: string | undefined;

  constructor(context: CliContext, opened: OpenedReading, headings: boolean) {
    this.#context = context;
    this.#opened = opened;
    this.#headings = headings;
  }

  print(task: TaskState): void {
    const made = madeAttempts(task, this.#opened, this.#context);
    if (!made) return;
    const { stdoutFile, stderrFile } = attemptLogs(attemptDir(made.dir, task.id, made.attempts));
    this.#printFile(task.id, stdoutFile);
    this.#printFile(task.id, stderrFile);
  }

  #printFile(task: string, file: string): void {
    const decoder = this.#decoders.get(file) ?? new TextDecoder();
    this.#decoders.set(file, decoder);
    for (const piece of piecesFrom(file, this.#printed.get(file) ?? 0)) {
      this.#printed.set(file, (this.#printed.get(file) ?? 0) + piece.length);
      if (this.#headings && this.#current !== task) this.#context.stdout.write(`── ${task}\n`);
      this.#current = task;
      this.#context.stdout.write(decoder.decode(piece, { stream: true }));
    }
  }
}

/** What a file holds from there on, a megabyte at a time: a log may be larger than any text can be. */
function* piecesFrom(file: string, from: number): Generator<Buffer> {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    // Nothing written yet.
    return;
  }
  try {
    for (let position = from; ; ) {
      const piece = Buffer.alloc(1 << 20);
      const read = readSync(fd, piece, 0, piece.length, position);
      if (read === 0) return;
      yield piece.subarray(0, read);
      position += read;
    }
  } finally {
    closeSync(fd);
  }
}
