import type { Value, Values } from 'autoresearch';
import { means } from './params.js';
import { flaw, kindOf, same } from './value.js';

export interface Arm {
  readonly name: string;
  readonly params: Values;
}

export interface Row {
  readonly param: string;
  /** In the order of the arms; undefined where the arm does not have it. */
  readonly values: readonly (Value | undefined)[];
  /** Why it counts as different; undefined when all arms are equal. */
  readonly trouble?: string;
  /** What is worth saying about values that are equal. */
  readonly remark?: string;
  /** The declared reason for a difference; it is then shown and does not count. */
  readonly except?: string;
}

export interface Question {
  readonly arms: readonly Arm[];
  readonly params: readonly string[];
  readonly except: { readonly [param: string]: string };
  /** Who else says what belongs to a group: what the files name, a run that was made from them must tell of. */
  readonly groupsOf?: readonly Arm[];
}

/** Parameter by parameter, in the order in which they were asked for. */
export function compare({ arms, params, except, groupsOf = [] }: Question): Row[] {
  const rows = new Map<string, Row>();
  for (const [written, excepted] of [
    ...params.map((param) => [param, false] as const),
    ...Object.keys(except).map((param) => [param, true] as const),
  ]) {
    const paths = pathsOf(written, arms, groupsOf);
    // A name that no arm has is a misspelling, or a default that nobody wrote down: neither shows that the arms are equal.
    if (paths.length === 0) rows.set(written, missingRow(written, arms, excepted));
    for (const path of paths) if (!rows.has(path)) rows.set(path, rowOf(path, arms, reasonFor(path, except)));
  }
  return [...rows.values()];
}

/** What counts: neither equal nor excepted. */
export const broken = (rows: readonly Row[]): Row[] =>
  rows.filter(({ trouble, except }) => trouble !== undefined && except === undefined);

/** What was really compared. */
export const counted = (rows: readonly Row[]): Row[] => rows.filter(({ except }) => except === undefined);

function pathsOf(written: string, arms: readonly Arm[], groupsOf: readonly Arm[]): string[] {
  const found = new Set<string>();
  for (const { params } of arms) for (const path of params.keys()) if (means(written, path)) found.add(path);
  for (const { params } of groupsOf)
    for (const path of params.keys()) if (path !== written && means(written, path)) found.add(path);
  return [...found].sort();
}

const reasonFor = (path: string, except: Question['except']): string | undefined => {
  const written = Object.keys(except).find((param) => means(param, path));
  return written === undefined ? undefined : except[written];
};

const missingRow = (param: string, arms: readonly Arm[], excepted: boolean): Row => ({
  param,
  values: arms.map(() => undefined),
  trouble: excepted ? 'the exception names what no arm has' : 'no arm has it',
});

function rowOf(param: string, arms: readonly Arm[], except: string | undefined): Row {
  const values = arms.map(({ params }) => params.get(param));
  const trouble = troubleOf(values, arms);
  return {
    param,
    values,
    ...(trouble === undefined ? {} : { trouble }),
    ...(except === undefined ? {} : { except }),
  };
}

function troubleOf(values: readonly (Value | undefined)[], arms: readonly Arm[]): string | undefined {
  const lacking = arms.filter((_, at) => values[at] === undefined).map(({ name }) => name);
  if (lacking.length > 0) return `missing in ${lacking.join(', ')}`;
  const there = values as readonly Value[];
  const wrong = there.map(flaw).find((one) => one !== undefined);
  if (wrong !== undefined) return wrong;
  if (there.every((value) => same(there[0]!, value))) return undefined;
  const kinds = [...new Set(there.map(kindOf))];
  return kinds.length > 1 ? `${kinds.join(' and ')} are never equal` : 'different values';
}
