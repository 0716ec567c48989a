import type { Json, JsonObject } from 'autoresearch';

/** Seed → its number; a text where the run is missing says why. */
export type Runs = ReadonlyMap<string, number | string>;

export interface Fields {
  readonly arm: string;
  readonly seed: string;
  readonly metric: string;
}

/** Arm → its runs. Texts say what is wrong with the table, all of it. */
export function armsIn(table: Json, { arm, seed, metric }: Fields): ReadonlyMap<string, Runs> | readonly string[] {
  const rows = isMap(table) ? (table.runs as Json | undefined) : undefined;
  if (!Array.isArray(rows) || rows.length === 0) return ['it holds no runs'];
  const arms = new Map<string, Map<string, number | string>>();
  const wrong: string[] = [];
  for (const [index, row] of rows.entries()) {
    const at = `run ${index + 1}`;
    if (!isMap(row)) {
      wrong.push(`${at} is not a map`);
      continue;
    }
    const [name, which] = [row[arm], row[seed]].map((value) => (isScalar(value) ? String(value) : undefined));
    if (name === undefined) wrong.push(`${at} does not say its ${arm}`);
    if (which === undefined) wrong.push(`${at} does not say its ${seed}`);
    const value = numberOf(row, metric);
    if (value === undefined) wrong.push(`${at} has no number ${metric}`);
    if (name === undefined || which === undefined || value === undefined) continue;
    const runs = arms.get(name) ?? new Map<string, number | string>();
    if (runs.has(which)) wrong.push(`${arm} ${name} has two runs of ${seed} ${which}`);
    arms.set(name, runs.set(which, value));
  }
  return wrong.length > 0 ? wrong : arms;
}

/** A run that failed is missing data, and says so in words: it is never a number. */
function numberOf(row: JsonObject, metric: string): number | string | undefined {
  if (typeof row.missing === 'string' && row.missing !== '') return row.missing;
  const metrics = row.metrics as Json | undefined;
  const value = isMap(metrics) && Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
