import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';

/** A line of `--output-format stream-json`, as far as it matters here. */
export type ClaudeLine =
  | { readonly kind: 'init'; readonly session?: string; readonly model?: string }
  | { readonly kind: 'retry'; readonly status?: number; readonly delayMs: number }
  | { readonly kind: 'limit'; readonly resetAt?: number }
  /** Words in its own name when the API failed; a model's text never looks like this. */
  | { readonly kind: 'api-error'; readonly error: string; readonly status?: number }
  | {
      readonly kind: 'message';
      readonly model?: string;
      readonly blocks: readonly JsonObject[];
      /** Of a helper, not of the agent itself. */
      readonly byHelper: boolean;
    }
  | { readonly kind: 'result'; readonly result: JsonObject };

/** Undefined for what is not JSON and for lines that say nothing of interest. */
export function claudeLine(text: string): ClaudeLine | undefined {
  const line = parsed(text);
  if (!isJsonObject(line)) return undefined;
  switch (line.type) {
    case 'system':
      return systemLine(line);
    case 'rate_limit_event':
      return limitLine(line.rate_limit_info);
    case 'assistant':
      return assistantLine(line);
    case 'result':
      return { kind: 'result', result: line };
    default:
      return undefined;
  }
}

function systemLine(line: JsonObject): ClaudeLine | undefined {
  if (line.subtype === 'init')
    return { kind: 'init', ...textAs('session', line.session_id), ...textAs('model', line.model) };
  if (line.subtype !== 'api_retry') return undefined;
  const delayMs = typeof line.retry_delay_ms === 'number' ? line.retry_delay_ms : 0;
  return { kind: 'retry', delayMs, ...statusIn(line.error_status) };
}

/** It tells of every limit it hears of; only one that is reached says when there will be more. Seconds since 1970. */
function limitLine(info: Json | undefined): ClaudeLine | undefined {
  if (!isJsonObject(info) || info.status !== 'rejected') return undefined;
  const { resetsAt } = info;
  const known = typeof resetsAt === 'number' && Number.isFinite(resetsAt) && resetsAt > 0;
  return { kind: 'limit', ...(known ? { resetAt: resetsAt * 1000 } : {}) };
}

function assistantLine(line: JsonObject): ClaudeLine | undefined {
  const { message } = line;
  if (!isJsonObject(message)) return undefined;
  const byHelper = typeof line.parent_tool_use_id === 'string';
  if (message.model === '<synthetic>') {
    if (byHelper || typeof line.error !== 'string') return undefined;
    return { kind: 'api-error', error: line.error, ...statusIn(line.api_error_status) };
  }
  const blocks = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
  return { kind: 'message', blocks, byHelper, ...textAs('model', message.model) };
}

export const statusIn = (status: Json | undefined): { readonly status?: number } =>
  typeof status === 'number' ? { status } : {};

const textAs = <Key extends string>(key: Key, value: Json | undefined): { readonly [K in Key]?: string } =>
  (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { readonly [K in Key]?: string };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
