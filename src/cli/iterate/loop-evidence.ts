import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { digestFile } from '../../adapters/disk/file-digest.js';
import { commitOf, isAncestor, openRepository, type Repository } from '../../adapters/git/git-repository.js';
import type { Git } from '../../adapters/git/git-run.js';
import { type IterationReading, readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { endNoteIn, endNoteOutside, readEndNote } from '../../adapters/journal/end-notes.js';
import { lostEnd } from '../../journal/noted-end.js';
import { seriesIn } from '../../journal/series-in.js';
import type { IterationChanges } from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import { shownNumber } from '../../model/shown-number.js';
import type { IterationRow, SeriesState } from '../../model/state/iteration-state.js';
import { endedWords, seriesOutcome } from '../../report/iterations/loop-outcome.js';
import type { LoopEvidence } from '../../verify/evidence.js';
import { endsPlace } from '../run/vault-place.js';
import type { LoopPlace } from './loop-place.js';
import { runsNow } from './loop-run-evidence.js';
import { toldNow } from './loop-told.js';

export const loopNotes = ({ root, dir, context }: LoopPlace, first: string): readonly string[] => [
  endNoteIn(join(dir, 'iterations')),
  endNoteOutside(endsPlace(root, context), first),
];

/** Why the record of a loop cannot be the one that was noted; undefined when it can. */
export function lostRecord(place: LoopPlace, { entries }: IterationReading): string | undefined {
  const first = entries[0]?.hash;
  for (const file of first === undefined ? [] : loopNotes(place, first)) {
    const note = readEndNote(file);
    if (typeof note === 'string') continue;
    if (note.broken !== undefined) return note.broken;
    const lost = lostEnd(note, 'iterations', entries);
    if (lost?.kind === 'cut') return `it ended at line ${note.seq + 1}, and has only ${lost.line}`;
    if (lost) return `line ${lost.line} is not the one that was noted`;
    // A runner that was killed may have written more than it noted, and says so; one that ended has not.
    if (!note.open && entries.length > note.seq + 1)
      return `it ended at line ${note.seq + 1}, and has ${entries.length}: somebody else has written behind it`;
  }
  return undefined;
}

/** What a loop left behind. Reads, and changes nothing. */
export async function loopEvidence(place: LoopPlace, run: string): Promise<LoopEvidence | undefined> {
  let reading: IterationReading | undefined;
  try {
    reading = readIterations(recordFile(place.dir));
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') throw error;
    return problemOf(`line ${error.failure.line}: ${error.failure.detail}`);
  }
  if (!reading?.state) return problemOf('the run belongs to a loop, and its record (iterations.jsonl) is gone');
  if (reading.torn) return problemOf(`something follows the last of its ${reading.entries.length} whole lines`);
  const lost = lostRecord(place, reading);
  if (lost !== undefined) return problemOf(lost);
  const rows = reading.state.rows.filter(hasChanges);
  const told = toldNow(reading.entries, place);
  const goal = goalOf(reading, run);
  const seen = {
    lines: reading.entries.length,
    runs: runsNow(reading.entries, place),
    ...(told ? { told } : {}),
    ...(goal ? { goal } : {}),
  };
  if (rows.length === 0) return { ...seen, changes: [] };
  const repo = await openRepository(realpathSync(place.root), { env: place.context.env });
  const git = await repo.look();
  const changes = await Promise.all(rows.map((row) => changesNow(row, place, git)));
  const kept = await keptNow(reading.state, { git, repo });
  return { ...seen, changes, ...(kept ? { kept } : {}) };
}

/** Of the run that a loop ended with: what the loop came to. */
function goalOf({ entries }: IterationReading, run: string): LoopEvidence['goal'] {
  const state = seriesIn(entries).find(({ state: { rows } }) => rows.at(-1)?.run === run)?.state;
  const outcome = state && seriesOutcome(state);
  if (!state?.finished || outcome === undefined) return undefined;
  const { best } = state;
  const where = best?.number === 0 ? 'the baseline' : `iteration ${best?.number}`;
  const found = best ? `; the best is ${shownNumber(best.value)}, ${where}` : '';
  return { isReached: outcome === 'passed', words: `the loop ${endedWords(state.finished)}${found}` };
}

const problemOf = (problem: string): LoopEvidence => ({ lines: 0, changes: [], problem });

type Changed = IterationRow & { readonly changes: IterationChanges };
const hasChanges = (row: IterationRow): row is Changed => row.changes !== undefined;

async function changesNow(
  { number, changes }: Changed,
  { dir }: LoopPlace,
  git: Git,
): Promise<LoopEvidence['changes'][number]> {
  const { patch, patchDigest, commit } = changes;
  try {
    if (digestFile(join(dir, patch)) !== patchDigest) return { number, problem: `${patch} is not what was kept` };
  } catch {
    return { number, problem: `${patch} is gone` };
  }
  return (await commitOf(git, commit)) === undefined
    ? { number, problem: `commit ${commit.slice(0, 12)} is gone` }
    : { number };
}

/** The best is in the branch, and the files that it changed are as it left them, unless an iteration is under way. */
async function keptNow(
  { rows, open }: SeriesState,
  { git, repo }: { readonly git: Git; readonly repo: Repository },
): Promise<LoopEvidence['kept']> {
  const last = rows.findLast(({ verdict, number, changes }) => verdict === 'kept' && number > 0 && changes);
  if (!last?.changes) return undefined;
  const { commit, files } = last.changes;
  const name = `iteration ${last.number} (${commit.slice(0, 12)})`;
  if (!(await isAncestor(git, commit, 'HEAD')))
    return { words: '', problems: [`${name} was kept, and is not in your branch`] };
  const differing = open ? [] : await unlike(git, repo, { commit, files });
  return {
    words: `${name} is in your branch, and its files are as it left them`,
    problems: differing.map((file) => `${file} is not as ${name} left it`),
  };
}

async function unlike(
  git: Git,
  { top }: Repository,
  { commit, files }: Pick<IterationChanges, 'commit' | 'files'>,
): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) {
    const then = await blobDigest(git, commit, file);
    let now: string | undefined;
    try {
      now = digestFile(join(top, file));
    } catch {
      now = undefined;
    }
    if (then !== now) found.push(file);
  }
  return found;
}

/** sha256 of what a checkout of a commit has there; undefined when it has nothing. Of a submodule there is none: it is like no file. */
export async function blobDigest(git: Git, commit: string, file: string): Promise<string | undefined> {
  const answer = await git.run(['cat-file', '--filters', `${commit}:${file}`], { accept: [0, 128, 255] });
  if (answer.code === 0) return hash('sha256', answer.stdout);
  return answer.code === 128 ? undefined : '';
}
