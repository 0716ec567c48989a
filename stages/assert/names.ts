import type { Json, JsonObject, StageContext, StageResult, Value, ValueSource } from 'autoresearch';
import type { AssertOptions } from './options.js';

/** What expressions and mappings may speak of. */
export interface Names {
  readonly names: JsonObject;
  /** Values that no expression can use, by path: NaN, numbers too long to be exact, objects. */
  readonly lost: ReadonlyMap<string, string>;
}

export async function loadNames(
  given: AssertOptions,
  context: StageContext,
): Promise<{ readonly ok: true; readonly value: Names } | Extract<StageResult, { ok: false }>> {
  const { from = {}, let: short = {}, python } = given;
  const names: { [name: string]: Json } = { vars: { ...context.vars }, matrix: { ...context.matrix } };
  const lost = new Map<string, string>();
  const wrong: string[] = [];
  for (const [name, source] of Object.entries<ValueSource>(from)) {
    const read = await context.readValues({
      from: source,
      names: usedOf(name, given),
      ...(python === undefined ? {} : { python }),
    });
    if (read.ok) names[name] = nested(read.values, name, lost);
    else if ('failure' in read) return { ok: false, failure: read.failure };
    else wrong.push(`${name}: ${read.why}`);
  }
  if (wrong.length > 0) return { ok: false, failure: { code: 'behaviour-failed', detail: wrong.join('; ') } };
  for (const [name, path] of Object.entries<string>(short)) {
    const value = valueAt(names, path);
    if (value === undefined) lost.set(name, lost.get(path) ?? `missing (there is no ${path})`);
    else names[name] = value;
  }
  return { ok: true, value: { names, lost } };
}

/** The names that any check uses of a source; all of them where one of them is given the whole of it. */
function usedOf(name: string, { checks, let: short = {} }: AssertOptions): string[] {
  const texts = checks.flatMap(({ expression, mapping, absent, sameKeys = [] }) => [
    expression,
    mapping,
    absent,
    ...sameKeys,
  ]);
  if (!/^\w+$/.test(name)) return ['*'];
  const used = new Set<string>();
  for (const text of [...texts, ...Object.values<string>(short)])
    for (const [, part] of (text ?? '').matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)(?:\\.([A-Za-z_]\\w*))?`, 'g')))
      used.add(part ?? '*');
  return [...used];
}

export function valueAt(names: JsonObject, path: string): Json | undefined {
  let part: Json | undefined = names;
  for (const step of path.split('.'))
    part = isMap(part) && Object.hasOwn(part, step) ? (part[step] as Json) : undefined;
  return part;
}

export const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{a.b: 1}` → `{a: {b: 1}}`. */
function nested(values: ReadonlyMap<string, Value>, name: string, lost: Map<string, string>): JsonObject {
  const root: { [key: string]: Json } = {};
  for (const [path, value] of values) {
    const json = jsonOf(value);
    if (json === undefined) {
      lost.set(`${name}.${path}`, typeof value === 'number' ? String(value) : 'no value that could be compared');
      continue;
    }
    const steps = path.split('.');
    let part = root;
    for (const step of steps.slice(0, -1)) {
      if (!isMap(part[step]) || !Object.hasOwn(part, step)) part[step] = {};
      part = part[step] as { [key: string]: Json };
    }
    part[steps.at(-1)!] = json;
  }
  return root;
}

function jsonOf(value: Value): Json | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(jsonOf);
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  if (!('map' in value)) return undefined;
  const entries = Object.entries(value.map).map(([key, item]) => [key, jsonOf(item)] as const);
  return entries.some(([, item]) => item === undefined) ? undefined : (Object.fromEntries(entries) as JsonObject);
}
