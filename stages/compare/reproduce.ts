import type { Json, StageContext } from 'autoresearch';
import type { CompareOptions } from './options.js';
import type { Runs } from './runs-table.js';
import { mean } from './sample.js';

export interface Reproduction {
  readonly arm: string;
  readonly reported: number;
  readonly found: number;
  /** How far off, as a share of what was reported. */
  readonly off: number;
  readonly tolerance: number;
  /** Runs that failed, where some did, and how many there are: what did not fail may be the part that looks good. */
  readonly missing?: number;
  readonly runs?: number;
  readonly reproduced: boolean;
}

/** Whether the baseline does what was reported of it. Text says why that cannot be told. */
export async function reproductionOf(
  { baseline, reproduce, maxMissing = 0 }: CompareOptions,
  runs: Runs,
  context: StageContext,
): Promise<Reproduction | string | undefined> {
  if (!reproduce) return undefined;
  const { tolerance = 0.05 } = reproduce;
  const reported = await reportedNumber(reproduce.reported as number | { from: string; at: string }, context);
  if (typeof reported === 'string') return reported;
  if (reported === 0) return 'a share of a reported 0 is nothing: it cannot be told how far off the baseline is';
  const numbers = [...runs.values()].filter((value) => typeof value === 'number');
  if (numbers.length === 0) return `there is no number of ${baseline} to compare with the reported one`;
  const found = mean(numbers);
  const off = Math.abs(found - reported) / Math.abs(reported);
  const missing = runs.size - numbers.length;
  const reproduced = off <= tolerance && missing <= maxMissing;
  const failed = missing === 0 ? {} : { missing, runs: runs.size };
  return { arm: baseline, reported, found, off, tolerance, ...failed, reproduced };
}

async function reportedNumber(
  reported: number | { readonly from: string; readonly at: string },
  context: StageContext,
): Promise<number | string> {
  if (typeof reported === 'number') return reported;
  const { from, at } = reported;
  const read = await context.parseData(await context.readFile(from), /\.ya?ml$/i.test(from) ? 'yaml' : 'json');
  if (!read.ok) return `${from}: ${read.why}`;
  let value: Json | undefined = read.value;
  for (const step of at.split('.')) {
    const part: Json | undefined = value;
    value =
      typeof part === 'object' && part !== null && Object.hasOwn(part, step)
        ? (part as { readonly [key: string]: Json })[step]
        : undefined;
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : `${from} has no number ${at}`;
}
