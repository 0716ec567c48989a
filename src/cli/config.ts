import type { ResolvedConfig } from '../config/resolve.js';
import { exitCode } from '../model/exit-code.js';
import { isJsonObject } from '../model/json.js';
import { pointerLabel, pointerOf } from '../model/pointer.js';
import { yamlText } from '../source/yaml-text.js';
import type { CliContext } from './context.js';
import { resolveFor } from './open-project.js';
import { refuse } from './refuse.js';

export async function run(context: CliContext): Promise<number> {
  const resolved = await resolveFor(context);
  if (!resolved.ok) return refuse(resolved.error, context);
  const { config } = resolved.value;
  if (context.flag('origin')) {
    const rows = [...origins(resolved.value, config, [])];
    context.stdout.write(
      context.flag('json') ? `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n` : originTable(rows),
    );
  } else {
    context.stdout.write(context.flag('json') ? `${JSON.stringify(config, null, 2)}\n` : await yamlText(config));
  }
  return exitCode.passed;
}

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
