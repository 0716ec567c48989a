import { isJsonObject, type JsonObject } from '../../../model/json.js';

/**
 * The last JSON object in what an agent printed; undefined when there is none. It has to end its line: braces in the
 * middle of a sentence are not a reply. Whatever stands before it does not matter, except another verdict: who says two
 * things has not decided, and the reply then holds both, which fits no form.
 */
export function lastJsonObject(text: string): JsonObject | undefined {
  const end = text.lastIndexOf('}');
  if (end < 0 || /^[^\n]*\S/.test(text.slice(end + 1))) return undefined;
  let found: JsonObject | undefined;
  let start = text.lastIndexOf('{', end);
  // From the nearest brace outwards: the longest text that parses is the whole object.
  for (let tries = 0; start >= 0 && tries < mostBraces; tries += 1) {
    const value = parsed(text.slice(start, end + 1));
    if (isJsonObject(value)) found = value;
    // One that begins its line is not part of a larger one.
    if (start === 0 || (found && text[start - 1] === '\n')) break;
    start = text.lastIndexOf('{', start - 1);
  }
  return found && 'verdict' in found ? withAllVerdicts(found, text) : found;
}

/** Also where one object says it twice, of which a parser would keep the last. */
function withAllVerdicts(reply: JsonObject, text: string): JsonObject {
  const said = new Set([...text.matchAll(/"verdict"\s*:\s*"([^"\\]*)"/g)].map(([, verdict]) => verdict!));
  return said.size > 1 ? { ...reply, verdict: [...said] } : reply;
}

const mostBraces = 1000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
