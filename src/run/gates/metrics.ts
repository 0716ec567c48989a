import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import { isData } from '../freshness/measured-by.js';
import type { GatePorts } from './gate-ports.js';

export interface MetricFiles {
  /** Each file of data, by its path. */
  readonly outputs: { readonly [path: string]: Json };
  /** The keys of all of them together. */
  readonly metrics: { readonly [name: string]: Json };
  /** What keeps a check from being believed. */
  readonly problems: string[];
}

/**
 * What the checks of a gate can speak of: `outputs["runs/a.json"].loss`, and `metrics.loss` for a key of any of the
 * files. Two files that disagree about a key are a problem, not a choice.
 */
export async function readMetrics(
  paths: readonly string[],
  {
    readData,
    published = {},
  }: Pick<GatePorts, 'readData'> & { readonly published?: { readonly [name: string]: Json } },
): Promise<MetricFiles> {
  const outputs: Record<string, Json> = {};
  const metrics = new Map<string, { readonly value: Json; readonly path: string }>(
    Object.entries(published).map(([name, value]) => [name, { value, path: 'what the task recorded' }]),
  );
  const problems: string[] = [];
  for (const path of paths.filter(isData)) {
    const read = await readData(path);
    if (!read.ok) {
      problems.push(read.why);
      continue;
    }
    const value = read.value as Json;
    outputs[path] = value;
    if (!isJsonObject(value)) continue;
    for (const [name, metric] of Object.entries(value)) {
      const other = metrics.get(name);
      if (!other) metrics.set(name, { value: metric as Json, path });
      else if (!isSame(other.value, metric as Json))
        problems.push(
          `metrics.${name} is one thing in ${other.path} and another in ${path}; name the file: outputs["${path}"]`,
        );
    }
  }
  // A metric that is null has no value, and null is not equal to anything: every "is not" would hold of it.
  const known = [...metrics].filter(([, { value }]) => value !== null);
  return { outputs, metrics: Object.fromEntries(known.map(([name, { value }]) => [name, value])), problems };
}

/** NaN is not even the same as itself. */
const isSame = (a: Json, b: Json): boolean => {
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
};
