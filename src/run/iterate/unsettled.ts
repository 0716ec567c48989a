import type { JournalEntry } from '../../model/events/event.js';

/** What calls may have cost that nobody saw the end of: their caps. Unknown is never nothing, also in the next iteration. */
export function unsettled(entries: readonly JournalEntry[]): { readonly usd: number; readonly unpricedCalls: number } {
  const open = new Map<string, number | undefined>();
  for (const entry of entries) {
    if (entry.type === 'agent-invoked') open.set(entry.call, entry.capUsd);
    else if (entry.type === 'spend-recorded') open.delete(entry.call);
  }
  const caps = [...open.values()];
  return {
    usd: caps.reduce<number>((sum, cap) => sum + (cap ?? 0), 0),
    unpricedCalls: caps.filter((cap) => cap === undefined).length,
  };
}
