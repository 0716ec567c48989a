import type { JournalEntry } from '../model/events/event.js';

/** Call → the model that its backend said has answered. */
export function reportedModels(entries: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const models = new Map<string, string>();
  for (const entry of entries)
    if ((entry.type === 'agent-completed' || entry.type === 'agent-failed') && entry.model !== undefined)
      models.set(entry.call, entry.model);
  return models;
}
