import schema from '../../../schemas/checklist-reply.schema.json' with { type: 'json' };
import type { CheckedStatement, ChecklistReply } from '../../model/agents/reply.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';

/** The results, or the words for what is wrong with them. Whether all statements are there is for who asked to say. */
export function checklistReply(reply: JsonObject | undefined): ChecklistReply | string {
  if (reply === undefined) return 'there was no JSON object in the answer';
  const unknown = Object.keys(reply).filter((key) => !known.has(key));
  if (unknown.length > 0) return `it has the unknown key "${unknown[0]}"`;
  if (!Array.isArray(reply.results) || reply.results.length === 0) return '"results" must be a list, not empty';
  const results: CheckedStatement[] = [];
  for (const result of reply.results) {
    const wrong = problemOf(result);
    if (wrong !== undefined) return `${wrong}, not ${JSON.stringify(result)}`;
    results.push(result as unknown as CheckedStatement);
  }
  const twice = results.find(({ number }, index) => results.findIndex((other) => other.number === number) !== index);
  return twice ? `"results" holds number ${twice.number} twice` : { results };
}

function problemOf(result: Json): string | undefined {
  if (!isJsonObject(result) || Object.keys(result).some((key) => !resultKeys.has(key)))
    return 'a result must have "number", "holds", "reason" and "files" and nothing else';
  const { number, holds, reason, files } = result;
  if (!Number.isSafeInteger(number) || (number as number) < 1) return '"number" must be that of a statement';
  if (typeof holds !== 'boolean') return '"holds" must be true or false';
  if (typeof reason !== 'string' || reason.trim() === '') return '"reason" must be a text';
  if (!Array.isArray(files) || !files.every((file) => typeof file === 'string' && file !== ''))
    return '"files" must be a list of paths';
  return undefined;
}

const known = new Set(Object.keys(schema.properties));
const resultKeys = new Set(Object.keys(schema.properties.results.items.properties));

export const checklistReplySchema = schema as unknown as JsonObject;

export const checklistProtocol = `Change no file. Answer with one JSON object as the last thing you print, and nothing after it, with a result for each statement:
{"results": [{"number": 1, "holds": true | false, "reason": "what you saw", "files": ["where it can be seen"]}], "usd"?: 0.1, "tokens"?: {"input": 900, "output": 300}}`;
