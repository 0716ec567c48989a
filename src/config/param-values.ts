import type { Diagnostic } from '../model/diagnostic.js';
import { parseDuration } from '../model/duration.js';
import type { Param, ParamItem } from '../model/generated/params.js';
import type { JsonSchema } from '../model/json-schema.js';
import { pointerOf } from '../model/pointer.js';
import { didYouMean } from '../source/did-you-mean.js';
import { showValue } from '../source/schema/schema-words.js';
import { addressIn, type Layer } from './layer.js';

export type Vars = { readonly [name: string]: unknown };

/** A parameter, and the preset that declares it. */
export interface DeclaredParam {
  readonly param: Param;
  readonly layer: Layer;
}

/** All parameters of all presets, by name. A preset that builds on another may declare one of its parameters anew. */
export function declaredParams(layers: readonly Layer[]): ReadonlyMap<string, DeclaredParam> {
  return new Map(
    layers.flatMap((layer) =>
      Object.entries(layer.params ?? {}).map(([name, param]) => [name, { param, layer }] as const),
    ),
  );
}

/** By parameter: that it is missing, or does not fit. Values are never changed to fit. */
export async function paramValueProblems(
  declared: ReadonlyMap<string, DeclaredParam>,
  vars: Vars,
): Promise<ReadonlyMap<string, readonly Diagnostic[]>> {
  const problems = new Map<string, readonly Diagnostic[]>();
  const strangers = Object.keys(vars).filter((name) => !declared.has(name));
  for (const [name, { param, layer }] of declared) {
    if (!Object.hasOwn(vars, name)) problems.set(name, [missing(name, { param, layer }, strangers)]);
    else if (!fitsParam(param, vars[name])) problems.set(name, await misfits(name, { param, layer }, vars[name]));
  }
  return problems;
}

function missing(name: string, { param, layer }: DeclaredParam, strangers: readonly string[]): Diagnostic {
  const near = strangers.find((stranger) => didYouMean(stranger, [name]) !== undefined);
  const example = param.example === undefined ? '' : `, such as ${name}: ${JSON.stringify(param.example)}`;
  return {
    code: 'AR111',
    message: `${layer.name} needs the parameter "${name}": ${sentence(param.description)}`,
    hint: near === undefined ? `Set it under vars${example}` : `Did you mean "${name}" where vars say "${near}"?`,
    ...(layer.entry ? { at: layer.entry } : {}),
    related: [{ message: 'declared here', at: addressIn(layer.document, pointerOf('params', name), 'key') }],
  };
}

/** Without its full stop, so that it can stand in a message. */
const sentence = (text: string): string => text.trim().replace(/\s+/g, ' ').replace(/\.$/, '');

/** Whether a value is what its parameter asks for; `misfits` says why not, by the same schema. */
export function fitsParam(param: Param | (ParamItem & Pick<Param, 'items'>), value: unknown): boolean {
  const { type, enum: allowed } = param;
  if (allowed && !allowed.includes(value as never)) return false;
  switch (type) {
    case 'array':
      return Array.isArray(value) && fitsList(param, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && fitsText(param, value);
    case 'integer':
    case 'number':
      return typeof value === 'number' && (type === 'number' || Number.isInteger(value)) && fitsNumber(param, value);
  }
}

function fitsList(
  { items, minItems = 0, maxItems = Infinity, uniqueItems }: Partial<Param>,
  value: readonly unknown[],
): boolean {
  if (value.length < minItems || value.length > maxItems) return false;
  if (uniqueItems && new Set(value).size < value.length) return false;
  return value.every((item) => (items ? fitsParam(items, item) : typeof item !== 'object'));
}

type Bounds = Omit<ParamItem, 'type'>;

function fitsText({ minLength = 0, maxLength = Infinity, pattern, format }: Bounds, value: string): boolean {
  const length = [...value].length;
  if (length < minLength || length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return false;
  return format === 'duration' ? (parseDuration(value) ?? 0) > 0 : format !== 'shell' || value.trim() !== '';
}

function fitsNumber(
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity }: Bounds,
  value: number,
): boolean {
  return value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
}

async function misfits(name: string, { param, layer }: DeclaredParam, value: unknown): Promise<Diagnostic[]> {
  const [{ compileSchema }, { issueCode }] = await Promise.all([
    import('../source/schema/schema.js'),
    import('../source/schema/schema-issue.js'),
  ]);
  const related = [{ message: 'declared here', at: addressIn(layer.document, pointerOf('params', name), 'key') }];
  const check = await compileSchema({
    type: 'object',
    properties: { vars: { type: 'object', properties: { [name]: schemaOf(param) } } },
  });
  if (!check.ok) return [notASchema(name, layer, check.error)];
  const issues = check.value({ vars: { [name]: value } });
  const found = issues.map(({ kind, pointer, message, hint }) => ({
    code: issueCode[kind],
    message,
    ...(hint === undefined ? {} : { hint }),
    at: { kind: 'config', pointer } as const,
    related,
  }));
  return found.length > 0 ? found : [formatMisfit(name, param, { value, related })];
}

const formatMisfit = (
  name: string,
  { format }: Param,
  { value, related }: { readonly value: unknown; readonly related: NonNullable<Diagnostic['related']> },
): Diagnostic => ({
  code: format === 'duration' ? 'AR206' : 'AR204',
  message: `vars.${name} must be ${format === 'duration' ? 'a length of time' : 'a command'}, but is ${showValue(value)}`,
  ...(format === 'duration' ? { hint: 'Write a whole number and a unit, such as 30s, 5m, 2h or 1d' } : {}),
  at: { kind: 'config', pointer: pointerOf('vars', name) },
  related,
});

/** `fault` is in the words of the schema compiler. */
export function notASchema(name: string, layer: Layer, fault: string): Diagnostic {
  const keyword = /for keyword "(\w+)"/.exec(fault)?.[1];
  const why =
    keyword === undefined ? fault : `"${keyword}" says nothing of a value of the type ${layer.params?.[name]?.type}`;
  const at = addressIn(layer.document, pointerOf('params', name), 'key');
  return { code: 'AR112', message: `the parameter "${name}" is declared wrongly: ${why}`, at };
}

/** The part of a parameter that JSON Schema knows. Formats are checked by hand. */
export function schemaOf({ description, default: _, example, format, items, ...rest }: Param): JsonSchema {
  if (!items) return rest as unknown as JsonSchema;
  const { format: __, ...item } = items;
  return { ...rest, items: item } as unknown as JsonSchema;
}

/** A value of the parameter's type, for `--set` of one that has no value yet. */
export function specimenOf({ type, items }: Param): unknown {
  const scalars = { string: '', integer: 0, number: 0, boolean: false } as const;
  return type === 'array' ? [scalars[items?.type ?? 'string']] : scalars[type];
}
