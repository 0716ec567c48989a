import type { Json, JsonObject } from '../../model/json.js';
import type { Reading } from '../../model/stage.js';
import { type Expressions, loadExpressions } from '../../source/expression/expression.js';
import { readJson } from '../../source/json.js';
import { readYaml } from '../../source/yaml.js';

/** Data and expressions for behaviours, by the same strict readers that configs go through. */
export async function parseData(text: string, form: 'json' | 'yaml'): Promise<Reading<Json>> {
  const read = await (form === 'yaml' ? readYaml : readJson)('', text);
  if (read.ok) return { ok: true, value: read.value.value as Json };
  return { ok: false, why: read.error.map(({ message }) => message).join('; ') };
}

let expressions: Promise<Expressions> | undefined;

export async function evaluate(expression: string, names: JsonObject): Promise<Reading<boolean>> {
  expressions ??= loadExpressions();
  // What another context made is no plain data to the library.
  const answer = (await expressions).evaluate(expression, structuredClone(names));
  if (answer.ok) return answer;
  return { ok: false, why: answer.error.map(({ message }) => message).join('; ') };
}
