import type { Config } from '../../model/generated/config.js';
import { isJsonObject } from '../../model/json.js';
import type { JsonSchema } from '../../model/json-schema.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import { isExpression, itemSchema, propertySchema } from './option-schema.js';

/** The texts in `with` that a behaviour marks as expressions. Only a study with variables is asked for them. */
export function optionExpressions(
  { stages, vars }: Config,
  behaviours: ReadonlyMap<string, LoadedBehaviour>,
): readonly string[] {
  if (!vars || Object.keys(vars).length === 0) return [];
  const found: string[] = [];
  for (const { uses, with: options } of Object.values(stages)) {
    const schema = behaviours.get(uses)?.behaviour.options;
    if (schema && options !== undefined) collect(options, schema, found);
  }
  return found;
}

function collect(value: unknown, schema: JsonSchema | undefined, found: string[]): void {
  if (!schema) return;
  if (typeof value === 'string') {
    if (isExpression(schema)) found.push(value);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, itemSchema(schema, index), found);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) collect(value[key], propertySchema(schema, key), found);
  }
}
