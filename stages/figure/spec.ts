import type { Json, JsonObject } from 'autoresearch';
import type { Row } from './tables.js';

type Tables = ReadonlyMap<string, readonly Row[]>;

/** The specification with its data in it. With one table only, it need not name it. */
export function withTables(spec: JsonObject, tables: Tables): JsonObject {
  const [only] = tables.keys();
  const named = namesIn(spec).size === 0 && tables.size === 1 ? { data: { name: only! } } : {};
  return { ...spec, ...named, datasets: Object.fromEntries(tables) } as unknown as JsonObject;
}

/** What would draw something else than was meant, or something else each time. */
export function specProblems(spec: Json, tables: Tables): string[] {
  if (!isMap(spec)) return ['it is no specification'];
  const names = namesIn(spec);
  const known = [...tables.keys()];
  const unnamed = names.size === 0 && tables.size === 1 ? [] : known.filter((name) => !names.has(name));
  return [
    ...(spec.datasets === undefined ? [] : ['it brings datasets of its own: name files under `data` instead']),
    ...[...names]
      .filter((name) => !tables.has(name))
      .map((name) => `it draws ${name}, and there are ${known.join(', ')}`),
    ...unnamed.map((name) => `it does not draw ${name}`),
    ...new Set(partsOf(spec).flatMap(partProblems)),
    ...[...quantities(spec)].flatMap((field) => valueProblems(field, tables)),
    ...[...quantities(spec)].filter((field) => !isThere(field, spec, tables)).map((field) => `no row has ${field}`),
  ];
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function partsOf(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(partsOf);
  return isMap(value) ? [value, ...Object.values(value).flatMap(partsOf)] : [];
}

const namesIn = (spec: JsonObject): ReadonlySet<string> =>
  new Set(partsOf(spec).flatMap(({ data }) => (isMap(data) && typeof data.name === 'string' ? [data.name] : [])));

function partProblems(part: JsonObject): string[] {
  const { data, type, scale, timeUnit } = part;
  const isUtc = isMap(scale) && scale.type === 'utc';
  return [
    ...(isMap(data) && data.url !== undefined ? ['it reads an address: name files under `data` instead'] : []),
    ...(type === 'temporal' && !isUtc
      ? ['a temporal field needs `"scale": {"type": "utc"}`, or it would depend on the time zone']
      : []),
    ...(typeof timeUnit === 'string' && !timeUnit.startsWith('utc')
      ? [`timeUnit ${timeUnit} depends on the time zone: use utc${timeUnit}`]
      : []),
    ...(Object.values(part).some((value) => typeof value === 'string' && /\bnow\s*\(/.test(value))
      ? ['now() is something else each time']
      : []),
  ];
}

/** Fields that are drawn as numbers. */
const quantities = (spec: JsonObject): ReadonlySet<string> =>
  new Set(
    partsOf(spec).flatMap(({ field, type }) =>
      type === 'quantitative' && typeof field === 'string' ? [field.replace(/\\/g, '')] : [],
    ),
  );

/** In a row, or worked out by the specification itself. */
function isThere(field: string, spec: JsonObject, tables: Tables): boolean {
  const made = partsOf(spec).flatMap(({ as, fold }) => [as, ...(fold === undefined ? [] : ['key', 'value'])].flat());
  return made.includes(field) || [...tables.values()].some((rows) => rows.some((row) => Object.hasOwn(row, field)));
}

/** A value that should be a number and is none would be left out of the picture without a word. */
function valueProblems(field: string, tables: Tables): string[] {
  return [...tables].flatMap(([name, rows]) => {
    const wrong = rows.findIndex((row) => Object.hasOwn(row, field) && typeof row[field] !== 'number');
    return wrong === -1
      ? []
      : [`row ${wrong + 1} of ${name} has ${JSON.stringify(rows[wrong]![field])} for ${field}, which is no number`];
  });
}
