import { personText } from '../../model/errors/retry-limits.js';
import type { JournalEntry, TaskFailed } from '../../model/events/event.js';
import type { JobFinished, JobSubmitting } from '../../model/events/job-event.js';
import { failureWords } from '../failures/failure-text.js';
import { lineOf } from '../history/run-facts.js';
import { changeText } from '../live/fix-text.js';
import { replacedText } from '../live/session-text.js';
import { grouped } from '../words/grouped.js';
import { plainLine } from '../words/plain-line.js';

/** A failed attempt, what was done about it, and whether that helped. */
export interface Fix {
  readonly task: string;
  readonly attempt: number;
  readonly line: number;
  readonly errorClass: string;
  readonly what: string;
  readonly durationMs: number;
  /** False for what costs no try: a quota that is waited for, an interruption. */
  readonly counted: boolean;
  /** Who mended; absent when it was only tried again, or not at all. */
  readonly by?: string;
  readonly did?: string;
  readonly fixLine?: number;
  /** Who was asked when the tries were spent. */
  readonly escalatedTo?: string;
  readonly afterwards: 'passed' | 'failed again' | 'given up' | 'not tried again yet';
}

/** An attempt that was stopped, which is no failure of it. */
export type StoppedAttempt = Pick<Fix, 'task' | 'attempt' | 'line' | 'what' | 'durationMs'> & {
  readonly afterwards: Exclude<Fix['afterwards'], 'given up'>;
};

/** Every failed attempt, in the order in which they happened. */
export const fixesOf = (entries: readonly JournalEntry[]): readonly Fix[] =>
  [...attemptsOf(entries).filter(({ errorClass }) => errorClass !== stopped), ...jobFixesOf(entries)].sort(
    (a, b) => a.line - b.line,
  );

/** What a person, a signal or the end of the time has ended. */
export const stopsOf = (entries: readonly JournalEntry[]): readonly StoppedAttempt[] =>
  attemptsOf(entries)
    .filter(({ errorClass }) => errorClass === stopped)
    .map(({ task, attempt, line, what, durationMs, afterwards }) => ({
      ...{ task, attempt, line, what, durationMs },
      afterwards: afterwards === 'given up' ? 'not tried again yet' : afterwards,
    }));

const stopped = 'cancelled';

function attemptsOf(entries: readonly JournalEntry[]): readonly Fix[] {
  const about = entries.filter((entry) => telling.has(entry.type)) as readonly (JournalEntry & {
    readonly task: string;
  })[];
  return [...grouped(about, ({ task }) => task).values()]
    .flatMap((events) =>
      events.flatMap((event, at) =>
        event.type === 'task-failed' ? fixOf(event, events.slice(at + 1), events[at - 1]) : [],
      ),
    )
    .sort((a, b) => a.line - b.line);
}

const telling: ReadonlySet<string> = new Set([
  'task-started',
  'task-finished',
  'task-failed',
  'mirror-differed',
  'fix-finished',
  'escalated',
  'task-file-changed',
]);

/** What an attempt has left behind besides what it failed of. */
function besidesOf(before: JournalEntry | undefined): string {
  if (before?.type !== 'mirror-differed') return '';
  const { count, lines } = before;
  return `, and ${failureWords({ code: 'mirror-differs', count, lines }).what}`;
}

function fixOf(
  failed: JournalEntry & TaskFailed,
  later: readonly JournalEntry[],
  before: JournalEntry | undefined,
): Fix {
  const next = later.findIndex(({ type }) => type === 'task-started');
  const between = next === -1 ? later : later.slice(0, next);
  const end = later.find(({ type }) => type === 'task-finished' || type === 'task-failed');
  const mended = between.find((event) => event.type === 'fix-finished');
  const escalated = between.find((event) => event.type === 'escalated');
  const replanned = between.find((event) => event.type === 'task-file-changed');
  return {
    task: failed.task,
    attempt: failed.attempt,
    line: lineOf(failed),
    errorClass: failed.errorClass,
    what: `${failureWords(failed.failure).what}${besidesOf(before)}`,
    durationMs: failed.durationMs,
    counted: failed.counted,
    ...(mended
      ? {
          by: plainLine(mended.by),
          did: plainLine(mended.summary + (replanned ? `; ${changeText(replanned)}` : '')),
          fixLine: lineOf(mended),
        }
      : {}),
    ...(escalated ? { escalatedTo: personText(escalated.to) ?? escalated.to } : {}),
    afterwards: next === -1 ? (failed.retrying ? 'not tried again yet' : 'given up') : thenOf(end),
  };
}

/** A job that failed in a way that is known, what the table of errors had done about it, and how the next one went. */
function jobFixesOf(entries: readonly JournalEntry[]): Fix[] {
  const ends = new Map<string, JournalEntry & JobFinished>();
  const submitted = new Map<string, JournalEntry & JobSubmitting>();
  const fixes: (Omit<Fix, 'afterwards'> & { readonly tag: string })[] = [];
  for (const entry of entries) {
    if (entry.type === 'job-finished') ends.set(entry.tag, entry);
    if (entry.type !== 'job-submitting') continue;
    const before = submitted.get(entry.task);
    const end = before && ends.get(before.tag);
    submitted.set(entry.task, entry);
    if (!entry.because || !end) continue;
    const { errorClass, diagnosis, fix } = entry.because;
    fixes.push({
      ...{ task: entry.task, attempt: entry.attempt, tag: entry.tag, line: lineOf(end), errorClass },
      ...{ what: plainLine(diagnosis), durationMs: end.runMs, counted: errorClass !== 'job:parity' },
      ...{ by: 'the table of errors', did: plainLine(fix), fixLine: lineOf(entry) },
    });
  }
  return fixes.map(({ tag, ...fix }) => {
    const how = ends.get(tag)?.how;
    const then = how === undefined ? 'not tried again yet' : how === 'completed' ? 'passed' : 'failed again';
    return { ...fix, afterwards: then };
  });
}

const thenOf = (end: JournalEntry | undefined): Fix['afterwards'] =>
  end === undefined ? 'not tried again yet' : end.type === 'task-finished' ? 'passed' : 'failed again';

/** What was mended in the middle of an attempt: gaps that were closed, what a review found, a session that was gone. */
export interface Mend {
  readonly task: string;
  readonly attempt: number;
  readonly by: string;
  readonly did: string;
  readonly line: number;
}

export function mendsOf(entries: readonly JournalEntry[]): readonly Mend[] {
  const running = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type === 'task-started') running.add(entry.task);
    else if (entry.type === 'task-failed' || entry.type === 'task-finished') running.delete(entry.task);
    if (entry.type === 'agent-invoked' && entry.replaces) {
      const did = replacedText({ ...entry, ...entry.replaces });
      return [{ task: entry.task, attempt: entry.attempt, by: 'the runner', did, line: lineOf(entry) }];
    }
    if (entry.type !== 'fix-finished' || !running.has(entry.task)) return [];
    const { task, attempt, by, summary } = entry;
    return [{ task, attempt, by: plainLine(by), did: plainLine(summary), line: lineOf(entry) }];
  });
}
