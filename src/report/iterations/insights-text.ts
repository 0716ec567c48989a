import { shownNumber } from '../../model/shown-number.js';
import type { IterationRow, SeriesState } from '../../model/state/iteration-state.js';
import { listed } from '../words/phrase.js';
import { editedWords } from './edited-words.js';

export interface InsightOptions {
  readonly series: number;
  /** Of the metric. */
  readonly metric?: string | undefined;
  /** The state folder, relative to the project: differences are named by where they are. */
  readonly dir: string;
}

/** A line that tells that a section is there already. */
export const insightMark = (series: number, number: number): string =>
  `<!-- autoresearch: series ${series}, iteration ${number} -->`;

/** What is added to the file of insights. The marker comes last, so that half a section has none. */
export function insightSection(row: IterationRow, { series, metric, dir }: InsightOptions): string {
  const {
    number,
    verdict,
    value,
    best,
    why,
    tried,
    changes,
    made,
    cleared,
    warnings = [],
    edited = [],
    run,
    log,
  } = row;
  return `${[
    `## ${number === 0 ? 'Baseline' : `Iteration ${number}`}: ${verdictWords[verdict]}`,
    '',
    ...(tried === undefined ? [] : [`- Tried: ${oneLine(tried, 2000)}`]),
    ...(value === undefined
      ? []
      : [`- ${metric}: ${shownNumber(value)}${best === undefined ? '' : ` (best ${shownNumber(best)})`}`]),
    `- Why: ${oneLine(why, 1000)}`,
    ...edited.map((one) => `- ${capital(oneLine(editedWords(one), 1000))}`),
    ...(log === undefined ? [] : [`- Log: ${log}`]),
    ...warnings.map((warning) => `- Warning: ${oneLine(warning, 1000)}`),
    ...(changes ? [`- Changes: ${changes.branch}, ${dir}/${changes.patch}`] : []),
    ...(made ? [`- Branch: ${made.branch}`] : []),
    ...(cleared ? [`- Taken away afterwards: ${oneLine(listed(cleared, 6), 1000)}`] : []),
    `- Run: ${run}`,
    insightMark(series, number),
  ].join('\n')}\n`;
}

const verdictWords: Record<IterationRow['verdict'], string> = {
  kept: 'kept',
  discarded: 'discarded',
  failed: 'failed',
};

/** What earlier iterations came to, for `{{iteration.insights}}`. A prompt has room for the newest ones. */
export function insightsGiven(state: SeriesState | undefined, file: string): string {
  const rows = state?.rows ?? [];
  if (rows.length === 0) return 'Nothing was tried before.';
  const shown = rows.slice(-mostRows);
  const older = rows.length - shown.length;
  return [...(older > 0 ? [`${older} earlier ones are in ${file}.`] : []), ...shown.map(givenLine)].join('\n');
}

const mostRows = 40;

function givenLine({ number, verdict, progress, tried, why, warnings = [], edited = [] }: IterationRow): string {
  const name = number === 0 ? 'Baseline' : `Iteration ${number}`;
  const came = number === 0 ? '' : progress ? ', progress' : verdict === 'kept' ? ', no progress' : ', dead end';
  const words = tried === undefined ? '' : ` Tried: ${oneLine(tried, 300)}`;
  const warned = warnings.length === 0 ? '' : ` Warned of: ${oneLine(warnings.join('; '), 300)}`;
  const others = edited.map((one) => ` ${capital(oneLine(editedWords(one), 300))}.`).join('');
  return `- ${name} (${verdict}${came}): ${oneLine(why, 300)}.${words}${others}${warned}`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Words of agents and programs, which may hold anything. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
