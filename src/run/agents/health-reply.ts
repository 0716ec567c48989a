import schema from '../../../schemas/health-reply.schema.json' with { type: 'json' };
import type { HealthReply } from '../../model/agents/reply.js';
import type { Json, JsonObject } from '../../model/json.js';

/** The verdict, or the words for what is wrong with it. What does not fit is never taken for "HEALTHY". */
export function healthReply(reply: JsonObject | undefined): HealthReply | string {
  if (reply === undefined) return 'there was no JSON object in the answer';
  const unknown = Object.keys(reply).filter((key) => !known.has(key));
  if (unknown.length > 0) return `it has the unknown key "${unknown[0]}"`;
  const { verdict, fidelity, issues, risks, confidence } = reply;
  if (verdict !== 'HEALTHY' && verdict !== 'WARNING' && verdict !== 'CRITICAL')
    return `"verdict" must be "HEALTHY", "WARNING" or "CRITICAL", not ${JSON.stringify(verdict) ?? 'missing'}`;
  if (fidelity !== 'FULL' && fidelity !== 'PARTIAL')
    return `"fidelity" must be "FULL" or "PARTIAL", not ${JSON.stringify(fidelity) ?? 'missing'}`;
  if (!isTexts(issues)) return '"issues" must be a list of texts';
  if (!isTexts(risks)) return '"risks" must be a list of texts';
  if (!(typeof confidence === 'number' && confidence >= 0 && confidence <= 1))
    return `"confidence" must be a number from 0 to 1, not ${JSON.stringify(confidence) ?? 'missing'}`;
  if (verdict === 'HEALTHY' && issues.length > 0) return '"verdict" is "HEALTHY", but "issues" are listed';
  if (verdict !== 'HEALTHY' && issues.length === 0) return `"verdict" is "${verdict}", but no "issues" are listed`;
  return { verdict, fidelity, issues, risks, confidence };
}

const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== '');

const known = new Set(Object.keys(schema.properties));

export const healthReplySchema = schema as unknown as JsonObject;

export const healthProtocol = `Change no file. Answer with one JSON object as the last thing you print, and nothing after it:
{"verdict": "HEALTHY" | "WARNING" | "CRITICAL", "fidelity": "FULL" | "PARTIAL", "issues": ["what is wrong, each with file and line"], "risks": ["what may go wrong yet"], "confidence": 0.0 to 1.0, "usd"?: 0.1, "tokens"?: {"input": 900, "output": 300}}
"issues" is empty if and only if the verdict is "HEALTHY".`;
