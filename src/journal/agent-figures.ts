import type { JournalEntry } from '../model/events/event.js';
import { median } from '../model/median.js';

/** How one agent has done, over all the journals that were looked at. */
export interface AgentFigures {
  readonly agent: string;
  readonly calls: number;
  /** Calls that ended with a reply that could be used, broke no rule, and did not say itself that it failed. */
  readonly succeeded: number;
  /** Of the calls that ended; absent when none did. */
  readonly medianMs?: number;
  /** What is known of the money; calls of unknown cost are counted instead. */
  readonly usd: number;
  readonly unpricedCalls: number;
}

interface Gathered {
  calls: number;
  succeeded: number;
  readonly durations: number[];
  usd: number;
  unpricedCalls: number;
}

/** By name. A call whose runner died has not succeeded. */
export function agentFigures(journals: Iterable<readonly JournalEntry[]>): readonly AgentFigures[] {
  const agents = new Map<string, Gathered>();
  for (const entries of journals) gather(entries, agents);
  return [...agents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([agent, { durations, ...rest }]) => ({ agent, ...rest, ...medianOf(durations) }));
}

function gather(entries: readonly JournalEntry[], agents: Map<string, Gathered>): void {
  const callers = new Map<string, Gathered>();
  const good = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'agent-invoked') {
      const figures = agents.get(entry.agent) ?? { calls: 0, succeeded: 0, durations: [], usd: 0, unpricedCalls: 0 };
      agents.set(entry.agent, figures);
      figures.calls += 1;
      callers.set(entry.call, figures);
      continue;
    }
    const figures = 'call' in entry ? callers.get(entry.call) : undefined;
    if (!figures) continue;
    if (entry.type === 'agent-completed' || entry.type === 'agent-failed') figures.durations.push(entry.durationMs);
    const { call } = entry as { readonly call: string };
    if (entry.type === 'agent-completed' && entry.outcome !== 'failed') {
      good.add(call);
      figures.succeeded += 1;
    }
    // It comes after the end of the call, and takes its success back.
    if (entry.type === 'agent-validation-failed' && good.delete(call)) figures.succeeded -= 1;
    if (entry.type !== 'spend-recorded') continue;
    if (entry.usd === undefined) figures.unpricedCalls += 1;
    else figures.usd += entry.usd;
  }
}

function medianOf(durations: readonly number[]): { medianMs?: number } {
  const medianMs = median(durations);
  return medianMs === undefined ? {} : { medianMs };
}
