import { dirname } from 'node:path';
import { openProjectFiles } from '../../adapters/disk/project-files.js';
import { endNoteIn, endNoteOutside, writeEndNote } from '../../adapters/journal/end-notes.js';
import { FileJournal } from '../../adapters/journal/file-journal.js';
import { leaveAnswer, takeAnswerBack } from '../../adapters/journal/gate-answers.js';
import { isLocked, lockedBy, lookAtLock, takeLock } from '../../adapters/lock/state-lock.js';
import { ownUserName } from '../../adapters/person/user-name.js';
import { isInsideTask } from '../../adapters/process/inside-task.js';
import { backgroundClock, systemClock } from '../../adapters/system-clock.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { JournalEntry } from '../../model/events/event.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { GateQuestion, Verdict } from '../../model/gates/gate.js';
import { answerProblem } from '../../model/gates/gate-answer.js';
import { isGlob } from '../../model/glob.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import { evidenceOf } from '../../run/gates/shown.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import { refuse } from '../refuse.js';
import { endsPlace } from '../run/vault-place.js';
import { type Answering, answerRefusal, askedAbout, noWords, refusalOf } from './answer-rules.js';

/**
 * Answers a gate. A live runner takes the answer from a file in the run's folder, and alone writes the journal; where none
 * lives, the answer goes into the journal from here, under the lock. Either way it is about one question of one run.
 */
export async function answerGate(context: CliContext, verdict: Verdict, option: string): Promise<number> {
  const text = context.value(option)?.trim();
  if (verdict !== 'pass' && !text) return refuse([noWords(context, option)], context);
  const store = await storeFor(context);
  const run = context.value('run');
  const id = run === undefined ? store.ids()[0] : store.find(run);
  if (id === undefined) throw new FailureError({ code: 'run-not-found', run: '' });
  const answering: Answering = {
    context,
    store,
    run: id,
    verdict,
    by: ownUserName(),
    ...(text ? { text: secretsOf(context.env).hide(text) } : {}),
  };
  for (;;) {
    const told = await (isLocked(store.dir) ? tellRunner(answering) : writeDown(answering));
    if (told === 'again') continue;
    if (typeof told !== 'number') return refuse(told, context);
    return told;
  }
}

type Told = number | 'again' | readonly Diagnostic[];

/** Looks at everything that can be wrong with an answer, as it is now. */
async function questionFor(answering: Answering): Promise<GateQuestion | readonly Diagnostic[]> {
  const { store, run } = answering;
  const state = store.read(run)?.state;
  const root = dirname(dirname(store.dir));
  if (isInsideTask(root, state?.runners ?? [])) return [refusalOf('inside', answering)];
  const question = askedAbout(state, answering);
  if (Array.isArray(question)) return question;
  const asked = question as GateQuestion;
  // Whoever answers in a browser has one question before their eyes; it may have been followed by another.
  const seen = answering.context.value('question');
  if (seen !== undefined && seen !== asked.question) return [refusalOf('changed', answering, asked)];
  const problem = answerProblem(asked, answering, Math.max(Date.now(), state?.latestAt ?? 0));
  if (problem !== undefined) return [answerRefusal(problem, asked, answering)];
  const files = await openProjectFiles(root, { globs: asked.patterns.some(isGlob) });
  const now = evidenceOf(asked.patterns, files.still());
  const changed = JSON.stringify(now) !== JSON.stringify(asked.evidence);
  return changed ? [refusalOf('changed', answering, asked)] : asked;
}

async function tellRunner(answering: Answering): Promise<Told> {
  const holder = lookAtLock(answering.store.dir)?.holder;
  // Its runner is at work on another run, and would never look here.
  if (holder?.run !== undefined && holder.run !== answering.run) throw lockedBy(holder, answering.store.dir);
  const question = await questionFor(answering);
  if (Array.isArray(question)) return question;
  const { task, question: name, shown, kind } = question as GateQuestion;
  const { store, run, verdict, text } = answering;
  const dir = store.runDir(run);
  const left = leaveAnswer(dir, { run, task, question: name, shown, verdict, ...(text === undefined ? {} : { text }) });
  for (;;) {
    await new Promise<void>((resolve) => systemClock.after(lookEveryMs, resolve));
    const known = store.read(run)?.state?.tasks.get(task);
    const gate = kind === 'instructions' ? { opened: known?.words?.asked, decided: known?.words?.given } : known?.gate;
    if (gate?.decided?.answer === left) return say(answering, { task, kind, isRunnerAlive: true });
    // Somebody else was faster: asked again, it says so.
    if (gate?.decided?.question === name) {
      takeAnswerBack(dir, left);
      return 'again';
    }
    if (gate?.opened?.question !== name) {
      takeAnswerBack(dir, left);
      return [refusalOf('changed', answering, question as GateQuestion)];
    }
    // It has ended without taking it, or it cannot be reached: the answer is taken back, and goes the other way.
    if (!isLocked(store.dir)) {
      takeAnswerBack(dir, left);
      return 'again';
    }
  }
}

async function writeDown(answering: Answering): Promise<Told> {
  const { store, run, verdict, by, text } = answering;
  let lock: ReturnType<typeof takeLock>;
  try {
    lock = takeLock(store.dir, { clock: backgroundClock });
  } catch (error) {
    // A runner was faster, and can be told; or somebody else who answers, and may be done by now.
    if (error instanceof FailureError && error.failure.code === 'locked') return 'again';
    throw error;
  }
  try {
    const question = await questionFor(answering);
    if (Array.isArray(question)) return question;
    const { task, attempt, kind, question: name, shown, gate, covers, planDigest } = question as GateQuestion;
    const reading = store.read(run)!;
    const journal = new FileJournal(store.journalFile(run), systemClock, reading);
    const reasons = text === undefined ? [] : [text];
    const person = { kind: 'person', name: by } as const;
    lock.check();
    const [entry] = journal.append([
      {
        type: 'gate-decided',
        task,
        attempt,
        question: name,
        verdict,
        by: person,
        reasons,
        shown,
        gate,
        covers,
        planDigest,
      },
    ]);
    await journal.flushed();
    await journal.close();
    // The note of its end, which verify holds the journal against, speaks of the last line.
    if (reading.state?.outcome !== 'running') noteAnswer(answering, reading.entries[0]!.hash, entry!);
    return say(answering, { task, kind, isRunnerAlive: false });
  } finally {
    lock.release();
  }
}

function noteAnswer({ store, run, context }: Answering, first: string, { seq, hash }: JournalEntry): void {
  const note = { version: 1, run, first, seq, hash } as const;
  const outside = endNoteOutside(endsPlace(dirname(dirname(store.dir)), context), first);
  for (const file of [endNoteIn(store.runDir(run)), outside]) {
    const problem = writeEndNote(file, note);
    if (problem !== undefined) context.stderr.write(`${problem}\n`);
  }
}

const lookEveryMs = 150;

const done = { pass: 'Approved', revise: 'Sent back', reject: 'Rejected' } as const;

function say(
  { context, store, verdict, run, by }: Answering,
  { task, kind, isRunnerAlive }: Pick<GateQuestion, 'task' | 'kind'> & { readonly isRunnerAlive: boolean },
): number {
  const goOn = (): string => again(context, store.read(run)?.state?.set);
  const next = isRunnerAlive ? 'the run goes on with it' : `go on with: autoresearch exec${goOn()}`;
  const what = kind === 'instructions' ? 'Told' : done[verdict];
  if (!context.quiet) context.stdout.write(`${what}: ${task} of run ${run}, by ${by}; ${next}\n`);
  return exitCode.passed;
}
