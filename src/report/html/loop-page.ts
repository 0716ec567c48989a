import type { IterationVerdict } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import type { IterationRow } from '../../model/state/iteration-state.js';
import type { Place } from '../history/reckoning.js';
import type { LoopFacts } from '../history/run-facts.js';
import { loopOf } from '../iterations/loop-facts.js';
import { seriesTold } from '../record/series-told.js';
import { html, type Markup } from './markup.js';
import type { Sources } from './sources.js';
import { type BadgeKind, badge, named } from './table.js';

/** How the parts of the section lead to the record, and to what lies beside it. */
export interface LoopPage {
  readonly sources: Sources;
  /** Something that lies beside the record. */
  beside(path: string, text: string): Markup;
  place(line: number): Place;
  /** A number that a line of the record holds. */
  at(text: string, line: number): Markup;
  /** Words with numbers in them, from a line of the record. */
  words(text: string, line: number): Markup;
}

export const loopPage = ({ path, dir }: LoopFacts, sources: Sources): LoopPage => ({
  sources,
  beside: (to, text) => (dir === undefined ? named(text) : sources.link(`${dir}/${to}`, text)),
  place: (line) => ({ path, line }),
  at: (text, line) => sources.at(text, { path, line }),
  words: (text, line) => sources.words(text, { path, line }),
});

export const recordTime = (at: string, line: number, { sources, place }: LoopPage): Markup =>
  sources.at(html`<span class="at">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</span>`, place(line));

/** `loss 0.5`, for the top of a page. */
export function bestOfLoop(loop: LoopFacts, sources: Sources): Markup {
  const series = loopOf(loop);
  if (!series) return html`not told`;
  const { metric, rows } = seriesTold(series);
  const best = rows.findLast(({ row }) => row.progress && row.value !== undefined);
  if (!best) return html`none`;
  return html`${named(metric)} ${sources.at(shownNumber(best.row.value!), { path: loop.path, line: best.decided })}`;
}

/** `discarded: loss is 0.7 after 0.5`, for the run that is this iteration; nothing before it was decided. */
export function ownIteration(loop: LoopFacts, run: string, sources: Sources): Markup | undefined {
  const series = loopOf(loop);
  const own = series && seriesTold(series).rows.find(({ row }) => row.run === run);
  if (!own) return undefined;
  return html`<p>${verdictBadge(own.row)} ${sources.words(own.row.why, { path: loop.path, line: own.decided })}.</p>`;
}

const kinds: Record<IterationVerdict, BadgeKind> = { kept: 'good', discarded: 'warn', failed: 'bad' };

/** With `keep: all` nothing is put back, and still not everything was progress. */
export const verdictBadge = ({ verdict, progress }: IterationRow): Markup =>
  verdict === 'kept' && !progress ? badge('idle', 'kept, no progress') : badge(kinds[verdict], verdict);
