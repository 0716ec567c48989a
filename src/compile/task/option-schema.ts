import { isJsonObject } from '../../model/json.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { valueAt } from '../../model/pointer.js';

/**
 * What an options schema says about one value. A branch that is overlooked would put a value into shell text without
 * quotes, so every way in which a schema can hold another is followed.
 */
export const isShell = remembered((schema): boolean =>
  alternatives(schema).some((branch) => branch.format === 'shell'),
);

/** Text in the language of expressions, or a dotted path, which reads the same. */
export const isExpression = remembered((schema): boolean =>
  alternatives(schema).some((branch) => branch.format === 'expression'),
);

/** A number in a place for text, such as an argument of a command, becomes text; anywhere else it stays a number. */
export const isTextOnly = remembered((schema): boolean => {
  const types = alternatives(schema).flatMap(({ type }) => (type === undefined ? [] : [type].flat()));
  return (
    types.includes('string') && !types.some((type) => type === 'number' || type === 'integer' || type === 'boolean')
  );
});

/** A map from names that the user chooses, and not one of known keys. */
export const hasFreeNames = remembered((schema): boolean =>
  alternatives(schema).some(
    ({ additionalProperties, properties }) => isJsonObject(additionalProperties) && properties === undefined,
  ),
);

export function propertySchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  return either(schema, (branch) => {
    const properties =
      isJsonObject(branch.properties) && Object.hasOwn(branch.properties, key) ? [branch.properties[key]] : [];
    const patterns = isJsonObject(branch.patternProperties) ? Object.entries(branch.patternProperties) : [];
    const found = [
      ...properties,
      ...patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, each]) => each),
    ];
    return found.length > 0 ? found : [branch.additionalProperties];
  });
}

export const itemSchema = (schema: JsonSchema, index: number): JsonSchema | undefined =>
  either(schema, ({ items, additionalItems }) => (Array.isArray(items) ? [items[index] ?? additionalItems] : [items]));

/** The schema that a root belongs to, so that its references can be followed from anywhere in it. */
const rootOf = new WeakMap<object, JsonSchema>();

/** A schema and the branches it may be instead. */
const alternatives = remembered((schema): readonly JsonSchema[] => {
  const root = rootOf.get(schema) ?? schema;
  const found = new Set<JsonSchema>();
  const add = (branch: unknown): void => {
    if (!isJsonObject(branch) || found.has(branch)) return;
    found.add(branch);
    rootOf.set(branch, root);
    for (const list of [branch.anyOf, branch.oneOf, branch.allOf]) if (Array.isArray(list)) list.forEach(add);
    for (const one of [branch.if, branch.then, branch.else]) add(one);
    if (typeof branch.$ref === 'string' && branch.$ref.startsWith('#')) add(valueAt(root, branch.$ref.slice(1)));
  };
  add(schema);
  return [...found];
});

/** What any branch says about a part of the value: one schema, or a choice between them. */
function either(schema: JsonSchema, partsOf: (branch: JsonSchema) => readonly unknown[]): JsonSchema | undefined {
  const found = alternatives(schema).flatMap(partsOf).filter(isJsonObject);
  const root = rootOf.get(schema) ?? schema;
  for (const each of found) rootOf.set(each, root);
  if (found.length < 2) return found[0];
  const choice: JsonSchema = { anyOf: found };
  rootOf.set(choice, root);
  return choice;
}

/** Asked for every string of every task. */
function remembered<T>(find: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
  const known = new WeakMap<JsonSchema, { readonly answer: T }>();
  return (schema) => {
    let found = known.get(schema);
    if (!found) {
      found = { answer: find(schema) };
      known.set(schema, found);
    }
    return found.answer;
  };
}
