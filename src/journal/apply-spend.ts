import type { JournalEntry } from '../model/event.js';
import type { RunSpend, SpentOn } from '../model/run-state.js';

type Spent = Extract<JournalEntry, { type: 'spend-recorded' }>;

/** Unknown is never nothing: a call without a price is counted as such. */
export const withSpend = (spend: RunSpend, entry: Spent): RunSpend => ({
  usd: spend.usd + (entry.usd ?? 0),
  tokens: spend.tokens + entry.tokens,
  calls: spend.calls + 1,
  wallMs: spend.wallMs + entry.wallMs,
  gpuHours: spend.gpuHours + entry.gpuHours,
  unpricedCalls: spend.unpricedCalls + (entry.usd === undefined ? 1 : 0),
});

export function addSpentOn(on: Map<string, SpentOn>, { stage, role, agent, usd = 0 }: Spent): void {
  const key = JSON.stringify([stage, role, agent]);
  const before = on.get(key);
  on.set(key, { stage, role, agent, usd: (before?.usd ?? 0) + usd, calls: (before?.calls ?? 0) + 1 });
}
