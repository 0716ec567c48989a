import type { JournalEntry } from '../../model/events/event.js';
import { type How, journalLines } from '../history/reckoning.js';
import { lineOf } from '../history/run-facts.js';
import { amountText, gpuText, type SpendCall, type SpendGroup, spendGroups } from '../record/spend.js';
import { plural } from '../words/phrase.js';
import { html, type Markup } from './markup.js';
import type { Sources } from './sources.js';

/** What all agents cost; undefined where none was asked. */
export function costOf(entries: readonly JournalEntry[], sources: Sources): Markup | undefined {
  const { total } = spendGroups(entries);
  return total.line.calls === 0 ? undefined : costText(total, sources);
}

/** `1.25 USD and 2 calls of unknown cost`, each number with the lines that it follows from. */
export function costText(group: SpendGroup, sources: Sources): Markup {
  const { line, calls } = group;
  const unknown = calls.filter(isUnknown);
  const unknownCalls = (): Markup =>
    reckoned(group, sources, {
      text: plural(unknown.length, 'call'),
      what: 'calls of which nobody knows the cost',
      calls: unknown,
    });
  if (calls.length > 0 && unknown.length === calls.length) return html`unknown (${unknownCalls()})`;
  const sum = (text: string, what: string, some: readonly SpendCall[]): Markup =>
    reckoned(group, sources, { text, what, calls: some, how: 'sum of usd' });
  const known = calls.filter((call) => !isUnknown(call));
  const assumed = known.filter((call) => call.type === 'spend-recorded' && call.source === 'cap');
  return html`${sum(amountText(line.usd), 'cost in USD', known)} USD${
    line.assumedUsd > 0 &&
    html` (${sum(amountText(line.assumedUsd), 'cost in USD that was assumed', assumed)} of it assumed)`
  }${unknown.length > 0 && html` and ${unknownCalls()} of unknown cost`}`;
}

const isUnknown = (call: SpendCall): boolean => call.type === 'agent-invoked' || call.usd === undefined;

/** `3 calls`; jobs are counted apart. */
export const callsText = (group: SpendGroup, sources: Sources, what: 'call' | 'job' | 'call or job'): Markup => {
  const calls = group.calls.filter(({ role }) => what === 'call or job' || (role === 'job') === (what === 'job'));
  const text = what === 'call or job' ? String(calls.length) : plural(calls.length, what);
  return reckoned(group, sources, { text, what: what === 'call or job' ? 'calls and jobs' : `${what}s`, calls });
};

export const tokensText = (group: SpendGroup, sources: Sources): Markup | string =>
  group.line.tokens > 0
    ? reckoned(group, sources, {
        text: group.line.tokens.toLocaleString('en'),
        what: 'tokens',
        calls: group.calls.filter(({ type }) => type === 'spend-recorded'),
        how: 'sum of tokens',
      })
    : group.line.jobs === group.line.calls
      ? ''
      : 'not told';

export const gpuHoursText = (group: SpendGroup, sources: Sources): Markup =>
  reckoned(group, sources, {
    text: gpuText(group.line.gpuHours),
    what: 'GPU-hours',
    calls: group.calls.filter(({ type }) => type === 'spend-recorded'),
    how: 'sum of gpuHours',
  });

interface Figure {
  readonly text: string;
  readonly what: string;
  readonly calls: readonly SpendCall[];
  readonly how?: How;
}

function reckoned({ line }: SpendGroup, sources: Sources, { text, what, calls, how }: Figure): Markup {
  // What one line says need not be summed up.
  if (how && calls.length === 1) return sources.journal(text, lineOf(calls[0]!));
  return sources.follows(text, {
    what: line.name === 'all' ? what : `${what}: ${line.name}`,
    how: how ?? 'count of the lines',
    places: journalLines(calls.map(lineOf)),
  });
}
