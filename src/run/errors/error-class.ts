import { createHash } from 'node:crypto';
import type { ErrorVerdict } from '../../model/errors/error-verdict.js';
import type { KnownErrorClass } from '../../model/errors/known-error-class.js';
import type { Failure } from '../../model/failure.js';
import { redact } from '../../model/secrets/redact.js';
import { type Deciding, decidingLine } from './deciding-line.js';
import { looksWrong, tellingLine } from './error-lines.js';
import { knownClassOf, saysMemory } from './error-patterns.js';
import { signatureOf as bareSignature } from './error-signature.js';
import { type OwnClasses, ownClassOf } from './own-class.js';
import { resetTime } from './reset-time.js';
import { readable, type Said } from './said-lines.js';

export interface ClassifyOptions {
  /** The user's own classes; they come before ours. */
  readonly own?: OwnClasses;
  readonly nowMs: number;
}

/** What is thought of a failed attempt: from how it ended, and from the last lines it said. Never throws. */
export function classify(failure: Failure, said: Said, { own = {}, nowMs }: ClassifyOptions): ErrorVerdict {
  // What a behaviour says of its failure is its last word.
  const stderr = readable('detail' in failure ? [...said.stderr, failure.detail] : said.stderr);
  const stdout = readable(said.stdout);
  const line = tellingLine(stderr, stdout);
  const signature = line === undefined ? {} : { signature: signatureOf(line) };
  const ending = hopeless(failure);
  if (ending !== undefined) return { errorClass: ending, ...signature, final: true };
  const { name, gaveUp } = ownClassOf(own, [stderr.join('\n'), stdout.join('\n')]);
  if (name !== undefined) return { errorClass: name, ...signature, final: false };
  const verdict = ourVerdict(failure, { stderr, line, nowMs });
  return { ...signature, ...verdict, ...(gaveUp.length > 0 ? { gaveUp } : {}), final: false };
}

interface Heard {
  readonly stderr: readonly string[];
  readonly line: string | undefined;
  readonly nowMs: number;
}

/** By how it ended, by the line that decides, or as an error of its own kind. */
function ourVerdict(failure: Failure, { stderr, line, nowMs }: Heard): Omit<ErrorVerdict, 'final'> {
  const code = classOfCode(failure, stderr);
  // What an agent's backend says of its own quota is believed; what it merely read or wrote is not looked at.
  const resetAt = failure.code === 'agent-failed' ? resetOf(failure, nowMs) : undefined;
  if (code !== undefined) return { errorClass: code, ...(resetAt === undefined ? {} : { resetAt }) };
  const deciding = decidingLine(stderr);
  const known = deciding && knownByWords(deciding);
  if (deciding && known !== undefined) {
    const resetAt = known === 'quota' ? resetTime(deciding.around, nowMs) : undefined;
    const reset = resetAt === undefined ? {} : { resetAt };
    return { errorClass: known, signature: signatureOf(deciding.line), ...reset };
  }
  return { errorClass: unknownClass(failure, line) };
}

/** It goes into the journal and stays there. */
const signatureOf = (line: string): string => bareSignature(redact(line));

/** Failures after which another try makes no sense: somebody stopped it, or the run itself is broken. */
function hopeless(failure: Failure): string | undefined {
  switch (failure.code) {
    case 'cancelled':
    case 'budget-spent':
    case 'journal-corrupt':
    case 'run-not-found':
    case 'plan-mismatch':
    case 'locked':
    case 'worktree-failed':
    case 'merge-conflict':
    case 'checkout-written':
    case 'worktree-written':
    case 'object-forged':
    case 'scope-too-large':
    case 'cannot-protect':
    // They have had their rounds of mending.
    case 'gaps-found':
    case 'review-critical':
      return failure.code;
    // It fixes, it does not redesign: who says that the task itself is wrong is not asked again.
    case 'agent-escalated':
      return failure.reason === 'design' ? ('design' satisfies KnownErrorClass) : `agent:${failure.reason}`;
    // The same numbers again would be the same numbers: the next one in `escalate` decides.
    case 'baseline-not-reproduced':
      return failure.decision === 'ask' ? failure.code : undefined;
    case 'agent-failed':
      return hopelessTroubles.has(failure.why) ? `agent:${failure.why}` : undefined;
    default:
      return undefined;
  }
}

