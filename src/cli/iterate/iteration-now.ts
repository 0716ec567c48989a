import { join } from 'node:path';
import { readPlain } from '../../adapters/disk/plain-file.js';
import { readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { FailureError } from '../../model/failure.js';
import type { Config, Iterate } from '../../model/generated/config.js';
import { shownNumber } from '../../model/shown-number.js';
import type { IterationNames, SeriesState } from '../../model/state/iteration-state.js';
import { insightsGiven } from '../../report/iterations/insights-text.js';
import { stopOf } from '../../run/iterate/next-step.js';
import { rulesOf } from '../../run/iterate/rules.js';

/** Which iteration a plan is for. */
export interface IterationAt {
  readonly series: number;
  /** 0: the baseline. */
  readonly number: number;
  readonly repeat: number;
  readonly names: IterationNames;
  /** The hash of the line that it began with; absent when it has not begun. */
  readonly record?: string;
  /** Why the loop is over, when it is. */
  readonly over?: string;
  /** What iterations before it have used of the ceilings over all of them. */
  readonly before: { readonly usd: number; readonly workedMs: number };
}

export interface LoopPlace {
  readonly root: string;
  readonly agentId: string;
  /** Of the study. */
  readonly name: string;
  readonly iterate: Iterate;
}

/** The iteration that is open, or that would be next. */
export async function iterationNow(
  config: Config & { readonly iterate: Iterate },
  place: Omit<LoopPlace, 'iterate' | 'name'> & { readonly afresh: boolean },
): Promise<IterationAt> {
  const { root, agentId, afresh } = place;
  const found = recordedIn(recordFile(stateDir(root, agentId)), afresh);
  const { iterate, name } = config;
  const state = found?.name === name ? found : undefined;
  const loop = { root, agentId, name, iterate };
  const { open, rows = [], baseline = [] } = state ?? {};
  const isBaseline = rows.length === 0 && rulesOf(iterate).repeats > 0;
  const next = isBaseline
    ? { number: 0, repeat: baseline.length + 1 }
    : { number: (rows.at(-1)?.number ?? 0) + 1, repeat: 1 };
  const at = iterationAt(state, { series: state?.series ?? (found?.series ?? 0) + 1, ...(open ?? next) }, loop);
  const over = state && !open && !afresh ? await overWords(state, config) : undefined;
  return { ...at, ...(open ? { record: open.record } : {}), ...(over === undefined ? {} : { over }) };
}

/** Whoever begins anew does not go by a record that cannot be believed. */
function recordedIn(file: string, afresh: boolean): SeriesState | undefined {
  try {
    return readIterations(file)?.state;
  } catch (error) {
    if (afresh && error instanceof FailureError) return undefined;
    throw error;
  }
}

/** What `exec` would find: by the rules of now, which may be others than those that it ended by. */
async function overWords(
  state: SeriesState,
  config: Config & { readonly iterate: Iterate },
): Promise<string | undefined> {
  const { finished, rows } = state;
  const rules = rulesOf(config.iterate);
  const until =
    rules.until === undefined || rows.length === 0
      ? {}
      : { until: await (await import('./until.js')).loadUntil(rules.until, config) };
  const detail = stopOf(state, { rules, ...until })?.detail;
  return detail !== undefined && finished?.detail === detail && finished.missed !== undefined
    ? `${detail}, and ${finished.missed}`
    : detail;
}

/** Everything here follows from the record and the goal, so that a run that goes on finds the plan that it began with. */
export function iterationAt(
  state: SeriesState | undefined,
  { series, number, repeat }: { readonly series: number; readonly number: number; readonly repeat: number },
  { root, iterate }: LoopPlace,
): IterationAt {
  const { best, rows = [] } = state ?? {};
  const baseline = rows.find((row) => row.number === 0)?.value;
  const goal = iterate.goal === undefined ? '' : (readPlain(join(root, iterate.goal)) ?? '');
  return {
    series,
    number,
    repeat,
    names: {
      number,
      max: iterate.max,
      dir: iterationDir(iterate, series, number),
      goal: goal.trim(),
      insights: insightsGiven(state, insightsFile(iterate)),
      best: best ? shownNumber(best.value) : 'none',
      baseline: baseline === undefined ? 'none' : shownNumber(baseline),
    },
    before: { usd: state?.usd ?? 0, workedMs: state?.workedMs ?? 0 },
  };
}

export const insightsFile = ({ insights = 'insights.md' }: Iterate): string => insights;

export const loopDir = ({ dir = 'iterations' }: Iterate): string => dir;

export const tableFile = (iterate: Iterate, series: number): string =>
  join(loopDir(iterate), String(series), 'results.tsv');

const iterationDir = (iterate: Iterate, series: number, number: number): string =>
  join(loopDir(iterate), String(series), String(number).padStart(3, '0'));
