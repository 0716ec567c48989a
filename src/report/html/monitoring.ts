import { journalLines } from '../history/reckoning.js';
import { type MonitoringLines, monitoringLines, monitoringOf } from '../record/monitoring.js';
import { changedNotes } from './changed.js';
import { countOf } from './count-of.js';
import { html, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { badge, table } from './table.js';

/** What logs tell of their own progress. */
export const monitoring: Section = (facts, sources) => {
  const all = monitoringOf(facts);
  if (all.length === 0) return undefined;
  const lines = monitoringLines(facts);
  const rows = all.map(({ task, file, lastStep, stepSeconds, lastLoss, lossLine, lossName }, index) => [
    html`<span class="task">${task}</span>`,
    sources.link(file),
    sources.file(String(lastStep), file, lines[index]!.step),
    stepSeconds === null
      ? 'not told'
      : sources.follows(`${stepSeconds.toPrecision(3)} s`, {
          what: `time of a step of ${task}`,
          how: `mean of ${lines[index]!.timeName}`,
          places: lines[index]!.times.map((line) => ({ path: file, line })),
        }),
    lastLoss === null || lossLine === null
      ? 'not told'
      : html`${sources.file(lastLoss.toPrecision(5), file, lossLine)} <small>${lossName ?? ''}</small>`,
    errorCount(task, lines[index]!, { file, sources }),
  ]);
  const list = table(['task', 'log', '#last step', '#time of a step', '#last loss', '#errors'], rows);
  return {
    id: 'monitoring',
    title: 'Monitoring',
    body: html`${changedNotes(
      all.map(({ file }) => file),
      facts,
      sources,
    )}${
      rows.length > 20
        ? html`<details><summary>${countOf(sources, { what: 'logs', places: all.map(({ file }, index) => ({ path: file, line: lines[index]!.step })), one: 'log' })}</summary>${list}</details>`
        : list
    }`,
  };
};

/** Failed attempts of the task, and lines of its log whose numbers cannot be used. */
function errorCount(
  task: string,
  { failed, unusable }: MonitoringLines,
  { file, sources }: { readonly file: string; readonly sources: Sources },
): Markup {
  const places = [...journalLines(failed), ...unusable.map((line) => ({ path: file, line }))];
  const whose = places.length === 0 ? 'a task' : task;
  const count = countOf(sources, { what: `failed attempts of ${whose} and unusable lines of its log`, places });
  return places.length === 0 ? count : badge('warn', count);
}
