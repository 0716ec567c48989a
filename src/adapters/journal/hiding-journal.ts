import type { RecordedEvent } from '../../model/events/event.js';
import type { JournalWriter } from '../../model/ports.js';
import type { Secrets } from '../../model/secrets/secrets.js';

/** Lets nothing into a journal that gives a secret away. Whoever is told of an event is told what was written. */
export const hidingJournal = (journal: JournalWriter, secrets: Secrets): JournalWriter => ({
  append: (events) => journal.append(events.map((event) => withoutSecrets(event, secrets))),
  flushed: () => journal.flushed(),
  flushNow: () => journal.flushNow(),
  onFailure: (listener) => journal.onFailure(listener),
  close: () => journal.close(),
});

/** The words of an event. What names something is left as it is: others look it up. */
function withoutSecrets(event: RecordedEvent, { names, hide, hideValues }: Secrets): RecordedEvent {
  const words = ofTheConfig.has(event.type) ? hideValues : hide;
  return mapped(event, words, names.length === 0 ? undefined : hideValues) as RecordedEvent;
}

/** These quote the config; that something in it is called a key does not make it one. */
const ofTheConfig: ReadonlySet<RecordedEvent['type']> = new Set([
  'run-started',
  'task-started',
  'task-skipped',
  'retry-scheduled',
  'spend-recorded',
  'budget-spent',
  'time-recorded',
  'run-finished',
]);

/**
 * `values` is for names: they are left as they are unless the value of a secret stands in one. A path that does is then
 * not found again, which costs a rerun, and tells nobody.
 */
function mapped(value: unknown, hide: Hide, values: Hide | undefined): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const told = value.map((item) => mapped(item, hide, values));
    return told.some((item, index) => item !== value[index]) ? told : value;
  }
  // Nearly always there is nothing to hide, and making it anew would cost more than looking.
  let made: [string, unknown][] | undefined;
  const keys = Object.keys(value);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index]!;
    const item = (value as Record<string, unknown>)[key];
    const isName = names.has(key);
    const told = isName && !values ? item : mapped(item, isName ? values! : hide, values);
    const name = values?.(key) ?? key;
    if (!made && (told !== item || name !== key))
      made = keys.slice(0, index).map((before) => [before, (value as Record<string, unknown>)[before]]);
    made?.push([name, told]);
  }
  return made ? Object.fromEntries(made) : value;
}

type Hide = (text: string) => string;

/** Ids, paths, digests, and words of which there is a list. */
const names: ReadonlySet<string> = new Set([
  ...['type', 'run', 'runner', 'task', 'stage', 'agent', 'model', 'role', 'call', 'to', 'session'],
  ...['code', 'cause', 'why', 'verdict', 'errorClass', 'signal', 'host', 'tool', 'commit', 'branch'],
  ...['fingerprint', 'product', 'planDigest', 'source', 'settings', 'forced', 'stale', 'because'],
  ...['tag', 'batch', 'id', 'cluster', 'order', 'before', 'state', 'how'],
  ...['outputs', 'output', 'inputs', 'file', 'files', 'folder', 'kept'],
]);
