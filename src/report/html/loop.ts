import { type Series, seriesIn } from '../../journal/series-in.js';
import { formatDuration } from '../../model/duration.js';
import { shownNumber } from '../../model/shown-number.js';
import { lineOf } from '../history/run-facts.js';
import { endedWords } from '../iterations/loop-outcome.js';
import { type RowTold, type SeriesTold, seriesTold } from '../record/series-told.js';
import { amountText } from '../record/spend.js';
import { plural } from '../words/phrase.js';
import { countOf } from './count-of.js';
import { loopChart } from './loop-chart.js';
import { type LoopPage, loopPage, recordTime } from './loop-page.js';
import { iterationTable } from './loop-table.js';
import { html, joined, type Markup } from './markup.js';
import type { Section } from './sources.js';
import { badge, digest, named } from './table.js';

/** The loop that the run is an iteration of: every iteration, whatever became of it, the best, and why it ended. */
export const loop: Section = async ({ loop: facts }, sources) => {
  if (!facts) return undefined;
  const all = facts.problem === undefined ? seriesIn(facts.entries) : [];
  const own = all.find(({ state }) => state.series === facts.series);
  const about = { id: 'loop', title: 'Iterations' };
  if (!own)
    return {
      ...about,
      body: html`<p>${badge('bad', 'not told')} The record of the loop (${sources.link(facts.path)}) cannot be believed: ${named(facts.problem ?? 'it is gone')}.</p>`,
    };
  const page = loopPage(facts, sources);
  const told = seriesTold(own);
  const others = all.filter((one) => one !== own).map((one) => otherSeries(one, page));
  return {
    ...about,
    body: html`${standing(own, told, page)}${await loopChart(told)}${iterationTable(told, page)}${joined(others)}
<p data-lines="${facts.entries.length}" class="caption">From ${sources.link(facts.path)}, which had ${countOf(sources, { what: 'lines of the record', places: facts.entries.map((one) => page.place(lineOf(one))), one: 'line' })} then.</p>`,
  };
};

function standing(series: Series, told: SeriesTold, page: LoopPage): Markup {
  const { at, words } = page;
  const last = told.ends.at(-1);
  const end =
    told.isOver && last
      ? endSentence(last, page)
      : html`It has not ended${told.open && html`: ${openWords(told.open.number)} is open`}.`;
  const before = told.ends.slice(0, told.isOver ? -1 : undefined);
  const { best } = series.state;
  const row = best && told.rows.find(({ row: { number } }) => number === best.number);
  return html`<p>Series ${at(String(told.series), told.line)}: ${countsOf(told, page)}. ${end}${before.map((one) => html` It was gone on with after it had ${words(endedWords(one), lineOf(one))}.`)}</p>
${row && html`<p>${badge('good', 'best')} ${named(told.metric)} ${at(shownNumber(best.value), row.decided)}, ${iterationName(row, page)}${row.row.changes && html`, commit ${digest(row.row.changes.commit)}`}.${told.measure && html` What counts is ${words(told.measure.text, told.measure.line)}.`}</p>`}
<p>${spentText(told, page)}</p>`;
}

function endSentence(end: SeriesTold['ends'][number], page: LoopPage): Markup {
  const line = lineOf(end);
  const why = page.words(endedWords(end).replace(/^ended /, ''), line);
  const sign = end.missed !== undefined && html`${badge('bad', 'goal not reached')} `;
  return html`${sign}It ended ${recordTime(end.at, line, page)} ${why}.`;
}

const openWords = (number: number): Markup => (number === 0 ? html`the baseline` : html`an iteration`);

const iterationName = ({ row: { number }, decided }: RowTold, { at }: LoopPage): Markup =>
  number === 0 ? html`the baseline` : html`iteration ${at(String(number), decided)}`;

/** `4 iterations were decided: 2 kept, 1 discarded, 1 failed`. */
function countsOf({ rows, series }: SeriesTold, { sources, place }: LoopPage): Markup {
  const made = rows.filter(({ row }) => row.number > 0);
  const count = (some: readonly RowTold[], what: string, one?: string): Markup =>
    countOf(sources, {
      what: `iterations of series ${series}: ${what}`,
      places: some.map(({ decided }) => place(decided)),
      ...(one === undefined ? {} : { one }),
    });
  const kinds = (['kept', 'discarded', 'failed'] as const).flatMap((verdict) => {
    const some = made.filter(({ row }) => row.verdict === verdict);
    return some.length === 0 ? [] : [html`${count(some, verdict)} ${verdict}`];
  });
  return html`${count(made, 'decided', 'iteration')} decided${kinds.length > 0 && html`: ${joined(kinds, ', ')}`}`;
}

/** `0.9 s of work in 3 runs, for 0.24 USD`. What nobody knows the price of is not nothing. */
function spentText({ measured, series }: SeriesTold, { sources, place }: LoopPage): Markup {
  const places = measured.map((one) => place(lineOf(one)));
  const sum = (field: 'usd' | 'unpricedCalls' | 'workedMs', what: string, text: (total: number) => string): Markup =>
    sources.follows(text(total(field)), { what: `series ${series}: ${what}`, how: `sum of ${field}`, places });
  const total = (field: 'usd' | 'unpricedCalls' | 'workedMs'): number =>
    measured.reduce((all, one) => all + one[field], 0);
  const costs = [
    ...(total('usd') > 0 ? [html`${sum('usd', 'cost in USD', amountText)} USD`] : []),
    ...(total('unpricedCalls') > 0
      ? [
          html`${sum('unpricedCalls', 'calls of which nobody knows the cost', (count) => plural(count, 'call'))} of unknown cost`,
        ]
      : []),
  ];
  const runs = countOf(sources, { what: `series ${series}: runs that were measured`, places, one: 'run' });
  return html`${sum('workedMs', 'time at work', formatDuration)} of work in ${runs}${costs.length > 0 && html`, for ${joined(costs, ' and ')}`}.`;
}

/** What an earlier or a later series found stays in sight, below the one that the run belongs to. */
function otherSeries(series: Series, page: LoopPage): Markup {
  const told = seriesTold(series);
  return html`<details><summary>Series ${page.at(String(told.series), told.line)}: ${countsOf(told, page)}</summary>${standing(series, told, page)}${iterationTable(told, page)}</details>`;
}
