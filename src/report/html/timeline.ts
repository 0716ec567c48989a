import type { JsonObject } from '../../model/json.js';
import { journalLines, type Place } from '../history/reckoning.js';
import type { RunFacts } from '../history/run-facts.js';
import { plural } from '../words/phrase.js';
import { countOf } from './count-of.js';
import { figure } from './figure.js';
import { html } from './markup.js';
import type { Section } from './sources.js';
import { type Span, spansOf } from './spans.js';
import { tookText, waitTable } from './waits.js';

/** When each attempt ran, and what was waited for. */
export const timeline: Section = async (facts, sources) => {
  const spans = spansOf(facts.entries);
  if (spans.length === 0) return undefined;
  const begin = Math.min(...firsts(facts), ...spans.slice(0, 1).map(({ startMs }) => startMs));
  const shown = longest(spans);
  const names = new Set(spans.map(({ row }) => row));
  const rows = names.size <= mostNamed ? byName(shown) : byLane(shown);
  const wholeMs = spans.reduce((end, { endMs }) => Math.max(end, endMs), begin) - begin;
  const unit = unitFor(wholeMs);
  const values = rows
    .map(({ span, row }) => ({
      row,
      kind: span.kind,
      from: (span.startMs - begin) / unit.ms,
      to: (Math.max(span.endMs, span.startMs + leastMs(span, wholeMs)) - begin) / unit.ms,
    }))
    // What is drawn last lies above the rest.
    .sort((a, b) => rank(b) - rank(a));
  const order = [...new Set(rows.map(({ row }) => row))];
  const drawn = new Set(shown);
  const left = spans.filter((span) => !drawn.has(span));
  return {
    id: 'timeline',
    title: 'Timeline',
    body: html`${await figure(spec(values, order, unit.name), {
      id: 'timeline',
      label: `Timeline of ${plural(spans.length, 'attempt or wait', 'attempts and waits')}`,
      caption: html`${countOf(sources, { what: 'attempts and waits', places: placesOf(spans), one: 'attempt or wait', many: 'attempts and waits' })}${names.size > mostNamed && ', packed into as many lanes as there was work at the same time'}; time since the start of the run.${left.length > 0 && html` The ${countOf(sources, { what: 'attempts that are not drawn', places: placesOf(left) })} shortest of those that passed are not drawn; all are in the table of tasks.`} The longest took ${tookText(longestOf(shown), sources)}.`,
    })}${waitTable(spans, sources)}`,
  };
};

const longestOf = (spans: readonly Span[]): Span =>
  spans.reduce((longest, span) => (lengthOf(span) > lengthOf(longest) ? span : longest));

const placesOf = (spans: readonly Span[]): Place[] => journalLines(spans.map(({ line }) => line));

const lengthOf = ({ startMs, endMs }: Span): number => endMs - startMs;

const mostNamed = 40;
const mostDrawn = 2000;

const firsts = ({ state }: RunFacts): readonly number[] => [state.startedAt];

const longest = (spans: readonly Span[]): readonly Span[] =>
  spans.length <= mostDrawn
    ? spans
    : [...spans]
        .sort((a, b) => rank(a) - rank(b) || b.endMs - b.startMs - (a.endMs - a.startMs) || a.line - b.line)
        .slice(0, mostDrawn)
        .sort((a, b) => a.startMs - b.startMs || a.line - b.line);

/** What took no time at all is still to be seen, and what failed among thousands too. */
const leastMs = ({ kind }: Span, wholeMs: number): number => Math.max(1, kind === 'failed' ? wholeMs / 400 : 0);

/** What did not simply pass is never left out for being short. */
const rank = ({ kind }: Pick<Span, 'kind'>): number => (kind === 'passed' ? 1 : 0);

interface Placed {
  readonly span: Span;
  readonly row: string;
}

const byName = (spans: readonly Span[]): readonly Placed[] => spans.map((span) => ({ span, row: span.row }));

/** The lowest lane that is free: there are as many as there was work at the same time. */
function byLane(spans: readonly Span[]): readonly Placed[] {
  const ends: number[] = [];
  return [...spans]
    .sort((a, b) => a.startMs - b.startMs)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.startMs);
      const lane = free === -1 ? ends.length : free;
      ends[lane] = span.endMs;
      return { span, row: `lane ${lane + 1}` };
    });
}

function unitFor(ms: number): { readonly ms: number; readonly name: string } {
  if (ms < 180_000) return { ms: 1000, name: 'seconds' };
  return ms < 3 * 3_600_000 ? { ms: 60_000, name: 'minutes' } : { ms: 3_600_000, name: 'hours' };
}

const kinds: readonly Span['kind'][] = ['passed', 'failed', 'running', 'mending', 'pause', 'gate', 'queue'];
const colours = ['#009e73', '#d55e00', '#0072b2', '#cc79a7', '#999999', '#e69f00', '#56b4e9'];

function spec(values: readonly object[], order: readonly string[], unit: string): JsonObject {
  const there = kinds.filter((kind) => values.some((value) => (value as { kind: string }).kind === kind));
  return {
    width: 700,
    height: { step: order.length > 20 ? 14 : 20 },
    data: { values } as never,
    mark: { type: 'bar', cornerRadius: 1 },
    encoding: {
      y: {
        field: 'row',
        type: 'nominal',
        sort: order,
        title: null,
        axis: { labelLimit: 320, ticks: false, domain: false },
      },
      x: { field: 'from', type: 'quantitative', title: unit },
      x2: { field: 'to' },
      color: {
        field: 'kind',
        type: 'nominal',
        title: null,
        scale: { domain: there, range: there.map((kind) => colours[kinds.indexOf(kind)]!) },
      },
    },
  } as unknown as JsonObject;
}
