import { formatDuration } from '../../model/duration.js';
import type { IterationMeasured } from '../../model/events/iteration-event.js';
import { shownNumber } from '../../model/shown-number.js';
import { lineOf, type Told } from '../history/run-facts.js';
import { editedWords } from '../iterations/edited-words.js';
import { oneLine } from '../iterations/insights-text.js';
import type { RowTold, SeriesTold } from '../record/series-told.js';
import { amountText } from '../record/spend.js';
import { type LoopPage, recordTime, verdictBadge } from './loop-page.js';
import { type Content, html, joined, type Markup } from './markup.js';
import { badge, digest, named, table } from './table.js';

/** Every iteration in the order in which they were made; what was discarded or failed stands there like the rest. */
export function iterationTable(told: SeriesTold, page: LoopPage): Markup | undefined {
  const hasCost = told.measured.some(({ usd, unpricedCalls }) => usd > 0 || unpricedCalls > 0);
  const best = told.rows.findLast(({ row }) => row.progress && row.value !== undefined);
  const decided = told.rows.map((one) => ({
    line: one.decided,
    cells: rowCells(one, { told, page, isBest: one === best }),
  }));
  const broken = told.measured
    .filter(({ number, failure }) => number === 0 && failure !== undefined)
    .map((one) => ({ line: lineOf(one), cells: brokenCells(one, page) }));
  const open = told.open ? [{ line: lineOf(told.open), cells: openCells(told.open, page) }] : [];
  const rows = [...decided, ...broken, ...open].sort((a, b) => a.line - b.line);
  if (rows.length === 0) return undefined;
  return table(
    ['#iteration', 'verdict', `#${told.metric}`, '#best so far', '>why', '#time', ...(hasCost ? ['#cost'] : [])],
    rows.map(({ cells }) => cells.slice(0, hasCost ? undefined : -1)),
  );
}

interface RowPlace {
  readonly told: SeriesTold;
  readonly page: LoopPage;
  readonly isBest: boolean;
}

function rowCells(one: RowTold, { told, page, isBest }: RowPlace): readonly Content[] {
  const { row, decided, measured, best } = one;
  const { at, words } = page;
  const value = row.value === undefined ? 'none' : at(shownNumber(row.value), row.number === 0 ? decided : measured);
  return [
    nameCell(row.number, decided, page),
    html`${verdictBadge(row)}${isBest && html` ${badge('good', 'best')}`}`,
    value,
    row.best === undefined || best === undefined ? 'none' : at(shownNumber(row.best), best),
    html`${words(row.why, decided)}${row.number === 0 && repeats(told, page)}${details(one, page)}`,
    at(formatDuration(row.workedMs), measured),
    costCell(row, measured, page),
  ];
}

const nameCell = (number: number, line: number, { at }: LoopPage): Content =>
  number === 0 ? 'baseline' : at(String(number), line);

/** What has to be beaten is a mean: of these. */
function repeats({ measured }: SeriesTold, { at }: LoopPage): Markup | undefined {
  const values = measured.filter(({ number, value }) => number === 0 && value !== undefined);
  if (values.length < 2) return undefined;
  return html`<div class="outputs">measured: ${joined(
    values.map((one) => at(shownNumber(one.value!), lineOf(one))),
    ', ',
  )}</div>`;
}

/** What was tried, what was warned of, and where what was changed is. */
function details({ row, measured }: RowTold, { words, beside }: LoopPage): Markup {
  const { tried, warnings = [], edited = [], cleared, changes, run } = row;
  const line = (what: string, text: Content): Markup => html`<div class="outputs">${what} ${text}</div>`;
  const where =
    changes && html`, ${digest(changes.commit)} on ${named(changes.branch)}, ${beside(changes.patch, 'patch')}`;
  return html`${tried !== undefined && line('tried:', words(cut(tried), measured))}${edited.map((one) => line('', words(cut(editedWords(one)), measured)))}${warnings.map((one) => line('warned of:', words(cut(one), measured)))}${cleared && line('taken away afterwards:', words(cut(cleared.join(', ')), measured))}${line('run', html`${beside(`runs/${run}`, run)}${where}`)}`;
}

/** Between two words, so that no number is cut into another one. */
function cut(text: string): string {
  const line = oneLine(text, 1000);
  return line.length <= mostChars ? line : `${line.slice(0, line.lastIndexOf(' ', mostChars) + 1) || line} …`;
}

const mostChars = 400;

function costCell(
  { usd, unpricedCalls }: Pick<IterationMeasured, 'usd' | 'unpricedCalls'>,
  line: number,
  page: LoopPage,
) {
  const known = html`${page.at(amountText(usd), line)} USD`;
  if (unpricedCalls === 0) return known;
  const unknown = html`unknown (${page.at(unpricedCalls === 1 ? '1 call' : `${unpricedCalls} calls`, line)})`;
  return usd > 0 ? html`${known} and ${unknown}` : unknown;
}

/** A baseline that could not be measured: nothing was decided about it, and it was measured again, or nobody has gone on. */
const brokenCells = (one: IterationMeasured & Told, page: LoopPage): readonly Content[] => [
  'baseline',
  badge('bad', 'failed'),
  'none',
  'none',
  html`${page.words(one.failure!, lineOf(one))}<div class="outputs">run ${page.beside(`runs/${one.run}`, one.run)}</div>`,
  page.at(formatDuration(one.workedMs), lineOf(one)),
  costCell(one, lineOf(one), page),
];

const openCells = (one: { readonly number: number } & Told, page: LoopPage): readonly Content[] => [
  nameCell(one.number, lineOf(one), page),
  badge('busy', 'open'),
  '',
  '',
  html`begun ${recordTime(one.at, lineOf(one), page)}, not decided`,
  '',
  '',
];
