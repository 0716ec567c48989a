import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { pointerOf } from '../../model/pointer.js';
import type { Templates } from '../../source/template/template.js';
import { hasTemplate } from '../../source/template/template-node.js';
import { kindOf } from '../../source/template/template-render.js';
import type { Problems } from '../problems.js';
import { hasFreeNames, isShell, isTextOnly, itemSchema, propertySchema } from './option-schema.js';

export type Names = { readonly [name: string]: Json };
type Path = readonly (string | number)[];

/** Puts values into the strings of a stage. What is wrong goes to `problems`; the text then stays as it was written. */
export class TemplateFields {
  readonly raw: string[] = [];
  /** How many texts could not be filled in. */
  failures = 0;
  readonly #templates: Templates;
  readonly #problems: Problems;
  readonly #namesOf: () => Names;
  #names: Names | undefined;

  /** The names are only put together when a template asks for one. */
  constructor(templates: Templates, problems: Problems, names: () => Names) {
    this.#templates = templates;
    this.#problems = problems;
    this.#namesOf = names;
  }

  /** Any value; strings inside it are filled in, and those that the schema calls shell text are quoted for it. */
  data(value: Json, path: Path, schema: JsonSchema = {}): Json {
    if (typeof value === 'string') {
      const filled = this.#string(value, path, isShell(schema) ? 'shell' : 'plain');
      return typeof filled !== 'object' && isTextOnly(schema) ? String(filled) : filled;
    }
    if (Array.isArray(value))
      return value.map((item: Json, index) => this.data(item, [...path, index], itemSchema(schema, index)));
    if (!isJsonObject(value)) return value;
    const filled = new Map<string, Json>();
    for (const [key, item] of Object.entries(value)) {
      const at = [...path, key];
      const name = hasTemplate(key) ? this.#key(key, at, schema) : key;
      if (filled.has(name)) this.#badKey(at, `two keys of this map are "${name}"`, 'Let each give another name');
      filled.set(name, this.data(item, at, propertySchema(schema, name)));
    }
    return Object.fromEntries(filled);
  }

  options(value: JsonObject, path: Path, schema: JsonSchema): JsonObject {
    return this.data(value, path, schema) as JsonObject;
  }

  text(value: string, path: Path): string {
    if (!hasTemplate(value)) return value;
    const filled = this.#string(value, path, 'plain');
    if (typeof filled !== 'object') return String(filled);
    this.failures += 1;
    const message = `this gives ${kindOf(filled)} where text is due`;
    this.#problems.add({ code: 'AR408', message, at: { kind: 'config', pointer: pointerOf(...path) } });
    return value;
  }

  texts(values: readonly string[], path: Path): string[] {
    return values.map((value, index) => this.text(value, [...path, index]));
  }

  #string(value: string, path: Path, mode: 'plain' | 'shell'): Json {
    if (!hasTemplate(value)) return value;
    this.#names ??= this.#namesOf();
    const rendered = this.#templates.render(value, this.#names, { mode });
    if (rendered.ok) {
      this.raw.push(...rendered.value.raw);
      return rendered.value.value;
    }
    this.failures += 1;
    for (const problem of rendered.error) this.#problems.inText(pointerOf(...path), problem);
    return value;
  }

  /** Where the keys are names that the user chooses, such as those of metrics, one can be a variable; an option cannot. */
  #key(key: string, path: Path, schema: JsonSchema): string {
    if (hasFreeNames(schema)) return this.text(key, path);
    this.#badKey(path, 'a key of an option cannot hold a template', 'Write the key itself');
    return key;
  }

  #badKey(path: Path, message: string, hint: string): void {
    this.failures += 1;
    this.#problems.add({
      code: 'AR407',
      message,
      at: { kind: 'config', pointer: pointerOf(...path), key: true },
      hint,
    });
  }
}

/** Whether a value has a template anywhere in it; if not, all tasks of a stage share it as it is. */
export function hasTemplates(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).some((key) => hasTemplate(key) || hasTemplates((value as Record<string, unknown>)[key]));
}
