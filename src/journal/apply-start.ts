import type { JournalEntry } from '../model/events/event.js';
import { noSpend } from '../model/money/spend.js';
import type { RunState } from '../model/state/run-state.js';
import { beginAnew } from './apply-tree.js';
import type { OpenState } from './open-state.js';
import { givesNewTries, isAsked, takeUp, tryAnew, withNewTries, withoutWords } from './tries.js';

export function started(state: RunState | undefined, entry: JournalEntry & { type: 'run-started' }): RunState {
  if (!state) {
    return {
      run: entry.run,
      name: entry.name,
      planDigest: entry.planDigest,
      outcome: 'running',
      startedAt: Date.parse(entry.at),
      ...(entry.diskNs === undefined ? {} : { beganNs: entry.diskNs }),
      latestAt: Date.parse(entry.at),
      tasks: new Map(),
      jobs: new Map(),
      parameters: new Map(),
      forced: new Set(entry.forced),
      runners: entry.runner === undefined ? [] : [entry.runner],
      workedMs: 0,
      lastMs: Date.parse(entry.at),
      spend: { ...noSpend, unpricedCalls: 0 },
      spentOn: new Map(),
      sessions: new Map(),
      sentBack: new Map(),
      calibrated: new Map(),
      ...(entry.source ? { source: entry.source } : {}),
      ...(entry.set ? { set: entry.set } : {}),
      ...(entry.iteration ? { iteration: entry.iteration } : {}),
      settings: entry.settings ?? {},
    } as OpenState;
  }
  const open = state as OpenState;
  // Who was killed had worked for some time since the last record; nobody knows how long, so all of it counts.
  if (open.outcome === 'running') open.workedMs += open.everyMs ?? 0;
  if (givesNewTries.has(open.outcome)) tryAnew(open);
  open.outcome = 'running';
  open.planDigest = entry.planDigest;
  if (entry.diskNs !== undefined) open.replannedNs = entry.diskNs;
  open.lastMs = Date.parse(entry.at);
  open.latestAt = Math.max(open.latestAt, open.lastMs);
  delete open.everyMs;
  for (const task of entry.forced ?? []) open.forced.add(task);
  // Whoever forces a task does not wait for words about it.
  for (const id of entry.forced ?? [])
    if (isAsked(open.tasks.get(id))) open.tasks.set(id, withNewTries(withoutWords(open.tasks.get(id)!)));
  beginAnew(open.tasks, entry.anew ?? []);
  takeUp(open.tasks, entry.resumed?.stale ?? []);
  if (entry.runner !== undefined) open.runners = [...open.runners, entry.runner];
  delete open.finishedAt;
  delete open.source;
  delete open.set;
  open.settings = entry.settings ?? {};
  if (entry.source) open.source = entry.source;
  if (entry.set) open.set = entry.set;
  delete open.signal;
  delete open.budgetSpent;
  delete open.found;
  return open;
}
