import type { JournalEntry } from '../model/events/event.js';
import type { RunSpend, RunState, SpentOn } from '../model/state/run-state.js';

type Spent = Extract<JournalEntry, { type: 'spend-recorded' }>;

interface OpenSpend {
  spend: RunSpend;
  readonly spentOn: Map<string, SpentOn>;
  overspent?: RunState['overspent'];
}

export function noteSpend(open: OpenSpend, entry: Spent): void {
  // What a job used is told by its end.
  if (entry.role === 'job') return;
  open.spend = withSpend(open.spend, entry);
  addSpentOn(open.spentOn, entry);
  const { task, role, agent, usd, over } = entry;
  // What went beyond a limit is told when the run is, and not only to whoever asks what it cost.
  if (over)
    open.overspent = [...(open.overspent ?? []), { task, role, agent, ...(usd === undefined ? {} : { usd }), ...over }];
}

/** Unknown is never nothing: a call without a price is counted as such. */
const withSpend = (spend: RunSpend, entry: Spent): RunSpend => ({
  usd: spend.usd + (entry.usd ?? 0),
  tokens: spend.tokens + entry.tokens,
  calls: spend.calls + 1,
  wallMs: spend.wallMs + entry.wallMs,
  gpuHours: spend.gpuHours + entry.gpuHours,
  unpricedCalls: spend.unpricedCalls + (entry.usd === undefined ? 1 : 0),
});

function addSpentOn(on: Map<string, SpentOn>, { stage, role, agent, usd = 0 }: Spent): void {
  const key = JSON.stringify([stage, role, agent]);
  const before = on.get(key);
  on.set(key, { stage, role, agent, usd: (before?.usd ?? 0) + usd, calls: (before?.calls ?? 0) + 1 });
}
