import { reportedModels } from '../../journal/reported-models.js';
import type { JournalEntry } from '../../model/events/event.js';
import { toNano, toUsd } from '../../model/money/money.js';
import { grouped } from '../words/grouped.js';
import { plural } from '../words/phrase.js';

/** What was spent on one thing. What nobody knows is counted, never taken for nothing. */
export interface SpendLine {
  readonly name: string;
  readonly usd: number;
  /** The part of `usd` that nobody told: caps of calls that did not say. */
  readonly assumedUsd: number;
  readonly calls: number;
  /** How many of them are jobs. */
  readonly jobs: number;
  /** Calls that ended and cost nobody knows what. */
  readonly unpriced: number;
  /** Calls that were begun and of which no end is known. */
  readonly open: number;
  readonly tokens: number;
  readonly gpuHours: number;
  /** Lines of the journal, the first few. */
  readonly lines: readonly number[];
}

export interface SpendTables {
  readonly total: SpendLine;
  readonly roles: readonly SpendLine[];
  readonly stages: readonly SpendLine[];
  readonly models: readonly SpendLine[];
}

/** A line of a table of money, with the calls that it sums up. */
export interface SpendGroup {
  readonly line: SpendLine;
  readonly calls: readonly SpendCall[];
}

export interface SpendGroups {
  readonly total: SpendGroup;
  readonly roles: readonly SpendGroup[];
  readonly stages: readonly SpendGroup[];
  readonly models: readonly SpendGroup[];
}

export function spendOf(entries: readonly JournalEntry[]): SpendTables {
  const { total, roles, stages, models } = spendGroups(entries);
  const lines = (groups: readonly SpendGroup[]): readonly SpendLine[] => groups.map(({ line }) => line);
  return { total: total.line, roles: lines(roles), stages: lines(stages), models: lines(models) };
}

export function spendGroups(entries: readonly JournalEntry[]): SpendGroups {
  const settled = new Set(entries.flatMap((entry) => (entry.type === 'spend-recorded' ? [entry.call] : [])));
  const calls = entries.filter(
    (entry) => entry.type === 'spend-recorded' || (entry.type === 'agent-invoked' && !settled.has(entry.call)),
  ) as readonly SpendCall[];
  const told = reportedModels(entries);
  const by = (nameOf: (call: SpendCall) => string): readonly SpendGroup[] =>
    [...grouped(calls, nameOf)]
      .map(([name, group]) => ({ line: lineOfCalls(name, group), calls: group }))
      .sort(({ line: a }, { line: b }) => b.usd - a.usd || b.calls - a.calls || (a.name < b.name ? -1 : 1));
  return {
    total: { line: lineOfCalls('all', calls), calls },
    roles: by(({ role }) => role),
    stages: by(({ stage }) => stage),
    // Where the config names none, whoever answered may have said what it is.
    models: by(({ model, agent, call }) => model ?? told.get(call) ?? `${agent} (no model named)`),
  };
}

export type SpendCall = Extract<JournalEntry, { type: 'spend-recorded' | 'agent-invoked' }>;

function lineOfCalls(name: string, calls: readonly SpendCall[]): SpendLine {
  const line = { nano: 0, assumed: 0, unpriced: 0, open: 0, tokens: 0, gpuHours: 0 };
  for (const call of calls) {
    if (call.type === 'agent-invoked') {
      line.open += 1;
      continue;
    }
    if (call.usd === undefined) line.unpriced += 1;
    else line.nano += toNano(call.usd);
    if (call.usd !== undefined && call.source === 'cap') line.assumed += toNano(call.usd);
    line.tokens += call.tokens;
    line.gpuHours += call.gpuHours;
  }
  return {
    name,
    usd: toUsd(line.nano),
    assumedUsd: toUsd(line.assumed),
    calls: calls.length,
    jobs: calls.filter(({ role }) => role === 'job').length,
    unpriced: line.unpriced,
    open: line.open,
    tokens: line.tokens,
    gpuHours: line.gpuHours,
    lines: calls.slice(0, mostLines).map(({ seq }) => seq + 1),
  };
}

/** As many digits as anybody reads. */
export const gpuText = (hours: number): string => (hours > 0 ? String(Number(hours.toPrecision(3))) : '0');

const mostLines = 5;

/** `1.25 USD`, `1.25 USD and 2 calls of unknown cost`, `unknown (2 calls)`. Never nothing for what is not known. */
export function usdText({ usd, calls, unpriced, open, assumedUsd }: SpendLine): string {
  const unknown = unpriced + open;
  if (calls > 0 && unknown === calls) return `unknown (${plural(calls, 'call')})`;
  const assumed = assumedUsd > 0 ? ` (${amountText(assumedUsd)} of it assumed)` : '';
  return `${amountText(usd)} USD${assumed}${unknown > 0 ? ` and ${plural(unknown, 'call')} of unknown cost` : ''}`;
}

export const amountText = (usd: number): string =>
  usd > 0 && usd < 0.0001 ? 'under 0.0001' : String(Math.round(usd * 10_000) / 10_000);
