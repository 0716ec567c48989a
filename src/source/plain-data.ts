import { type Pointer, pointerOf } from '../model/pointer.js';

/** Deeper than any config a person writes, and shallow enough for every recursive walk that follows. */
export const maxDepth = 200;

export interface NotData {
  readonly pointer: Pointer;
  /** What stands there, such as `a function`. */
  readonly what: string;
  readonly hint?: string;
}

/** Everything in a value that JSON could not hold. A config is data: it can be printed, hashed and written as YAML. */
export function findNotData(value: unknown): NotData[] {
  const found: NotData[] = [];
  const open = new Set<object>();
  const done = new Set<object>();
  const path: (string | number)[] = [];

  const visit = (item: unknown): void => {
    const isContainer = typeof item === 'object' && item !== null;
    if (isContainer && done.has(item)) return;
    const problem = isContainer ? containerProblem(item, open, path.length) : scalarProblem(item);
    if (problem) found.push({ pointer: pointerOf(...path), ...problem });
    if (problem || !isContainer) return;
    open.add(item);
    if (Array.isArray(item)) for (let index = 0; index < item.length; index++) step(index, item[index]);
    else for (const [key, child] of Object.entries(item)) step(key, child);
    open.delete(item);
    done.add(item);
  };
  const step = (key: string | number, child: unknown): void => {
    path.push(key);
    visit(child);
    path.pop();
  };

  visit(value);
  return found;
}

/** Numbers whose text says more than a JavaScript number keeps; a seed that is silently another seed is no seed. */
export function numberProblem(written: string): { readonly what: string; readonly hint: string } | undefined {
  const value = Number(written);
  if (!Number.isFinite(value)) return { what: `${written}, which is too large`, hint: 'Write a finite number' };
  const isKept = !/^[-+]?[0-9]+$/.test(written) || String(value) === written || BigInt(value) === BigInt(written);
  return isKept
    ? undefined
    : { what: `${written}, which is too large to be kept exactly`, hint: 'Put quotes around it' };
}

type Problem = Omit<NotData, 'pointer'> | undefined;

function scalarProblem(value: unknown): Problem {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { what: String(value), hint: 'Write a finite number' };
    case 'undefined':
      return { what: 'undefined', hint: 'Leave the key out, or give it a value' };
    case 'bigint':
      return { what: 'a bigint', hint: 'Write a number or text' };
    case 'function':
      return { what: 'a function', hint: 'A config is data: name a behaviour with "uses" instead' };
    case 'symbol':
      return { what: 'a symbol' };
    default:
      return undefined;
  }
}

function containerProblem(value: object, open: ReadonlySet<object>, depth: number): Problem {
  if (open.has(value)) return { what: 'a value that contains itself' };
  if (depth > maxDepth) return { what: `nested more than ${maxDepth} levels deep` };
  if (Object.getOwnPropertySymbols(value).length > 0) return { what: 'an object with a symbol as a key' };
  if (Array.isArray(value)) return undefined;
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null;
  if (prototype === null || prototype === Object.prototype) return undefined;
  const name = prototype.constructor?.name;
  if (name === 'Promise') return { what: 'a promise', hint: 'Put "await" before it' };
  if (name === 'Date') return { what: 'a Date', hint: 'Write it as text' };
  return { what: typeof name === 'string' && name ? `an instance of ${name}` : 'not a plain object' };
}
