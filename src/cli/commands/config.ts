import type { ResolvedConfig } from '../../config/resolve.js';
import { exitCode } from '../../model/exit-code.js';
import { isJsonObject } from '../../model/json.js';
import { pointerLabel, pointerOf } from '../../model/pointer.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import { yamlText } from '../../source/yaml-text.js';
import type { CliContext } from '../context.js';
import { resolveFor } from '../project/open-project.js';
import { refuse } from '../refuse.js';

export async function run(context: CliContext): Promise<number> {
  const resolved = await resolveFor(context);
  if (!resolved.ok) return refuse(resolved.error, context);
  // `plan` refuses a config with the value of a secret in it; whoever looks for the place must not print it.
  const { hideValues } = secretsOf({ ...context.env }, resolved.value.config.secrets);
  context.stdout.write(hideValues(await textOf(resolved.value, context)));
  return exitCode.passed;
}

async function textOf(resolved: ResolvedConfig, context: CliContext): Promise<string> {
  const isJson = context.flag('json');
  if (!context.flag('origin')) return isJson ? jsonText(resolved.config) : yamlText(resolved.config);
  const rows = [...origins(resolved, resolved.config, [])];
  return isJson ? jsonText(Object.fromEntries(rows)) : originTable(rows);
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

type Row = readonly [label: string, origin: { readonly value: unknown; readonly layer: string }];

/** Every value that is not a map itself, with the layer it came from; list entries may come from different layers. */
function* origins(resolved: ResolvedConfig, value: unknown, path: readonly (string | number)[]): Generator<Row> {
  if (isJsonObject(value) || (Array.isArray(value) && value.length > 0)) {
    for (const [key, item] of Object.entries(value))
      yield* origins(resolved, item, [...path, Array.isArray(value) ? Number(key) : key]);
    return;
  }
  const pointer = pointerOf(...path);
  yield [pointerLabel(pointer), { value, layer: resolved.originOf(pointer)?.layer.name ?? 'unknown' }];
}

function originTable(rows: readonly Row[]): string {
  const width = Math.min(48, Math.max(0, ...rows.map(([label]) => label.length)));
  return rows
    .map(([label, { value, layer }]) => `${label.padEnd(width)}  ${JSON.stringify(value)}  (${layer})\n`)
    .join('');
}