/** Asking the same again would bring the same answer. */
const hopelessTroubles: ReadonlySet<string> = new Set(['not-installed', 'not-logged-in', 'no-recording', 'refused']);

/** The class, where the way it ended says it all. */
function classOfCode(failure: Failure, stderr: readonly string[]): string | undefined {
  switch (failure.code) {
    case 'timed-out':
    case 'idle-timed-out':
      return 'timeout' satisfies KnownErrorClass;
    case 'command-not-found':
    case 'input-missing':
      return 'not-found' satisfies KnownErrorClass;
    case 'output-missing':
    case 'output-empty':
    case 'output-not-written':
    case 'output-invalid':
      return 'output' satisfies KnownErrorClass;
    case 'agent-failed':
      return classOfTrouble(failure.why);
    case 'scope-violated':
    case 'protect-violated':
    case 'mirror-differs':
    case 'cannot-keep':
    case 'parity-broken':
    case 'baseline-not-reproduced':
    case 'checks-failed':
    case 'metrics-unusable':
    case 'agent-reply-unusable':
    case 'review-failed':
      return failure.code;
    case 'job-failed':
      return classOfJob(failure.how);
    case 'job-lost':
    case 'job-unsure':
    case 'job-refused':
      return failure.code;
    case 'disk-full':
      return 'disk-full' satisfies KnownErrorClass;
    case 'command-killed':
      if (failure.signal !== 'SIGKILL') return undefined;
      return stderr.slice(-20).some(saysMemory) ? ('out-of-memory' satisfies KnownErrorClass) : 'killed:SIGKILL';
    default:
      return undefined;
  }
}

/** A quota that does not say when it is full again is asked for after a while; tries would be gone in seconds. */
const resetOf = ({ why, resetAt }: Extract<Failure, { code: 'agent-failed' }>, nowMs: number): number | undefined =>
  resetAt ?? (why === 'quota' ? nowMs + quotaPauseMs : undefined);

const quotaPauseMs = 5 * 60_000;

function classOfTrouble(why: string): string {
  switch (why) {
    case 'quota':
      return 'quota' satisfies KnownErrorClass;
    case 'overloaded':
      return 'transient' satisfies KnownErrorClass;
    case 'timed-out':
    case 'idle':
      return 'timeout' satisfies KnownErrorClass;
    default:
      return `agent:${why}`;
  }
}

/** How the scheduler ended it says it all, but for a script that failed by itself. */
function classOfJob(how: Extract<Failure, { code: 'job-failed' }>['how']): string | undefined {
  switch (how) {
    case 'timed-out':
      return 'timeout' satisfies KnownErrorClass;
    case 'out-of-memory':
      return 'out-of-memory' satisfies KnownErrorClass;
    case 'failed':
      return undefined;
    default:
      return `job:${how}`;
  }
}

function knownByWords({ line, trusted }: Deciding): KnownErrorClass | undefined {
  const known = knownClassOf(line);
  return known === 'quota' && !trusted ? undefined : known;
}

/** What a shell reports when a program of it was ended by a signal. */
const endedBySignal: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
};

/** Each new kind of error has its own tries: by its message, else by how it ended. */
function unknownClass(failure: Failure, line: string | undefined): string {
  const exitCode = failure.code === 'command-failed' ? failure.exitCode : undefined;
  // Shells pass on a SIGKILL as this number, and it is seldom anything but the kernel that kills so.
  if (exitCode === 137) return 'out-of-memory' satisfies KnownErrorClass;
  if (exitCode === 75) return 'transient' satisfies KnownErrorClass;
  const signal = failure.code === 'command-killed' ? failure.signal : endedBySignal[exitCode ?? 0];
  // Who is ended by a signal has said nothing about it, unless it complained.
  const message = line !== undefined && (signal === undefined || looksWrong(line)) ? signatureOf(line) : '';
  if (message !== '') return `error:${createHash('sha256').update(message).digest('hex').slice(0, 12)}`;
  if (signal !== undefined) return `killed:${signal}`;
  return exitCode === undefined ? failure.code : `exit:${exitCode}`;
}
