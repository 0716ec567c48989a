import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRunStore } from '../../adapters/journal/run-store.js';
import type { VaultChange } from '../../adapters/vault/vault.js';
import { inRoot } from '../../adapters/vault/vault-look.js';
import { putBack } from '../../adapters/watch/tree-watch.js';
import { type FoundNote, readNotes } from '../../adapters/watch/watch-notes.js';
import { clearCaches, isCachePath, isFolderAt } from '../../adapters/watch/written-caches.js';
import type { OwedViolation } from '../../journal/owed-violations.js';
import { type Failure, FailureError } from '../../model/failure.js';
import { failureWords } from '../../report/failures/failure-text.js';
import { violation } from '../../run/protect/violation.js';
import { type GlobMatch, loadGlobMatch } from '../../source/glob.js';
import type { CliContext } from '../context.js';
import { evidencePlace, notesPlace, vaultPlace } from '../run/vault-place.js';
import { isReal, scopeVault } from '../run/watch-ports.js';
import { endLeftBehind } from './left-behind.js';
import type { Owed } from './owed-run.js';
import { putRestBack } from './put-rest-back.js';
import { type FoundLeft, recordLeftBehind } from './record-left-behind.js';
import { workedBeside } from './worked-beside.js';

/**
 * Whoever was at work when a runner was killed was watched by nobody at the end. What it wrote outside of its scope by then is put back before
 * anything builds on it, and ends this command with exit code 4, unless `onViolation` says that such a thing is tried again. The lock has to be held.
 */
export async function undoLeftBehind({ root, context, onViolation = 'fail', owed }: UndoInput): Promise<void> {
  const notes = notesOf(root, context);
  const found: Found[] = [];
  const match = await loadGlobMatch();
  for (const run of new Set(notes.map((note) => note.run))) {
    const own = notes.filter((note) => note.run === run);
    const untilMs = await aliveUntil(run, own, { root, context });
    for (const note of own) found.push(...(await undo(note, { root, context, match, untilMs })));
  }
  for (const one of owed?.violations ?? []) await addOwed(one, { found, root, context, run: owed!.run });
  const [worst] = found.toSorted((a, b) => weight(b) - weight(a));
  // The notes stay until the journal says that the run goes on: somebody may be cut short once more.
  if (!worst) return;
  for (const run of new Set(found.map((one) => one.run)))
    await recordLeftBehind({ run, found: found.filter((one) => one.run === run), root, context });
  for (const { file } of notes) rmSync(file, { force: true });
  // What the study itself says may be the agent's words: it is read again.
  const isHarmless = found.every((one) => onViolation === 'retry' && weight(one) === 0);
  for (const { failure } of found)
    if (isHarmless || failure !== worst.failure) context.stderr.write(`${failureWords(failure).what}\n`);
  if (!isHarmless) throw new FailureError(worst.failure);
}

export interface UndoInput {
  readonly root: string;
  readonly context: CliContext;
  readonly onViolation?: 'fail' | 'retry' | undefined;
  /** What is written down of the newest run, and what it has not ended with. */
  readonly owed?: Owed | undefined;
}

interface Found extends FoundLeft {
  /** Nothing follows from it but the end of the run. */
  readonly isFinal?: boolean;
}

interface Adding {
  readonly found: Found[];
  readonly root: string;
  readonly context: CliContext;
  readonly run: string;
}

/** What its own runner had found of the same, and perhaps put back a part of, is one thing with what was found now. */
async function addOwed(owed: OwedViolation, { found, root, context, run }: Adding): Promise<void> {
  const { task, isFinal } = owed;
  const failure = await putRestBack(owed, { root, context, run });
  const same = found.findIndex((one) => one.run === run && one.task === task && one.failure.code === failure.code);
  const one = found[same];
  if (one?.failure.code === 'scope-violated' && failure.code === 'scope-violated') {
    const held = [...new Set([...(failure.held ?? []), ...(one.failure.held ?? [])])];
    const files = [...new Set([...failure.files, ...one.failure.files])];
    found[same] = { ...one, failure: { ...one.failure, files, ...(held.length === 0 ? {} : { held }) }, isFinal };
  } else found.push({ run, ...(task === undefined ? {} : { task }), failure, isTold: true, isFinal });
}

