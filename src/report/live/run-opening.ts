import type { RunStarted } from '../../model/events/event.js';
import type { RunInfo } from '../../model/ports.js';
import { iterationWords } from '../iterations/iteration-words.js';
import type { Paint } from '../words/paint.js';
import { listed, plural } from '../words/phrase.js';
import { setOptions } from '../words/set-options.js';
import type { RunView } from './run-view.js';

/** The first lines of a run: which it is, whether it goes on, and what is different from when it stopped. */
export function openingLines(
  started: RunStarted,
  { view, info, p }: { view: RunView; info: RunInfo; p: Paint },
): string[] {
  const { run, name, resumed } = started;
  const which = started.iteration ? `${iterationWords(started.iteration)}, ` : '';
  if (!resumed)
    return [`${p.bold(name)}: ${which}run ${run}, ${plural(view.total, 'task')}, at most ${info.jobs} at once`];
  const changes = resumed.changes.slice(0, mostChanges).map((change) => `  changed: ${change}`);
  const more = resumed.changes.length - mostChanges;
  return [
    `${p.bold(name)}: going on with ${which}run ${run}; ${view.done} of ${plural(view.total, 'task')} done (autoresearch exec --new starts afresh)`,
    ...setLines(started.set ?? [], resumed.set ?? []),
    ...changes,
    ...(more > 0 ? [`  and ${plural(more, 'more change')}`] : []),
    ...(resumed.stale ? [`  stale: ${listed(resumed.stale, mostStale)}`] : []),
  ];
}

/** Values that were typed for the run and are not typed now: what follows from that looks like an edited config. */
function setLines(now: readonly string[], then: readonly string[]): string[] {
  if (now.length === then.length && now.every((value, index) => value === then[index])) return [];
  const [before, typed] = [setOptions(then), setOptions(now)];
  if (then.length === 0) return [`  set: the run was started without${typed}; this call goes on with it`];
  const instead = now.length === 0 ? 'without it' : `with${typed} instead`;
  return [
    `  set: the run was started with${before}; this call goes on ${instead} (autoresearch exec${before} goes on as it was)`,
  ];
}

const mostChanges = 10;
const mostStale = 6;
