import type { JournalEntry } from '../model/events/event.js';
import type { Failure } from '../model/failure.js';
import { FailureError } from '../model/failure.js';
import type { Check } from '../model/gates/check.js';
import type { LedgerCall } from '../model/money/ledger-line.js';
import { failed, passed, some, tampered } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Ledger and journal tell of the same calls and the same money. */
export function ledgerChecks({ run, entries, ledger }: RunEvidence): readonly Check[] {
  const told = entries.filter((entry) => entry.type === 'agent-invoked');
  let calls: ReadonlyMap<string, LedgerCall> | undefined;
  try {
    calls = ledger();
  } catch (error) {
    if (error instanceof FailureError) return [tampered('ledger', '', `it cannot be believed: ${error.message}`)];
    throw error;
  }
  if (!calls)
    return told.length === 0 ? [] : [failed('ledger', '', `it is gone, and the journal tells of ${told.length} calls`)];
  const problems = [
    ...missingFrom(calls, entries),
    ...unknownTo(
      entries,
      [...calls.values()].filter((call) => call.run === run),
    ),
  ];
  if (problems.length > 0) return [tampered('ledger', '', some(problems, 3))];
  if (told.length === 0) return [];
  return [passed('ledger', '', `${told.length} ${told.length === 1 ? 'call' : 'calls'} in ledger and journal alike`)];
}

function missingFrom(calls: ReadonlyMap<string, LedgerCall>, entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === 'agent-invoked' && !calls.has(entry.call)) return [`call ${entry.call} is not in the ledger`];
    if (entry.type !== 'spend-recorded') return [];
    const settled = calls.get(entry.call)?.settled;
    if (!settled) return [`what call ${entry.call} cost is not in the ledger`];
    return settled.usd === entry.usd ? [] : [`call ${entry.call} cost something else in the ledger`];
  });
}

/** A runner that was killed may have booked a call of which no journal tells; one that was not, cannot. */
function unknownTo(entries: readonly JournalEntry[], booked: readonly LedgerCall[]): string[] {
  let isOpen = false;
  for (const entry of entries) {
    if (entry.type === 'run-started' && isOpen) return [];
    isOpen = entry.type !== 'run-finished';
  }
  const told = new Set(entries.flatMap((entry) => (entry.type === 'agent-invoked' ? [entry.call] : [])));
  return booked.filter(({ call }) => !told.has(call)).map(({ call }) => `the journal does not tell of call ${call}`);
}

/** Every attempt that came to an end has its folder, and what commands printed is in it. Who was killed may have left neither. */
export function logChecks({ entries, plan, attemptLogs }: RunEvidence): readonly Check[] {
  const tasks = new Map(plan?.tasks.map((task) => [task.id, task]));
  const ended = new Set(
    entries.flatMap((entry) =>
      entry.type === 'task-finished' || entry.type === 'task-failed' ? [`${entry.task}/${entry.attempt}`] : [],
    ),
  );
  const silent = new Set(
    entries.flatMap((entry) =>
      entry.type === 'task-failed' && beforeCommand.has(entry.failure.code) ? [`${entry.task}/${entry.attempt}`] : [],
    ),
  );
  return entries.flatMap((entry): Check[] => {
    if (entry.type !== 'task-started') return [];
    const { task, attempt } = entry;
    const name = `${task}/${attempt}`;
    const { isThere, hasOutput } = attemptLogs(task, attempt);
    if (!isThere && !ended.has(name)) return [passed('log', name, `attempt ${attempt} of ${task} was cut short`)];
    if (!isThere) return [failed('log', name, `the folder of attempt ${attempt} of ${task} is gone`)];
    const runsCommands = (tasks.get(task)?.description.commands?.length ?? 0) > 0;
    if (runsCommands && !hasOutput && ended.has(name) && !silent.has(name) && !tasks.get(task)?.agent)
      return [failed('log', name, `what attempt ${attempt} of ${task} printed is gone`)];
    return [passed('log', name, `attempt ${attempt} of ${task} left its logs`)];
  });
}

/** An attempt may have ended so before its command began, and then nothing was printed. */
const beforeCommand: ReadonlySet<Failure['code']> = new Set<Failure['code']>([
  ...([
    'cancelled',
    'input-missing',
    'result-changed',
    'name-unreadable',
    'budget-spent',
    'locked',
    'lock-lost',
  ] as const),
  ...(['command-not-found', 'command-not-started', 'disk-full', 'not-writable'] as const),
  ...(['cannot-protect', 'protect-violated', 'scope-too-large', 'worktree-failed'] as const),
]);
