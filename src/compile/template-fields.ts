import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { JsonSchema } from '../model/json-schema.js';
import { pointerOf } from '../model/pointer.js';
import type { Templates } from '../source/template.js';
import { hasTemplate } from '../source/template-node.js';
import type { Problems } from './problems.js';

export type Names = { readonly [name: string]: Json };
type Path = readonly (string | number)[];

/** Puts values into the strings of a stage. What is wrong goes to `problems`; the text then stays as it was written. */
export class TemplateFields {
  readonly raw: string[] = [];
  readonly #templates: Templates;
  readonly #problems: Problems;
  readonly #names: Names;

  constructor(templates: Templates, problems: Problems, names: Names) {
    this.#templates = templates;
    this.#problems = problems;
    this.#names = names;
  }

  /** Any value; strings inside it are filled in, and those that the schema calls shell text are quoted for it. */
  data(value: Json, path: Path, schema: JsonSchema = {}): Json {
    if (typeof value === 'string') {
      const filled = this.#string(value, path, isShell(schema) ? 'shell' : 'plain');
      return typeof filled !== 'object' && isTextOnly(schema) ? String(filled) : filled;
    }
    if (Array.isArray(value)) {
      const items = alternatives(schema).find((branch) => branch.items !== undefined)?.items as JsonSchema | undefined;
      return value.map((item: Json, index) => this.data(item, [...path, index], items));
    }
    if (!isJsonObject(value)) return value;
    const filled: Record<string, Json> = {};
    for (const [key, item] of Object.entries(value)) filled[key] = this.data(item, [...path, key], propertySchema(schema, key));
    return filled;
  }

  options(value: JsonObject, path: Path, schema: JsonSchema): JsonObject {
    return this.data(value, path, schema) as JsonObject;
  }

  text(value: string, path: Path): string {
    if (!hasTemplate(value)) return value;
    const filled = this.#string(value, path, 'plain');
    if (typeof filled !== 'object') return String(filled);
    this.#problems.add({ code: 'AR408', message: 'this gives a list where text is due', at: { kind: 'config', pointer: pointerOf(...path) } });
    return value;
  }

  texts(values: readonly string[], path: Path): string[] {
    return values.map((value, index) => this.text(value, [...path, index]));
  }

  #string(value: string, path: Path, mode: 'plain' | 'shell'): Json {
    if (!hasTemplate(value)) return value;
    const rendered = this.#templates.render(value, this.#names, { mode });
    if (rendered.ok) {
      this.raw.push(...rendered.value.raw);
      return rendered.value.value;
    }
    for (const problem of rendered.error) this.#problems.inText(pointerOf(...path), problem);
    return value;
  }
}

/** Whether a value has a template anywhere in it; if not, all tasks of a stage share it as it is. */
export function hasTemplates(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTemplates);
}

/** A schema and the branches it may be instead; asked for every string of every task, so remembered. */
const alternatives = remembered((schema): readonly JsonSchema[] => {
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? (list as JsonSchema[]) : []));
  return [schema, ...branches.flatMap((branch) => alternatives(branch))];
});

const isShell = remembered((schema): boolean => alternatives(schema).some((branch) => branch.format === 'shell'));

/** A number in a place for text, such as an argument of a command, becomes text; anywhere else it stays a number. */
const isTextOnly = remembered((schema): boolean => {
  const types = alternatives(schema).flatMap(({ type }) => (type === undefined ? [] : [type].flat()));
  return types.includes('string') && !types.some((type) => type === 'number' || type === 'integer' || type === 'boolean');
});

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

function propertySchema(schema: JsonSchema, key: string): JsonSchema | undefined {
  for (const branch of alternatives(schema)) {
    const properties = branch.properties as Record<string, JsonSchema> | undefined;
    if (properties && Object.hasOwn(properties, key)) return properties[key];
    if (isJsonObject(branch.additionalProperties)) return branch.additionalProperties;
  }
  return undefined;
}
