import type { Json } from 'autoresearch';
import { isUnforeseen } from './matched.js';
import type { Metric } from './options.js';
import { fieldAt, type Record } from './records.js';

export interface Point {
  readonly value: number;
  readonly step?: number;
  readonly place: string;
}

export interface Wanted {
  readonly field: string;
  readonly step?: string | undefined;
  /** Records may be without it. A null is never "without": it is what many programs write instead of NaN. */
  readonly sparse?: boolean | undefined;
}

/** The numbers that records have in one field, in order. Text says why they cannot be believed. */
export function seriesOf(
  records: readonly Record[],
  { field, step, sparse = false }: Wanted,
): readonly Point[] | string {
  const points: Point[] = [];
  // A name that no record has is a misspelling, which whoever asked says in its own words.
  if (records.every(({ fields }) => fieldAt(fields, field) === undefined)) return points;
  for (const { fields, place, torn, passedOver } of records) {
    const raw = fieldAt(fields, field);
    if (passedOver && !isUnforeseen(raw)) continue;
    if (raw === undefined || raw === '') {
      if (sparse) continue;
      return `${field} is ${raw === '' ? 'empty' : 'missing'} in ${place}, where a NaN may have been left out: choose the records with where, or say sparse: true if not every one tells of it`;
    }
    const whole = torn?.[field];
    if (whole !== undefined)
      return `${field} is ${shown(raw)} in ${place}, which is only a part of ${shown(whole)}: let the group take all of it`;
    const value = numberOf(raw);
    if (value === undefined) return `${field} is ${shown(raw)} in ${place}, not a finite number`;
    if (passedOver)
      return `${field} is ${value} in ${place}, which the pattern passes over: let the group take a minus`;
    if (step === undefined) {
      points.push({ value, place });
      continue;
    }
    const rawStep = fieldAt(fields, step);
    const at = rawStep === undefined ? undefined : numberOf(rawStep);
    if (at === undefined) return `${step} is ${shown(rawStep)} in ${place}, not a finite number`;
    points.push({ value, step: at, place });
  }
  return step === undefined ? points : inOrder(points);
}

/** A training that was resumed tells of some steps twice. */
function inOrder(points: readonly Point[]): Point[] {
  const byStep = new Map(points.map((point) => [point.step!, point]));
  return [...byStep.values()].sort((a, b) => a.step! - b.step!);
}

/** Finite, and written as a number is: nothing is guessed. */
export function numberOf(raw: Json): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  if (typeof raw !== 'string' || !/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(raw.trim())) return undefined;
  const value = Number(raw);
  return Number.isFinite(value) ? value : undefined;
}

type Pick = NonNullable<Metric['pick']>;

/** One number of many. Text says why there is none. */
export function picked(
  points: readonly Point[],
  { value, pick, better, window }: Metric & { readonly pick: Pick },
): number | string {
  if (points.length === 0) return `${value} is missing`;
  const values = points.slice(window === undefined ? 0 : -window).map((point) => point.value);
  // The mean of fewer than were asked for is another number.
  if (window !== undefined && values.length < window)
    return `${value} has ${values.length} values, and ${window} are asked for`;
  switch (pick) {
    case 'only':
      return values.length === 1 ? values[0]! : `${value} is there ${values.length} times: say which with pick`;
    case 'first':
      return values[0]!;
    case 'last':
      return values.at(-1)!;
    case 'min':
      return least(values);
    case 'max':
      return most(values);
    case 'best':
      return better === 'lower' ? least(values) : most(values);
    case 'sum':
      return sum(values);
    case 'mean':
      return sum(values) / values.length;
    case 'count':
      return values.length;
  }
}

/** A log may be longer than a call may have arguments. */
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const shown = (raw: Json | undefined): string => (raw === undefined ? 'missing' : JSON.stringify(raw));
