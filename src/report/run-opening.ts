import type { RunStarted } from '../model/event.js';
import type { RunInfo } from '../model/ports.js';
import type { Paint } from './paint.js';
import { plural } from './phrase.js';
import type { RunView } from './run-view.js';

/** The first lines of a run: which it is, whether it goes on, and what is different from when it stopped. */
export function openingLines(
  started: RunStarted,
  { view, info, p }: { view: RunView; info: RunInfo; p: Paint },
): string[] {
  const { run, name, resumed } = started;
  if (!resumed) return [`${p.bold(name)}: run ${run}, ${plural(view.total, 'task')}, at most ${info.jobs} at once`];
  const changes = resumed.changes.slice(0, mostChanges).map((change) => `  changed: ${change}`);
  const more = resumed.changes.length - mostChanges;
  return [
    `${p.bold(name)}: going on with run ${run}; ${view.done} of ${plural(view.total, 'task')} done (autoresearch exec --new starts afresh)`,
    ...changes,
    ...(more > 0 ? [`  and ${plural(more, 'more change')}`] : []),
  ];
}

const mostChanges = 10;
