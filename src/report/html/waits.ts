import { formatDuration } from '../../model/duration.js';
import { journalLines } from '../history/reckoning.js';
import { html, type Markup } from './markup.js';
import type { Sources } from './sources.js';
import type { Span } from './spans.js';
import { table } from './table.js';

/** What was waited for and what was mended, the longest first: the picture shows how it lies, and this how long it was. */
export function waitTable(spans: readonly Span[], sources: Sources): Markup | undefined {
  const waits = spans.filter(({ kind }) => kind in words).sort((a, b) => lengthOf(b) - lengthOf(a) || a.line - b.line);
  if (waits.length === 0) return undefined;
  const rows = waits.slice(0, mostRows).map((span) => [
    html`<span class="task">${span.row}</span>`,
    words[span.kind] ?? span.kind,
    // Of what was mended the journal says when it was over, and how long it took.
    span.kind === 'mending' ? '' : sources.time(new Date(span.startMs).toISOString(), span.line),
    tookText(span, sources),
  ]);
  return html`<details><summary>Waits</summary>${table(['task', 'what for', 'since', '#time'], rows)}</details>`;
}

const words: { readonly [kind in Span['kind']]?: string } = {
  pause: 'a pause before the next try',
  gate: 'an answer at a gate',
  queue: 'the queue of a scheduler',
  mending: 'whoever mended it',
};

const mostRows = 200;

const lengthOf = ({ startMs, endMs }: Span): number => endMs - startMs;

/** A length that a line states, or the time between two lines. */
export function tookText(span: Span, sources: Sources): Markup {
  const text = formatDuration(lengthOf(span));
  return span.between.length === 1
    ? sources.journal(text, span.line)
    : sources.follows(text, {
        what: `${span.row}: ${span.kind}`,
        how: 'time from the first to the last line',
        places: journalLines(span.between),
      });
}
