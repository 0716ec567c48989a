import { formatDuration } from '../../model/duration.js';
import { journalLines } from '../history/reckoning.js';
import { type Standing, standingsOf, standingWords } from '../history/run-counts.js';
import type { RunFacts } from '../history/run-facts.js';
import { detailOf } from '../record/checks.js';
import { endLines, plannedLine, publishedLines } from '../record/task-lines.js';
import { reasonText } from '../words/reason-text.js';
import { html, joined, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { type BadgeKind, badge, named, table } from './table.js';

export const standingKind: Record<Standing, BadgeKind> = {
  passed: 'good',
  cached: 'good',
  failed: 'bad',
  skipped: 'idle',
  running: 'busy',
  retrying: 'busy',
  cancelled: 'warn',
  waiting: 'idle',
};

/** Every task, whatever became of it. */
export const tasks: Section = (facts, sources) => {
  const count = standingsOf(facts.state, facts.plan).length;
  if (count === 0) return undefined;
  const list = taskTable(facts, sources);
  const body =
    count > mostOpen
      ? html`<details><summary>All ${sources.journal(String(count), plannedLine(facts.entries))} tasks</summary>${list}</details>`
      : list;
  return { id: 'tasks', title: 'Tasks', body };
};

export function taskTable({ state, plan, entries }: RunFacts, sources: Sources): Markup {
  const ends = endLines(entries);
  const measured = publishedLines(entries, 'metrics');
  const rows = standingsOf(state, plan).map(({ id, standing, task }) => {
    const line = ends.get(id) ?? 1;
    const outputs = task?.outputs ?? [];
    const shown = outputs.slice(0, mostOutputs).map(({ path }) => sources.link(path));
    const more = outputs.length > mostOutputs && html`, … ${itemsOf('outputs', outputs.length, { id, line, sources })}`;
    const said = detailOf(task) || (standing === 'skipped' && task ? task.reasons.map(reasonText).join('; ') : '');
    return [
      html`<span class="task">${id}</span>`,
      badge(standingKind[standing], standingWords[standing]),
      task && task.attempts > 0 ? sources.journal(String(task.attempts), line) : '',
      task?.durationMs === undefined ? '' : sources.journal(formatDuration(task.durationMs), line),
      html`${sources.words(said, { line })}${task?.metrics && metrics(task.metrics, { id, line: measured.get(id) ?? line, sources })}${shown.length > 0 && html`<div class="outputs">${joined(shown, ', ')}${more}</div>`}`,
    ];
  });
  return table(['>task', 'status', '#attempts', '#time', '>what came of it'], rows);
}

const mostOutputs = 4;
const mostOpen = 60;
const mostMetrics = 6;

interface Told {
  readonly id: string;
  readonly line: number;
  readonly sources: Sources;
}

/** `10 in all`, of what stands on one line. */
const itemsOf = (field: string, count: number, { id, line, sources }: Told): Markup =>
  html`${sources.follows(String(count), { what: `${field} of ${id}`, how: `count of ${field} on the line`, places: journalLines([line]) })} in all`;

function metrics(all: { readonly [name: string]: number }, told: Told): Markup {
  const entries = Object.entries(all);
  const shown = entries
    .slice(0, mostMetrics)
    .map(
      ([name, value]) => html`${named(name)} ${told.sources.journal(String(Number(value.toPrecision(6))), told.line)}`,
    );
  const more = entries.length > mostMetrics && html`, … ${itemsOf('metrics', entries.length, told)}`;
  return html`<div>${joined(shown, ', ')}${more}</div>`;
}
