import { isJsonObject, type JsonObject } from '../../../model/json.js';

export type TextCall =
  | { readonly ok: true; readonly tool: string; readonly args: JsonObject }
  | { readonly ok: false; readonly wrong: string };

/** The one call in a text, `{"tool": "…", "args": {…}}`: the last JSON object, whatever was said before it. */
export function readTextCall(content: string): TextCall {
  // What a model thinks aloud may hold drafts of calls.
  const text = content.slice(content.lastIndexOf('</think>') + 1).slice(-mostCharacters);
  const objects = topLevelObjects(text);
  const last = objects.at(-1);
  if (!last) return { ok: false, wrong: 'there was no JSON object in it' };
  if (objects.filter((one) => 'tool' in one).length > 1)
    return { ok: false, wrong: 'there were several calls in it, and only one is allowed' };
  if (!('tool' in last)) return { ok: false, wrong: 'its last JSON object had no "tool"' };
  if (typeof last.tool !== 'string') return { ok: false, wrong: '"tool" has to be a name' };
  if (!isJsonObject(last.args)) return { ok: false, wrong: '"args" has to be an object' };
  return { ok: true, tool: last.tool, args: last.args };
}

const mostCharacters = 1 << 20;
/** Letters looked at in all: text full of braces that open nothing must not take for ever. */
const mostSteps = 50 << 20;

function topLevelObjects(text: string): JsonObject[] {
  const found: JsonObject[] = [];
  let steps = 0;
  for (let at = text.indexOf('{'); at >= 0 && steps < mostSteps; ) {
    const end = closingBrace(text, at);
    const value = end === undefined ? undefined : parsed(text.slice(at, end + 1));
    if (isJsonObject(value)) found.push(value);
    steps += (end ?? text.length) - at;
    at = text.indexOf('{', value === undefined ? at + 1 : end! + 1);
  }
  return found;
}

/** Where the object that opens at `from` closes; braces in strings do not count. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === '\\') at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === '{') depth += 1;
    else if (!quoted && letter === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
