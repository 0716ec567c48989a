import { isJsonObject, type JsonObject } from '../../../model/json.js';

/** What was said, in neither of the two forms in which it can be sent. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly call: string; readonly tool: string; readonly text: string };

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** `native`: the tool calls of the protocol. `text`: JSON in the text, for models that have none. */
export type Form = 'native' | 'text';

/** The messages to send. */
export function toMessages(history: readonly Entry[], form: Form, system: string): JsonObject[] {
  return [{ role: 'system', content: system }, ...history.map((entry) => messageOf(entry, form))];
}

/** Keeps a conversation from growing for ever: old results go first, then what was written by old calls. */
export function bounded(history: readonly Entry[], most: number = mostCharacters): Entry[] {
  const kept = [...history];
  let size = sizeOf(kept);
  if (size <= most) return kept;
  // To well below the limit, so that not every step sends a conversation that its server has never seen.
  const goal = most * 0.6;
  for (const shorten of [withoutResult, withoutArguments]) {
    for (let index = 0; index < kept.length - newest && size > goal; index += 1) {
      const entry = kept[index]!;
      const shorter = shorten(entry);
      size -= sizeOf([entry]) - sizeOf([shorter]);
      kept[index] = shorter;
    }
  }
  return kept;
}

export const sizeOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);

/** Whether plain data, such as a file that anybody may have changed, is a conversation. */
export const isHistory = (value: unknown): value is Entry[] => Array.isArray(value) && value.every(isEntry);

const mostCharacters = 400_000;
/** The last entries stay whole: they are what the model is at. */
const newest = 4;
const cut = '[cut]';

function messageOf(entry: Entry, form: Form): JsonObject {
  if (entry.kind === 'user') return { role: 'user', content: entry.text };
  if (entry.kind === 'result')
    return form === 'native'
      ? { role: 'tool', tool_call_id: entry.call, content: entry.text }
      : { role: 'user', content: `Result of ${entry.tool}:\n${entry.text}` };
  const { text, calls } = entry;
  if (form === 'text') {
    const written = calls.map(({ tool, args }) => JSON.stringify({ tool, args }));
    return { role: 'assistant', content: [text, ...written].filter((part) => part !== '').join('\n') };
  }
  if (calls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.map(({ id, tool, args }) => ({
      id,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(args) },
    })),
  };
}

const withoutResult = (entry: Entry): Entry =>
  entry.kind === 'result' && entry.text.length > cut.length ? { ...entry, text: cut } : entry;

function withoutArguments(entry: Entry): Entry {
  if (entry.kind !== 'assistant') return entry;
  const calls = entry.calls.map((call) => ({
    ...call,
    args: Object.fromEntries(
      Object.entries(call.args).map(([name, value]) => [name, JSON.stringify(value).length > 500 ? cut : value]),
    ),
  }));
  return { ...entry, calls };
}

function isEntry(value: unknown): value is Entry {
  if (!isJsonObject(value) || typeof value.text !== 'string') return false;
  if (value.kind === 'user') return true;
  if (value.kind === 'result') return typeof value.call === 'string' && typeof value.tool === 'string';
  return value.kind === 'assistant' && Array.isArray(value.calls) && value.calls.every(isCall);
}

const isCall = (value: unknown): boolean =>
  isJsonObject(value) && typeof value.id === 'string' && typeof value.tool === 'string' && isJsonObject(value.args);
