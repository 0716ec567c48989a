import { firstPrev, type Linked, seal } from '../../journal/chain.js';
import { book } from '../../journal/ledger-book.js';
import type { JournalEntry } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { LedgerCall, LedgerRecord } from '../../model/money/ledger-line.js';
import type { RunStore } from '../journal/run-store.js';

/**
 * A ledger that is gone must not count as nothing spent. The journals of the runs tell of every call, so it is made anew
 * from them. A journal that cannot be trusted is in the way of that, and is said to be.
 */
export function ledgerFromJournals(store: RunStore): string {
  let text = '';
  let prev = firstPrev;
  let seq = 0;
  const known = new Map<string, LedgerCall>();
  for (const id of [...store.ids()].reverse()) {
    for (const entry of store.read(id)?.entries ?? []) {
      for (const record of recordsOf(entry, known)) {
        const { entry: line, line: written } = seal(record, { seq, at: entry.at, prev });
        book(known, line as Linked<LedgerRecord>);
        text += written;
        prev = line.hash;
        seq += 1;
      }
    }
  }
  return text;
}

/** A ledger that was cut short would give money back. Every call that a journal tells of was booked before it was made. */
export function checkAgainstJournals(file: string, calls: ReadonlyMap<string, LedgerCall>, store: RunStore): void {
  for (const id of store.ids()) {
    for (const entry of store.read(id)?.entries ?? []) {
      const detail = faultOf(entry, calls, id);
      if (detail === undefined) continue;
      throw new FailureError({ code: 'journal-corrupt', file, line: calls.size + 1, detail });
    }
  }
}

/** What a call cost is settled before the journal tells of it. */
function faultOf(entry: JournalEntry, calls: ReadonlyMap<string, LedgerCall>, run: string): string | undefined {
  if (entry.type === 'agent-invoked' && !calls.has(entry.call))
    return `call ${entry.call} of run ${run} is missing: it was cut short or replaced`;
  if (entry.type !== 'spend-recorded') return undefined;
  const settled = calls.get(entry.call)?.settled;
  if (!settled) return `what call ${entry.call} of run ${run} cost is missing: it was cut short or replaced`;
  return settled.usd === entry.usd
    ? undefined
    : `call ${entry.call} of run ${run} cost something else: it was replaced`;
}

function recordsOf(entry: JournalEntry, known: ReadonlyMap<string, LedgerCall>): readonly LedgerRecord[] {
  if (entry.type !== 'agent-invoked' && entry.type !== 'spend-recorded') return [];
  const { call, run, stage, task, role, agent, model } = entry;
  const place = { call, run, stage, task, role, agent, ...(model === undefined ? {} : { model }) };
  const cap = entry.type === 'agent-invoked' && entry.capUsd !== undefined ? { capUsd: entry.capUsd } : {};
  const reserved: LedgerRecord = { type: 'reserved', ledger: 1, ...place, ...cap };
  const booking = known.has(call) ? [] : [reserved];
  if (entry.type === 'agent-invoked') return booking;
  const { usd, source, tokens, wallMs, gpuHours } = entry;
  const cost = { ...(usd === undefined ? {} : { usd }), source, tokens, wallMs, gpuHours };
  return [...booking, { type: 'settled', ledger: 1, call, ...cost }];
}
