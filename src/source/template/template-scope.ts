import type { Json } from '../../model/json.js';
import type { TextProblem } from '../../model/text-problem.js';
import { nearest } from '../did-you-mean.js';
import type { NamePath } from './template-node.js';

/** The names a text may use. A name whose value is undefined is known, but what lies below it is not. */
export type TemplateNames = { readonly [name: string]: Json | undefined };

/** Something a name stands for: its value, and how it is reached from the top where that can be said. */
export interface Named {
  /** Undefined: not known yet, so nothing below it can be wrong. */
  readonly value: Json | undefined;
  readonly path: readonly string[] | undefined;
}

/** What `this`, `../` and `@index` mean at one point of a template. */
export interface Scope extends Named {
  readonly parent?: Scope;
  /** `@index` and so on; only `each` has them. */
  readonly data?: { readonly [name: string]: Json | undefined };
  readonly params?: ReadonlyMap<string, Named> | undefined;
}

export const rootScope = (names: TemplateNames): Scope => ({ value: names as Json, path: [] });

/** Finds what a name stands for, looking at own properties only: nothing is ever reached through a prototype. */
export function lookUp(scope: Scope, name: NamePath): Named | TextProblem {
  const { depth, parts, written, within } = name;
  let taken = 0;
  let found: Named | undefined;
  if (name.data) {
    found = dataOf(scope, name);
    if (!found) return unknownData(name);
    taken = 1;
  } else {
    const param = name.scoped || depth > 0 ? undefined : paramOf(scope, parts[0]);
    found = param ?? outer(scope, depth);
    if (!found) return { code: 'AR402', message: `"${written}" leads out of the template`, within };
    if (param) taken = 1;
  }
  let current: Named = found;
  for (let index = taken; index < parts.length; index += 1) {
    const { value, path }: Named = current;
    const part = parts[index]!;
    if (value === undefined) return { value: undefined, path: path && [...path, ...parts.slice(index)] };
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) {
      return unknownName(name, index, typeof value === 'object' && value !== null ? Object.keys(value) : []);
    }
    current = { value: (value as Record<string, Json | undefined>)[part], path: path && [...path, part] };
  }
  return current;
}

export const isNamed = (found: Named | TextProblem): found is Named => !('code' in found);

function outer(scope: Scope, depth: number): Scope | undefined {
  let current: Scope | undefined = scope;
  for (let level = 0; level < depth; level += 1) current = current?.parent;
  return current;
}

function paramOf(scope: Scope, name: string | undefined): Named | undefined {
  if (name === undefined) return undefined;
  for (let current: Scope | undefined = scope; current; current = current.parent) {
    const found = current.params?.get(name);
    if (found) return found;
  }
  return undefined;
}

function dataOf(scope: Scope, { parts, depth }: NamePath): Named | undefined {
  const [name = ''] = parts;
  let level = depth;
  for (let current: Scope | undefined = scope; current; current = current.parent) {
    if (name === 'root' && !current.parent) return current;
    if (!current.data) continue;
    if (level === 0 && Object.hasOwn(current.data, name)) return { value: current.data[name], path: undefined };
    level -= 1;
  }
  return undefined;
}

const dataNames = ['index', 'key', 'first', 'last', 'root'];

function unknownData(name: NamePath): TextProblem {
  const misplaced = dataNames.includes(name.parts[0] ?? '');
  return misplaced
    ? { ...unknownName(name, 0, []), hint: 'It stands only inside {{#each …}}' }
    : unknownName(name, 0, dataNames);
}

function unknownName(name: NamePath, index: number, known: readonly string[]): TextProblem {
  const part = name.parts[index] ?? '';
  const near = nearest(part, known);
  const hint = near !== undefined ? `Did you mean "${withPart(name, index, near)}"?` : knownHint(known);
  return {
    code: 'AR402',
    message: `unknown name "${name.written}"`,
    ...(hint === undefined ? {} : { hint }),
    within: partRange(name, index),
  };
}

const knownHint = (known: readonly string[]): string | undefined =>
  known.length === 0 || known.length > 20 ? undefined : `Known here: ${[...known].sort().join(', ')}`;

/** The name with one part put right, when it is written plainly enough to be put together again. */
const withPart = ({ parts, written }: NamePath, index: number, part: string): string =>
  written === parts.join('.') ? parts.with(index, part).join('.') : part;

/** Only the part that is wrong, when it can be told where it stands. */
function partRange({ parts, written, within }: NamePath, index: number): readonly [number, number] {
  if (written !== parts.join('.')) return within;
  const start = within[0] + parts.slice(0, index).reduce((length, part) => length + part.length + 1, 0);
  return [start, start + (parts[index] ?? '').length];
}
