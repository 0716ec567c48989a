import { join, relative } from 'node:path';
import { readPlain } from '../../adapters/disk/plain-file.js';
import { type Series, seriesIn } from '../../journal/series-in.js';
import type { IterationEntry } from '../../model/events/iteration-event.js';
import { insightSection } from '../../report/iterations/insights-text.js';
import { tableText } from '../../report/iterations/table-text.js';
import type { LoopPlace } from './loop-place.js';

/** Whether the table of each series, and what is said of each iteration, is what the record says. */
export function toldNow(
  entries: readonly IterationEntry[],
  place: LoopPlace,
): { readonly words: string; readonly problems: readonly string[] } | undefined {
  const all = seriesIn(entries);
  const files = new Set(
    all.flatMap(({ told }) => [...told.values()].flatMap(({ table, insights }) => [table, insights])),
  );
  if (files.size === 0) return undefined;
  const problems = all.flatMap((one) => [...tableProblems(one, place), ...insightProblems(one, place)]);
  return { words: `${[...files].join(', ')} say what the record says`, problems };
}

/** It is made anew with each iteration, and before that one is closed. */
function tableProblems({ state, told }: Series, { root }: LoopPlace): readonly string[] {
  const of = [...told.values()].at(-1);
  if (!of) return [];
  const now = readPlain(join(root, of.table));
  if (now === undefined) return [`${of.table} is gone`];
  const { open: _open, ...closed } = state;
  return [state, closed].some((one) => tableText(one, of.metric) === now)
    ? []
    : [`${of.table} is not what the record says`];
}

/** What people wrote between the sections is theirs. */
function insightProblems({ state, told }: Series, { root, dir }: LoopPlace): readonly string[] {
  const problems: string[] = [];
  for (const row of state.rows) {
    const of = told.get(row.number);
    if (!of) continue;
    const section = insightSection(row, { series: state.series, metric: of.metric, dir: relative(root, dir) });
    if (!(readPlain(join(root, of.insights)) ?? '').includes(section))
      problems.push(`${of.insights} does not say of iteration ${row.number} what the record says`);
  }
  return problems;
}
