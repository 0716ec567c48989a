import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../../model/json.js';

/** What a line of `codex exec --json` tells, as far as it matters here. */
export type CodexEvent =
  | { readonly kind: 'thread'; readonly id: string }
  | { readonly kind: 'item'; readonly stage: ItemStage; readonly item: JsonObject }
  | { readonly kind: 'completed'; readonly usage: Json | undefined }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'notice'; readonly message: string };

export type ItemStage = 'started' | 'updated' | 'completed';

/** Undefined for lines that are no event, and for events that say nothing to us. */
export function codexEvent(line: string): CodexEvent | undefined {
  const event = jsonObjectIn(line);
  switch (event?.type) {
    case 'thread.started':
      return typeof event.thread_id === 'string' ? { kind: 'thread', id: event.thread_id } : undefined;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      if (!isJsonObject(event.item)) return undefined;
      return { kind: 'item', stage: event.type.slice('item.'.length) as ItemStage, item: event.item };
    case 'turn.completed':
      return { kind: 'completed', usage: event.usage };
    case 'turn.failed': {
      const message = isJsonObject(event.error) ? event.error.message : undefined;
      return { kind: 'failed', message: typeof message === 'string' ? message : 'codex does not say why it failed' };
    }
    case 'error':
      return typeof event.message === 'string' ? { kind: 'notice', message: event.message } : undefined;
    default:
      return undefined;
  }
}
