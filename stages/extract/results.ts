import type { Key } from './runs.js';

export interface RunResult {
  readonly key: Key;
  readonly metrics?: { readonly [name: string]: number };
  /** Why there are none. Missing data is never a number. */
  readonly missing?: string;
}

/** One table of all runs, as YAML or JSON. `schemas/results.schema.json` says what it looks like. */
export function resultsText(to: string, runs: readonly RunResult[]): string {
  const rows = runs.map(({ key, metrics, missing }) => ({
    ...key,
    ...(metrics ? { metrics } : {}),
    ...(missing === undefined ? {} : { missing }),
  }));
  if (/\.json$/i.test(to)) return `${JSON.stringify({ runs: rows }, null, 2)}\n`;
  return `runs:\n${rows.map(yamlRow).join('')}`;
}

function yamlRow(row: object): string {
  const lines = Object.entries(row).flatMap(([name, value]) =>
    name === 'metrics'
      ? ['metrics:', ...Object.entries(value as object).map(([metric, number]) => `  ${quoted(metric)}: ${number}`)]
      : [`${quoted(name)}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`],
  );
  return lines.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}\n`).join('');
}

/** Plain where no reader could take it for something else. */
const quoted = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(name) ? name : JSON.stringify(name);
