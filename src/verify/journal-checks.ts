import { lostEnd } from '../journal/noted-end.js';
import type { Outcome } from '../model/events/event.js';
import type { EndNoteReading } from '../model/files/end-note.js';
import type { Check } from '../model/gates/check.js';
import { failed, passed, tampered } from './check.js';
import type { RunEvidence } from './evidence.js';

/** The chain was followed when the journal was read: whoever gets here has one that holds together. */
export function journalChecks({ entries, isTorn }: RunEvidence): readonly Check[] {
  if (isTorn) return [tampered('journal', '', `something follows the last of its ${entries.length} whole lines`)];
  return [passed('journal', '', `${entries.length} lines, each bears the hash of the one before`)];
}

/** Whether the run has ended, and this is the journal that it ended with. */
export function endChecks(evidence: RunEvidence): readonly Check[] {
  const { endNotes } = evidence;
  return [
    outcomeCheck(evidence),
    noteCheck(evidence, { name: 'note', note: endNotes.inside, place: 'end.json beside the journal', isDue: true }),
    noteCheck(evidence, {
      name: 'note outside',
      note: endNotes.outside,
      place: endNotes.place,
      isDue: endNotes.isHere,
    }),
  ];
}

function outcomeCheck({ state, entries, isLive }: RunEvidence): Check {
  const { outcome } = state;
  if (outcome === 'running' && isLive)
    return failed('end', '', 'the run is still going on; it can be verified when it has ended');
  if (outcome === 'running')
    return failed('end', '', 'the journal stops in mid-run: it was killed, or its last lines were taken away');
  if (!isEnd(entries)) return tampered('end', '', 'the journal goes on after the end of the run');
  if (outcome === 'passed') return passed('end', '', 'the run passed');
  return outcome === 'violated' ? tampered('end', '', ends.violated) : failed('end', '', ends[outcome]);
}

/** After the end of a run a person may still answer its gates, and nothing else may happen to it. */
function isEnd(entries: RunEvidence['entries']): boolean {
  const last = entries.findLast(({ type }) => type !== 'gate-decided');
  const answers = entries.slice(last === undefined ? 0 : last.seq + 1);
  return (
    last?.type === 'run-finished' &&
    answers.every((entry) => entry.type === 'gate-decided' && entry.by.kind === 'person')
  );
}

const ends: Record<Exclude<Outcome, 'running' | 'passed'>, string> = {
  failed: 'the run failed',
  waiting: 'the run waits for a person',
  cancelled: 'the run was stopped',
  'over-budget': 'the run spent its budget',
  violated: 'the run found that protected files, or files out of scope, were changed',
};

interface Noted {
  readonly name: string;
  readonly note: EndNoteReading;
  readonly place: string;
  /** That there is none is a finding. */
  readonly isDue: boolean;
}

function noteCheck({ run, entries, state }: RunEvidence, { name, note, place, isDue }: Noted): Check {
  if (note === 'absent' && !isDue)
    return passed('end', name, 'not to be expected: the run was made on another machine, which keeps it');
  if (note === 'absent')
    return failed(
      'end',
      name,
      `nobody noted the end of the run (${place}), so it cannot be told whether lines are missing`,
    );
  if (note === 'unreadable') return tampered('end', name, `${place} is not what the runner wrote`);
  const last = entries.at(-1)!;
  const lost = lostEnd(note, run, entries);
  if (lost?.kind === 'other')
    return tampered('end', name, `${place} belongs to another journal: one of them was put in the other's place`);
  if (lost?.kind === 'cut')
    return tampered('end', name, `the run ended at line ${note.seq + 1}, and the journal has only ${lost.line}`);
  if (lost) return tampered('end', name, `line ${lost.line} of the journal is not the one that the run ended with`);
  if (note.seq === last.seq) return passed('end', name, `line ${note.seq + 1} is the one that the run ended with`);
  const added = last.seq - note.seq;
  const more = `${added === 1 ? '1 line follows' : `${added} lines follow`} the end that was noted`;
  // Somebody went on with the run, and was killed before its next end was noted.
  return note.open || state.outcome === 'running' ? failed('end', name, more) : tampered('end', name, more);
}
