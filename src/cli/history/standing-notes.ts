import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPlain, writePlain } from '../../adapters/disk/plain-file.js';
import { isPast, openProjectFiles, stampAt } from '../../adapters/disk/project-files.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { isSameSource } from '../../model/config-source.js';
import type { ConfigSource } from '../../model/events/event.js';
import type { StandingFacts, StandingNote } from '../../model/files/standing-note.js';
import { sameStamp } from '../../model/fingerprint.js';
import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { holdsAsNoted, standingNote } from '../../run/freshness/standing-note.js';
import type { CliContext } from '../context.js';
import { standingPlace } from '../run/vault-place.js';
import type { Standing } from './standing-run.js';

interface Place {
  readonly root: string;
  readonly context: CliContext;
  readonly source: ConfigSource;
}

/** The newest run, when an earlier `exec` noted that it stands and nothing has changed since. Undefined says nothing. */
export async function asNoted(store: RunStore, place: Place): Promise<Standing | undefined> {
  try {
    return await lookAt(store, place);
  } catch {
    // Whatever cannot be read, or is not what it should be, is for the long way to tell of.
    return undefined;
  }
}

async function lookAt(store: RunStore, { root, context, source }: Place): Promise<Standing | undefined> {
  const note = readNote(standingPlace(root, context));
  if (!note || !isSameSource(note.source, source)) return undefined;
  // Somebody is at work, or died and left something to clear up.
  if (store.ids()[0] !== note.run || existsSync(join(store.dir, 'lock'))) return undefined;
  const journal = stampAt(store.journalFile(note.run));
  if (!journal || !sameStamp(journal, note.journal)) return undefined;
  const files = (await openProjectFiles(root, { globs: false })).still();
  if (!holdsAsNoted(note, files)) return undefined;
  return {
    said: note.said,
    runDir: store.runDir(note.run),
    ends() {
      const entries = store.read(note.run)?.entries ?? [];
      return [entries[0], entries.at(-1)];
    },
  };
}

interface Found extends Place {
  readonly store: RunStore;
  readonly standing: Standing;
}

/** What was found out the long way. Where it cannot be noted, the long way is gone again. */
export function writeStanding(plan: Plan, state: RunState, found: Found): void {
  const { root, context, source, store, standing } = found;
  const journal = stampAt(store.journalFile(state.run));
  // A change in the same tick of the clock would leave no trace in the stamp.
  if (!journal || !isPast(journal, Date.now())) return;
  const note = standingNote(plan, state, { source, journal, said: standing.said });
  if (!note) return;
  try {
    const file = standingPlace(root, context);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writePlain(file, `${JSON.stringify(note)}\n`);
  } catch {
    // A folder that cannot be written to costs nothing but time.
  }
}

function readNote(file: string): StandingNote | undefined {
  const note = JSON.parse(readPlain(file) ?? 'null') as StandingNote | null;
  return note?.version === 1 && Array.isArray(note.files) && isSaid(note.said) ? note : undefined;
}

const isSaid = (said: unknown): boolean => {
  const { name, run, tasks, startedAt, more, results } = (said ?? {}) as Partial<StandingFacts>;
  const areWords = [name, run, ...(Array.isArray(results) ? results : [undefined])].every(
    (word) => typeof word === 'string',
  );
  return areWords && [tasks, startedAt, more].every((number) => Number.isSafeInteger(number));
};
