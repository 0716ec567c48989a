import { isJsonObject, type Json, type JsonObject } from '../model/json.js';
import type { JsonSchema } from '../model/json-schema.js';
import { pointerOf } from '../model/pointer.js';
import type { Templates } from '../source/template.js';
import { hasTemplate } from '../source/template-node.js';
import { kindOf } from '../source/template-render.js';
import { isShell, isTextOnly, itemSchema, propertySchema } from './option-schema.js';
import type { Problems } from './problems.js';

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
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (hasTemplate(key)) this.#templateInKey([...path, key]);
        return [key, this.data(item, [...path, key], propertySchema(schema, key))];
      }),
    );
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

  /** It would stay as it is and be handed on as a name. */
  #templateInKey(path: Path): void {
    this.failures += 1;
    const at = { kind: 'config', pointer: pointerOf(...path), key: true } as const;
    this.#problems.add({
      code: 'AR407',
      message: 'a key of an option cannot hold a template',
      at,
      hint: 'Write the key itself',
    });
  }
}

/** Whether a value has a template anywhere in it; if not, all tasks of a stage share it as it is. */
export function hasTemplates(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => hasTemplate(key) || hasTemplates(item));
}
