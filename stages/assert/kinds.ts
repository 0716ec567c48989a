import type { Check } from './options.js';

export type Kind = 'expression' | 'command' | 'file' | 'missing' | 'mapping' | 'absent' | 'sameKeys' | 'tests';

/** What each kind of check may have besides its own key and a name. */
const parts: { readonly [kind in Kind]: readonly (keyof Check)[] } = {
  expression: [],
  command: ['exit', 'contains', 'matches', 'lacks'],
  file: ['contains', 'matches', 'lacks', 'equals', 'differs', 'schema'],
  missing: [],
  mapping: ['has', 'lacks', 'equals'],
  absent: [],
  sameKeys: [],
  tests: [],
};

const kinds = Object.keys(parts) as Kind[];

export const kindOf = (check: Check): Kind => kinds.find((kind) => check[kind] !== undefined)!;

/** What is wrong with a check as it is written. */
export function checkProblems(check: Check, index: number): string[] {
  const given = kinds.filter((kind) => check[kind] !== undefined);
  const which = check.name === undefined ? `check ${index + 1}` : `check "${check.name}"`;
  if (given.length !== 1)
    return [`${which} has ${given.length === 0 ? 'none' : given.join(' and ')} of ${kinds.join(', ')}; it needs one`];
  const kind = given[0]!;
  const extra = (Object.keys(check) as (keyof Check)[]).filter(
    (key) => key !== 'name' && key !== kind && !parts[kind].includes(key),
  );
  return [
    ...extra.map((key) => `${which}: ${key} has no effect beside ${kind}`),
    ...(kind === 'mapping' && check.has === undefined && check.lacks === undefined
      ? [`${which}: say which key the mapping has or lacks`]
      : []),
    ...(kind === 'mapping' && check.equals !== undefined && check.has === undefined
      ? [`${which}: equals needs has, the key whose value it is`]
      : []),
    ...(kind === 'file' && check.equals !== undefined && typeof check.equals !== 'string'
      ? [`${which}: equals is the path of another file`]
      : []),
  ];
}

export function nameOf(check: Check): string {
  if (check.name !== undefined) return check.name;
  const kind = kindOf(check);
  const what = check[kind]!;
  return `${kind === 'expression' ? '' : `${kind} `}${Array.isArray(what) ? what.join(' ') : String(what)}`;
}

/** Files that a check looks at. */
export const filesOf = (check: Check): string[] =>
  [check.file, check.differs, check.schema, check.tests, check.file === undefined ? undefined : check.equals].filter(
    (path): path is string => typeof path === 'string',
  );
