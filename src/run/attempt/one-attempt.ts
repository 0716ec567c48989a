import type { Fingerprint } from '../../model/fingerprint.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import { pastTrouble } from '../errors/past-trouble.js';
import { changedInputs, changedWords, withoutChanged } from '../freshness/changed-inputs.js';
import type { Decided } from '../freshness/decider.js';
import { madeFrom } from '../freshness/fingerprint.js';
import type { AttemptResult } from './attempt.js';
import type { Held, Ready } from './attempt-ports.js';
import type { TaskTools } from './task-tools.js';

export interface Attempted {
  readonly folder: AttemptFolder;
  readonly result: AttemptResult;
  readonly durationMs: number;
  /** Of what it was made from. */
  readonly fingerprint: Fingerprint;
}

interface AttemptWish {
  readonly attempt: number;
  readonly decided: Decided;
  /** What it is made from is not what the decision looked at. */
  readonly isAnew: boolean;
}

/** One attempt of a task, from the moment when the journal says that it begins. */
export async function oneAttempt(task: Task, wish: AttemptWish, tools: TaskTools): Promise<Attempted> {
  const { ports, tryOnce } = tools;
  const { attempt, decided } = wish;
  // Waiting for somebody else costs neither a slot nor the time of the attempt.
  const held = await hold(task, tools);
  try {
    const state = tools.stateOf(task);
    const trouble = pastTrouble(task, state, ports);
    const failedOf = state?.failure?.code;
    const { folder, ready, startedAt } = await begin(task, wish, tools);
    const isAnew = wish.isAnew || (ready?.otherwise.length ?? 0) > 0;
    const fingerprint = isAnew ? decided.fingerprint('anew') : decided.fingerprint();
    const failure = held.ok ? ready?.failure : held.failure;
    const result: AttemptResult = failure
      ? { ok: false, failure }
      : await tryOnce(task, {
          folder,
          attempt,
          ...(ready ? { ready } : {}),
          ...(trouble ? { trouble } : {}),
          ...(failedOf === undefined ? {} : { failedOf }),
          ...madeFrom(task, fingerprint),
        });
    const durationMs = Math.max(0, ports.clock.now() - startedAt);
    const changed = result.ok ? changedInputs(task, fingerprint, { files: ports.files, stateOf: tools.stateOf }) : [];
    if (!result.ok || changed.length === 0) return { folder, result, durationMs, fingerprint };
    const what = changedWords(changed);
    const about = { task: task.id, attempt, errorClass: 'warning', what, lines: [], dir: folder.dir };
    ports.logError({ ...about, next: 'the task passed with it; the next exec does it again' });
    const warnings = [...(result.warnings ?? []), what];
    return { folder, result: { ...result, warnings }, durationMs, fingerprint: withoutChanged(fingerprint, changed) };
  } finally {
    if (held.ok) held.release();
  }
}

async function hold(task: Task, { ports, run, stop, rest }: TaskTools): Promise<Held> {
  if (!task.locks?.length || !ports.hold) return { ok: true, release: () => {} };
  return rest(ports.hold(task, { run, stop: stop.stopping }));
}

interface Begun {
  readonly folder: AttemptFolder;
  readonly startedAt: number;
  readonly ready?: Ready;
}

async function begin(task: Task, { attempt, decided }: AttemptWish, tools: TaskTools): Promise<Begun> {
  const { ports, record, amend } = tools;
  let folder: AttemptFolder | undefined;
  const open = (): AttemptFolder => {
    folder ??= ports.openAttempt(task, attempt);
    return folder;
  };
  const ready = ports.ready ? await ports.ready(task, open) : undefined;
  const given = ready?.given ? { given: ready.given } : {};
  record([{ type: 'task-started', task: task.id, attempt, reasons: decided.reasons, ...given }]);
  const startedAt = ports.clock.now();
  // Whoever made these files made them otherwise, and is not to blame for it.
  if (ready && ready.otherwise.length > 0) await amend(task, { by: 'git', attempt, isMend: false, isFree: true });
  return { folder: open(), startedAt, ...(ready ? { ready } : {}) };
}
