import type { JsonSchema } from '../../model/json-schema.js';
import { valueAt } from '../../model/pointer.js';
import { wordList } from '../quoted-list.js';

/** Follows references inside the same schema. */
export function deref(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let hops = 0; typeof current.$ref === 'string' && hops < 20; hops++) {
    const reference: string = current.$ref;
    const target = reference.startsWith('#') ? valueAt(root, decodeURIComponent(reference.slice(1))) : undefined;
    if (typeof target !== 'object' || target === null) break;
    current = target as JsonSchema;
  }
  return current;
}

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/** The types a schema names, or undefined when it leaves the type open. */
export function typesOf(schema: JsonSchema): readonly JsonType[] | undefined {
  const type = schema.type;
  if (type !== undefined) return (Array.isArray(type) ? type : [type]) as JsonType[];
  const values = schemaValues(schema);
  if (values) return values.map(typeOfValue);
  return schema.properties === undefined ? undefined : ['object'];
}

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'string' | 'number' | 'boolean' | 'object';
}

/** What a schema asks for, fit to follow "must be": `a whole number of at least 1`. Undefined when it cannot be said. */
export function describeSchema(schema: JsonSchema, root: JsonSchema): string | undefined {
  const forms = formsOf(schema, root);
  return forms && wordList([...new Set(forms)]);
}

/** A value in a message: scalars as they are, the rest by their kind. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? 'an empty map' : 'a map';
  const text = value === undefined ? 'not there' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function schemaValues(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Each form that the schema allows, in words. */
function formsOf(written: JsonSchema, root: JsonSchema): string[] | undefined {
  const schema = deref(written, root);
  const values = schemaValues(schema);
  if (values) return values.map((value) => JSON.stringify(value));
  const types = typesOf(schema);
  if (types) return types.flatMap((type) => formOfType(type, schema, root));
  const branches = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  const forms = branches?.map((branch) => formsOf(branch, root));
  return forms?.every((each) => each !== undefined) ? forms.flat() : undefined;
}

function formOfType(type: JsonType, schema: JsonSchema, root: JsonSchema): string | string[] {
  switch (type) {
    case 'integer':
      return `a whole number${numberLimits(schema)}`;
    case 'number':
      return `a number${numberLimits(schema)}`;
    case 'boolean':
      return ['true', 'false'];
    case 'null':
      return 'null';
    case 'object':
      return `a map${countLimits(schema.minProperties, schema.maxProperties, 'entries')}`;
    case 'array':
      return `a list${itemWords(schema.items, root)}${countLimits(schema.minItems, schema.maxItems, 'entries')}`;
    default:
      return textForm(schema);
  }
}

/** ` of text`, when all items are of one simple type. */
function itemWords(items: unknown, root: JsonSchema): string {
  if (typeof items !== 'object' || items === null) return '';
  const types = typesOf(deref(items as JsonSchema, root));
  const plural = { string: 'text', number: 'numbers', integer: 'whole numbers', object: 'maps', array: 'lists' };
  const [type] = types ?? [];
  return types?.length === 1 && type !== undefined && type in plural
    ? ` of ${plural[type as keyof typeof plural]}`
    : '';
}

function numberLimits(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const limits = [
    minimum === undefined ? undefined : `of at least ${minimum}`,
    maximum === undefined ? undefined : `of at most ${maximum}`,
    exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? undefined : `below ${exclusiveMaximum}`,
    schema.multipleOf === undefined ? undefined : `that is a multiple of ${schema.multipleOf}`,
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? '' : ` ${limits.join(' and ')}`;
}

function textForm({ minLength, maxLength, pattern }: JsonSchema): string {
  if (typeof pattern === 'string' && pattern.startsWith('^\\{\\{')) return 'a template such as "{{vars.name}}"';
  if (pattern !== undefined) return `text that matches ${pattern}`;
  if (minLength === 1 && maxLength === undefined) return 'text that is not empty';
  return `text${countLimits(minLength, maxLength, 'characters')}`;
}

function countLimits(least: unknown, most: unknown, what: string): string {
  const of = (count: unknown) => `${count} ${count === 1 ? what.replace(/ies$/, 'y').replace(/s$/, '') : what}`;
  if (least !== undefined && least === most) return ` of exactly ${of(least)}`;
  if (least !== undefined && most !== undefined) return ` of ${least} to ${of(most)}`;
  if (least !== undefined) return ` of at least ${of(least)}`;
  return most === undefined ? '' : ` of at most ${of(most)}`;
}
