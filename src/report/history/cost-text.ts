import type { CostCeiling, CostDimension, CostReport, CostRow } from '../../journal/cost-sheet.js';
import type { Tally } from '../../journal/ledger-book.js';
import { formatDuration } from '../../model/duration.js';
import { type NanoUsd, toNano } from '../../model/money/money.js';
import { type Paint, paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { displayWidth, padEnd, padStart } from '../words/text-width.js';

/** What was spent on what, what of it is only assumed, and what is left of each ceiling. */
export function costText(report: CostReport, { color }: { readonly color: boolean }): string {
  const p = paint(color);
  const { sheet, today } = report;
  const sections = [
    headLines(report, p),
    ...(isNothing(sheet.total) ? [] : dimensions.map((dimension) => rowsOf(dimension, sheet.by[dimension], p))),
    agentLines(report, p),
    isNothing(today.tally) ? [] : [`Today (${today.day} UTC), ${idsText(today.agentIds)}: ${sumText(today.tally)}`],
    ceilingLines(report, p),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const dimensions: readonly CostDimension[] = ['stage', 'role', 'model', 'day'];

const idsText = (count: number): string => (count === 1 ? 'one agent id' : `all ${count} agent ids together`);

function headLines({ agentId, run, sheet }: CostReport, p: Paint): string[] {
  const { total } = sheet;
  const where = run === undefined ? `under agent id ${agentId}` : `in run ${run} of agent id ${agentId}`;
  if (isNothing(total)) return [`Nothing has been spent ${where} yet`];
  const is = (count: number): string => (count === 1 ? 'is' : 'are');
  const notes = [
    total.assumedNanoUsd > 0 &&
      `${usdText(total.assumedNanoUsd)} of it is assumed: the most that calls could cost which did not tell`,
    total.unsettledCalls > 0 && `${plural(total.unsettledCalls, 'call')} never ended here, because the runner died`,
    total.unpricedCalls > 0 &&
      `${plural(total.unpricedCalls, 'call')} ${is(total.unpricedCalls)} of unknown cost and not in the sum: give the agent limits.usd, or its model a price`,
    total.callsWithoutTokens > 0 && `${plural(total.callsWithoutTokens, 'call')} did not tell the tokens`,
    total.runningCalls > 0 && `${plural(total.runningCalls, 'call')} ${is(total.runningCalls)} going on`,
  ];
  return [
    p.bold(`${sumText(total)} ${where}`),
    ...notes.flatMap((note) => (note === false ? [] : [`  ${p.yellow(note)}`])),
  ];
}

const isNothing = ({ calls, gpuHours }: Tally): boolean => calls === 0 && gpuHours === 0;

const sumText = ({ nanoUsd, calls, tokens, wallMs, gpuHours }: Tally): string => {
  const gpu = gpuHours === 0 ? '' : `, ${gpuHours.toFixed(2)} GPU-hours`;
  return `${usdText(nanoUsd)} in ${plural(calls, 'call')}, ${plural(tokens, 'token')}, ${formatDuration(wallMs)}${gpu}`;
};

function rowsOf(dimension: CostDimension, rows: readonly CostRow[], p: Paint): string[] {
  const has = (key: keyof Tally): boolean => rows.some(({ tally }) => tally[key] > 0);
  const columns: readonly (readonly [string, (row: CostRow) => string])[] = [
    [dimension, ({ name }) => name ?? 'no model named'],
    ['USD', ({ tally }) => (tally.nanoUsd === 0 && tally.unpricedCalls > 0 ? '?' : amount(tally.nanoUsd))],
    ...(has('assumedNanoUsd') ? [['assumed', ({ tally }: CostRow) => amount(tally.assumedNanoUsd)] as const] : []),
    ['calls', ({ tally }) => String(tally.calls)],
    ...(has('unpricedCalls') ? [['unknown cost', ({ tally }: CostRow) => String(tally.unpricedCalls)] as const] : []),
    ['tokens', ({ tally }) => String(tally.tokens)],
    ['time', ({ tally }) => formatDuration(tally.wallMs)],
  ];
  return table(
    columns.map(([head]) => head),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
    p,
  );
}

function agentLines({ agents, untold }: CostReport, p: Paint): string[] {
  const note = `The journal of ${untold.join(', ')} cannot be trusted, so what agents did there is not counted: autoresearch status --run ID says why`;
  const lines = untold.length === 0 ? [] : [p.yellow(note)];
  if (agents.length === 0) return lines;
  const rows = table(
    ['agent', 'calls', 'succeeded', 'median time', 'USD'],
    agents.map(({ agent, calls, succeeded, medianMs, usd, unpricedCalls }) => [
      agent,
      String(calls),
      calls === 0 ? '?' : `${Math.round((100 * succeeded) / calls)} %`,
      medianMs === undefined ? '?' : formatDuration(medianMs),
      `${amount(toNano(usd))}${unpricedCalls > 0 ? ` + ${plural(unpricedCalls, 'unpriced call')}` : ''}`,
    ]),
    p,
  );
  return [...rows, ...lines];
}

function ceilingLines({ ceilings }: CostReport, p: Paint): string[] {
  if (!ceilings) return ['The ceilings are not shown, because no config can be read: autoresearch plan says why'];
  const { list, run } = ceilings;
  if (list.length === 0) return [];
  return table(
    [`ceiling${run === undefined ? '' : ` (run ${run})`}`, 'limit', 'spent', 'left'],
    list.map(({ ceiling, stage, limit, spent, left }) => {
      const words = amountWords(ceiling);
      const name = stage === undefined ? ceiling : `${stage}: ${ceiling.replace('stage ', '')}`;
      return [name, words(limit), words(spent), left === undefined ? 'nobody knows' : words(left)];
    }),
    p,
  );
}

function amountWords(ceiling: CostCeiling['ceiling']): (value: number) => string {
  if (ceiling.endsWith('.time')) return formatDuration;
  if (ceiling.includes('usd')) return (value) => usdText(toNano(value));
  return (value) => plural(value, ceiling.includes('calls') ? 'call' : 'token');
}

/** The first column is names, the others are amounts. */
function table(head: readonly string[], rows: readonly (readonly string[])[], p: Paint): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => displayWidth(row[column]!))));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? padEnd : padStart)(cell, widths[column]!)).join('  ');
  return [p.dim(line(head)), ...rows.map(line)];
}

const usdText = (nano: NanoUsd): string => `${amount(nano)} USD`;

/** Less than can be shown is still not nothing. */
const amount = (nano: NanoUsd): string => (nano > 0 && nano < 100_000 ? '<0.0001' : (nano / 1e9).toFixed(4));