interface Undoing {
  readonly root: string;
  readonly context: CliContext;
  readonly match: GlobMatch;
  readonly untilMs: number;
}

function notesOf(root: string, context: CliContext): readonly FoundNote[] {
  const folder = notesPlace(root, context);
  try {
    return readNotes(folder);
  } catch (error) {
    throw unknown(folder, (error as Error).message);
  }
}

/** Who was still there a moment ago may have written until now. Otherwise it ended with its runner, or very soon after. */
async function aliveUntil(
  run: string,
  notes: readonly FoundNote[],
  { root, context }: { readonly root: string; readonly context: CliContext },
): Promise<number> {
  const store = openRunStore(root, context.agentId);
  const state = store.ids().includes(run) ? store.read(run)?.state : undefined;
  if (state && (await endLeftBehind(store.runDir(run), state)) > 0) return Number.POSITIVE_INFINITY;
  return Math.max(...notes.map(({ aliveMs }) => aliveMs)) + graceMs;
}

/** Longer than anybody takes to end after the runner; people who change files themselves take longer. */
const graceMs = 30_000;

async function undo(note: FoundNote, undoing: Undoing): Promise<readonly Found[]> {
  const { root, context, untilMs } = undoing;
  const evidence = evidencePlace(root, context, note.run);
  if (note.git) {
    const { gitBreachOf } = await import('../../adapters/git/git-watch.js');
    const dir = vaultPlace(root, context, { what: 'scope' });
    const breach = await gitBreachOf(note.git, { root, dir, evidence, untilMs });
    const { run, task, agent } = note;
    return breach ? [{ run, task, failure: { code: 'protect-violated', agent, ...breach }, isTold: false }] : [];
  }
  if (!isReal(note.place)) return [];
  const vault = await scopeVault(root, context, note.place);
  const copies = note.kept.map((digest) => {
    try {
      return vault.load(digest);
    } catch (error) {
      throw unknown(note.file, (error as Error).message);
    }
  });
  const inTime = (change: VaultChange): boolean => changedMs(note.place, change) <= untilMs;
  const changes = copies.flatMap((kept) => vault.changes(kept)).filter(inTime);
  const stuck = clearCaches(note.place, changes);
  const beside = workedBeside(note, { root, context });
  const fits = (path: string, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => undoing.match(pattern, path));
  const isTheirs = ({ path }: VaultChange): boolean => !fits(path, note.held) && fits(path, beside.patterns);
  const isFile = ({ path }: VaultChange): boolean => !isFolderAt(note.place, path) && !isCachePath(path);
  const files = [
    ...new Set([...changes.filter((one) => isFile(one) && !isTheirs(one)).map(({ path }) => path), ...stuck]),
  ];
  if (files.length === 0) return [];
  const held = files.filter((file) => fits(file, note.held));
  const undone = putBack(files, { copies, vault, root: note.place, evidence });
  const failure = violation(note.agent, { files, held, beside: beside.tasks, ...undone });
  return [{ run: note.run, task: note.task, failure: { ...failure, cutShort: true } as Failure, isTold: false }];
}

/** When a file came to be what it is. Of one that is gone its folder tells. */
function changedMs(root: string, { path }: VaultChange): number {
  for (let at = path; ; at = dirname(at)) {
    const stats = lstatSync(inRoot(root, at), { throwIfNoEntry: false });
    if (stats || at === '.') return stats?.ctimeMs ?? 0;
  }
}

/** Held files, what could not be put back and what was the end of a task are never tried again. */
const weight = ({ failure, isFinal = false }: Found): number => {
  if (failure.code === 'scope-violated')
    return (failure.held ? 3 : 0) + (failure.problems?.length ? 2 : 0) + Number(isFinal);
  return (failure.code === 'protect-violated' && failure.problems?.length ? 2 : 0) + Number(isFinal);
};

const unknown = (file: string, detail: string): FailureError =>
  new FailureError({
    code: 'journal-corrupt',
    file,
    line: 0,
    detail: `${detail}, so nobody knows what an agent wrote when the run was cut short`,
  });
