import { type Content, html, type Markup } from './markup.js';

/**
 * A table that scrolls by itself where it is too wide. Columns whose name begins with `#` hold numbers; those with `>` hold sentences, which
 * stand below the rest of their row where there is no room beside it.
 */
export const table = (
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
): Markup => html`<div class="scroll" tabindex="0"><table${columns.some(isLong) ? html` class="stacked"` : columns.length > mostNarrow && html` class="wide"`}>
<thead><tr>${columns.map((column) => html`<th scope="col"${classOf(column)}>${column.replace(/^[#>]/, '')}</th>`)}</tr></thead>
<tbody>${rows.map(
  (row) => html`<tr>${row.map((cell, index) => html`<td${classOf(columns[index]!)}>${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`;

/** As many columns fit a telephone. */
const mostNarrow = 4;

const isLong = (column: string): boolean => column.startsWith('>');

const classOf = (column: string): Content =>
  column.startsWith('#') ? html` class="num"` : isLong(column) && html` class="long"`;

/** Names and values, below each other. */
export const facts = (pairs: readonly (readonly [name: string, value: Content])[]): Markup =>
  html`<dl>${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** What somebody called something. A digit in it is no number that comes from anywhere. */
export const named = (text: string): Markup => html`<span class="name">${text}</span>`;

/** `✓ passed`: a mark and words, never a colour alone. */
export const badge = (kind: BadgeKind, words: Content): Markup =>
  html`<span class="badge ${kind}">${marks[kind]} ${words}</span>`;

export type BadgeKind = 'good' | 'bad' | 'warn' | 'idle' | 'busy';

const marks: Record<BadgeKind, string> = { good: '✓', bad: '✗', warn: '!', idle: '–', busy: '↻' };

export const wholeDigest = (text: string): Markup => html`<code class="digest">${text}</code>`;

/** The first characters of a digest; the whole of it when it is pointed at, and in print. */
export const digest = (text: string): Markup => html`<code class="digest" title="${text}">${text.slice(0, 12)}</code>`;
