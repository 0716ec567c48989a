import schema from '../../../schemas/work-reply.schema.json' with { type: 'json' };
import type { ClaimedChange, WorkReply } from '../../model/agents/reply.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';

/** The reply, or the words for what is wrong with it. A reply that does not fit is never taken for "done". */
export function workReply(reply: JsonObject | undefined): WorkReply | string {
  if (reply === undefined) return 'there was no JSON object in the answer';
  const unknown = Object.keys(reply).filter((key) => !known.has(key));
  if (unknown.length > 0) return `it has the unknown key "${unknown[0]}"`;
  const { outcome, reason, summary, notes } = reply;
  if (outcome !== 'done' && outcome !== 'failed' && outcome !== 'escalate')
    return `"outcome" must be "done", "failed" or "escalate", not ${JSON.stringify(outcome) ?? 'missing'}`;
  if (typeof summary !== 'string' || summary.trim() === '') return '"summary" must be a text that says what was done';
  if (reason !== undefined && reason !== 'design' && reason !== 'scope' && reason !== 'environment')
    return `"reason" must be "design", "scope" or "environment", not ${JSON.stringify(reason)}`;
  if (notes !== undefined && typeof notes !== 'string') return '"notes" must be a text';
  const files = claimedChanges(reply.files);
  if (typeof files === 'string') return files;
  return { outcome, summary, files, ...(reason === undefined ? {} : { reason }), ...(notes ? { notes } : {}) };
}

const known = new Set(Object.keys(schema.properties));

function claimedChanges(files: Json | undefined): readonly ClaimedChange[] | string {
  if (files === undefined) return [];
  if (!Array.isArray(files)) return '"files" must be a list';
  const changes: ClaimedChange[] = [];
  for (const file of files) {
    const change = typeof file === 'string' ? { path: file } : file;
    if (!isClaim(change))
      return `"files" must hold paths, or objects with "path" and, if known, "lines" ("10-42") and "change", not ${JSON.stringify(file)}`;
    const backwards = backwardsRange(change.lines);
    if (backwards !== undefined)
      return `"lines" of ${change.path} must go from the first to the last, not ${backwards}`;
    changes.push(change);
  }
  return changes;
}

/** What no schema can say. */
const backwardsRange = (lines = ''): string | undefined =>
  lines.split(',').find((range) => {
    const [first, last] = range.split('-').map(Number);
    return last !== undefined && last < first!;
  });

const claimKeys = new Set(['path', 'lines', 'change']);
const lineRanges = new RegExp(schema.properties.files.items.anyOf[1]!.properties!.lines.pattern);

const isClaim = (value: unknown): value is ClaimedChange & JsonObject =>
  isJsonObject(value) &&
  Object.keys(value).every((key) => claimKeys.has(key)) &&
  typeof value.path === 'string' &&
  value.path !== '' &&
  (value.lines === undefined || (typeof value.lines === 'string' && lineRanges.test(value.lines))) &&
  (value.change === undefined || typeof value.change === 'string');

export const workReplySchema = schema as unknown as JsonObject;

export const workProtocol = `Answer with one JSON object as the last thing you print, and nothing after it:
{"outcome": "done" | "failed" | "escalate", "reason"?: "design" | "scope" | "environment", "summary": "what you did, in a sentence", "files"?: [{"path": "…", "lines"?: "10-42", "change"?: "…"}], "notes"?: "…", "usd"?: 0.1, "tokens"?: {"input": 900, "output": 300}}`;
