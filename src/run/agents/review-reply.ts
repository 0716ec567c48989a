import schema from '../../../schemas/review-reply.schema.json' with { type: 'json' };
import type { ReviewReply } from '../../model/agents/reply.js';
import type { JsonObject } from '../../model/json.js';

/** The verdict, or the words for what is wrong with it. What does not fit is never taken for "pass". */
export function reviewReply(reply: JsonObject | undefined): ReviewReply | string {
  if (reply === undefined) return 'there was no JSON object in the answer';
  const unknown = Object.keys(reply).filter((key) => !known.has(key));
  if (unknown.length > 0) return `it has the unknown key "${unknown[0]}"`;
  const { verdict, score, reasons } = reply;
  if (verdict !== 'pass' && verdict !== 'revise' && verdict !== 'reject')
    return `"verdict" must be "pass", "revise" or "reject", not ${JSON.stringify(verdict) ?? 'missing'}`;
  if (score !== undefined && !(typeof score === 'number' && score >= 0 && score <= 1))
    return `"score" must be a number from 0 to 1, not ${JSON.stringify(score)}`;
  if (!Array.isArray(reasons) || reasons.length === 0 || !reasons.every(isReason))
    return '"reasons" must be a list of texts, at least one';
  return { verdict, reasons, ...(score === undefined ? {} : { score }) };
}

const isReason = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const known = new Set(Object.keys(schema.properties));

export const reviewReplySchema = schema as unknown as JsonObject;

export const reviewProtocol = `Change no file. Answer with one JSON object as the last thing you print, and nothing after it:
{"verdict": "pass" | "revise" | "reject", "score"?: 0.0 to 1.0, "reasons": ["what you found, each with file and line"], "usd"?: 0.1, "tokens"?: {"input": 900, "output": 300}}`;
