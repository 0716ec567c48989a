import type { Stage } from '../../model/generated/config.js';
import type { Json } from '../../model/json.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { Problems } from '../problems.js';
import type { TemplateFields } from '../task/template-fields.js';

type Matrix = NonNullable<Stage['matrix']>;
type Values = { readonly [name: string]: Json };

/** The names of a matrix, without what changes the combinations of their values. */
export const axesOf = ({
  include: _include,
  exclude: _exclude,
  ...axes
}: Matrix): { readonly [name: string]: unknown } => axes;

interface Tools {
  readonly stage: string;
  readonly fields: TemplateFields;
  readonly problems: Problems;
}

/**
 * Takes away what `exclude` names and adds what `include` does. One that takes nothing away or leaves a name open is a
 * mistake: somebody thinks that it does something.
 */
export function changedCombinations(all: readonly Values[], matrix: Matrix, tools: Tools): readonly Values[] {
  const { include, exclude } = matrix;
  if (!include && !exclude) return all;
  const written = Object.keys(axesOf(matrix));
  const names = written.length > 0 ? written : Object.keys(include?.[0] ?? {});
  let left: readonly Values[] = written.length > 0 ? all : [];
  for (const [index, one] of filled(exclude, 'exclude', tools).entries()) {
    const place = ['exclude', index] as const;
    if (hasUnknown(one, names, { ...tools, place })) continue;
    const rest = left.filter((values) => !Object.entries(one).every(([name, value]) => values[name] === value));
    if (rest.length === left.length) wrong(`no combination has ${shown(one)}`, { ...tools, place });
    left = rest;
  }
  const added = filled(include, 'include', tools).flatMap((one, index) => {
    const place = ['include', index] as const;
    if (hasUnknown(one, names, { ...tools, place })) return [];
    const open = names.filter((name) => !Object.hasOwn(one, name));
    if (open.length > 0) wrong(`${shown(one)} does not say ${open.join(', ')}`, { ...tools, place });
    return open.length > 0 ? [] : [Object.fromEntries(names.map((name) => [name, one[name]!]))];
  });
  if (left.length + added.length === 0 && all.length > 0)
    wrong('every combination is left out', { ...tools, place: ['exclude'] });
  return [...left, ...added];
}

const filled = (list: Matrix['include'], key: 'include' | 'exclude', { stage, fields }: Tools): readonly Values[] =>
  list === undefined
    ? []
    : (fields.data(list as unknown as Json, ['stages', stage, 'matrix', key]) as unknown as readonly Values[]);

type Place = Tools & { readonly place: readonly (string | number)[] };

function hasUnknown(one: Values, names: readonly string[], tools: Place): boolean {
  const unknown = Object.keys(one).filter((name) => !names.includes(name));
  for (const name of unknown) wrong(`the matrix has no ${name}`, tools, didYouMean(name, names));
  return unknown.length > 0;
}

function wrong(message: string, { stage, problems, place }: Place, hint?: string): void {
  const at = { kind: 'config', pointer: pointerOf('stages', stage, 'matrix', ...place) } as const;
  problems.add({ code: 'AR367', message, at, ...(hint === undefined ? {} : { hint }) });
}

const shown = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
