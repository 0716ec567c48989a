import type { DiagnosticCode } from '../../model/catalogue/catalogue.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { type Pointer, pointerLabel, pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../did-you-mean.js';
import { deref, describeSchema, showValue, typesOf } from './schema-words.js';

/** One mistake in a value, in words that need no knowledge of JSON Schema. */
export interface SchemaIssue {
  readonly kind: keyof typeof issueCode;
  /** The value that is wrong; for an unknown or badly named key that key's value; for a missing key the map. */
  readonly pointer: Pointer;
  /** The key that is unknown, missing or badly named; absent when the mistake is in the value. */
  readonly key?: string;
  readonly message: string;
  readonly hint?: string;
}

export const issueCode = {
  'unknown-key': 'AR201',
  'wrong-type': 'AR203',
  'not-allowed': 'AR204',
  'missing-key': 'AR205',
  'bad-duration': 'AR206',
  'bad-name': 'AR207',
} as const satisfies Record<string, DiagnosticCode>;

/** The part of ajv's verbose error that is read here. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: object;
  readonly schema?: unknown;
  readonly parentSchema?: object;
  readonly data?: unknown;
  /** Set on errors about a key rather than about its value. */
  readonly propertyName?: string;
}

export interface IssueWords {
  readonly root: JsonSchema;
  /** What messages call the whole value. */
  readonly whole: string;
}

/** The issue behind one error. Alternatives are not looked into: `schemaIssues` does that. */
export function issueOf(error: SchemaError, words: IssueWords): SchemaIssue {
  const { instancePath: pointer, keyword } = error;
  const schema = (error.parentSchema ?? {}) as JsonSchema;
  const params = error.params as Record<string, unknown>;
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(pointer, String(params.additionalProperty), schema);
    case 'required':
      return missingKey(pointer, String(params.missingProperty), words);
    case 'propertyNames':
      return badKey(pointer, String(params.propertyName), deref(schema.propertyNames as JsonSchema, words.root));
  }
  if (isDefinition(schema, words.root, ['duration'])) return badDuration(error, words);
  if (keyword === 'pattern' && isDefinition(schema, words.root, ['identifier', 'variableName'])) {
    const message = `${labelOf(pointer, words)} is ${showValue(error.data)}, which is not a name`;
    return { kind: 'bad-name', pointer, message, ...ruleHint(schema) };
  }
  const kind = keyword === 'type' ? 'wrong-type' : 'not-allowed';
  const expected = describedKeywords.has(keyword) ? describeSchema(schema, words.root) : undefined;
  if (expected !== undefined) return valueIssue(error, { ...words, kind, expected });
  const entries = keyword === 'uniqueItems' && Array.isArray(error.data) ? error.data : undefined;
  const complaint = entries
    ? `holds ${showValue(entries[Number(params.i)])} twice`
    : (error.message ?? 'is not allowed');
  return { kind, pointer, message: `${labelOf(pointer, words)} ${complaint}` };
}

/** `X must be Y, but is Z`. */
export function valueIssue(
  { instancePath: pointer, data, parentSchema }: SchemaError,
  { kind, expected, ...words }: IssueWords & { readonly kind: SchemaIssue['kind']; readonly expected: string },
): SchemaIssue {
  const schema = (parentSchema ?? {}) as JsonSchema;
  const hint =
    kind === 'wrong-type' ? (typeHint(schema, data) ?? mapHint(schema, data, words.root)) : valueHint(schema, data);
  const message = `${labelOf(pointer, words)} must be ${expected}, but is ${showValue(data)}`;
  return { kind, pointer, message, ...(hint === undefined ? {} : { hint }) };
}

const valueHint = ({ enum: allowed }: JsonSchema, data: unknown): string | undefined =>
  typeof data === 'string' && Array.isArray(allowed) ? didYouMean(data, allowed.map(String)) : undefined;

/** Values that are right but for their brackets or quotes. */
function typeHint(schema: JsonSchema, data: unknown): string | undefined {
  if (typeof data === 'object' || data === undefined) return undefined;
  const types = typesOf(schema) ?? [];
  if (types.includes('array')) return `Write [${JSON.stringify(data)}]`;
  if (types.includes('string') && schema.enum === undefined) return `Put quotes around it: "${data}"`;
  if (typeof data !== 'string' || data === '') return undefined;
  const meant = data === 'true' || data === 'false' ? 'boolean' : Number.isFinite(Number(data)) && 'number';
  const fits = meant && types.some((type) => type === meant || (meant === 'number' && type === 'integer'));
  return fits ? 'Remove the quotes' : undefined;
}

/** The only key that has to be there, when the value would fit it: `Write { attempts: 3 }`. */
function mapHint(schema: JsonSchema, data: unknown, root: JsonSchema): string | undefined {
  const [key, ...more] = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  if (key === undefined || more.length > 0 || typeof data === 'object') return undefined;
  const written = (schema.properties as Record<string, JsonSchema> | undefined)?.[key];
  const { minimum, maximum, enum: allowed, ...rest } = written ? deref(written, root) : {};
  const type = Number.isInteger(data) ? 'integer' : typeof data;
  const fits =
    (typesOf(rest) ?? []).some((each) => each === type || (each === 'number' && type === 'integer')) &&
    (typeof data !== 'number' || (data >= Number(minimum ?? data) && data <= Number(maximum ?? data))) &&
    (!Array.isArray(allowed) || allowed.includes(data));
  return fits ? `Write { ${key}: ${JSON.stringify(data)} }` : undefined;
}

export function missingKey(pointer: Pointer, key: string, words: IssueWords): SchemaIssue {
  return { kind: 'missing-key', pointer, key, message: `${labelOf(pointer, words)} needs "${key}"` };
}

export const labelOf = (pointer: Pointer, { whole }: IssueWords): string => pointerLabel(pointer) || whole;

/** Those that `describeSchema` puts into words. */
const describedKeywords = new Set([
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

function unknownKey(container: Pointer, key: string, schema: JsonSchema): SchemaIssue {
  const known = Object.keys((schema.properties ?? {}) as object);
  const few = known.length > 0 && known.length <= 20 ? `Known here: ${known.join(', ')}` : undefined;
  const hint = didYouMean(key, known) ?? few;
  const message = `unknown key "${key}"`;
  return {
    kind: 'unknown-key',
    pointer: container + pointerOf(key),
    key,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

function badKey(container: Pointer, key: string, rule: JsonSchema): SchemaIssue {
  const message = `"${key}" is not a name`;
  return { kind: 'bad-name', pointer: container + pointerOf(key), key, message, ...ruleHint(rule) };
}

function badDuration({ instancePath: pointer, data }: SchemaError, words: IssueWords): SchemaIssue {
  const example = 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d';
  const hint = Number.isInteger(data) && Number(data) >= 0 ? `Write a unit, such as ${data}s or ${data}m` : example;
  const message = `${labelOf(pointer, words)} must be a duration, but is ${showValue(data)}`;
  return { kind: 'bad-duration', pointer, message, hint };
}

/** The schema's own words for what a name may be. */
function ruleHint({ description, pattern }: JsonSchema): { readonly hint?: string } {
  if (typeof description !== 'string')
    return pattern === undefined ? {} : { hint: `A name here must match ${pattern}` };
  const rule = description.replace(/\.$/, '').replaceAll('`', '"');
  return { hint: `A name is ${rule.charAt(0).toLowerCase()}${rule.slice(1)}` };
}

const isDefinition = (schema: JsonSchema, root: JsonSchema, names: readonly string[]): boolean =>
  names.some((name) => (root.$defs as Record<string, unknown> | undefined)?.[name] === schema);
