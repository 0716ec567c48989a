import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRunStore } from '../../adapters/journal/run-store.js';
import type { VaultChange } from '../../adapters/vault/vault.js';
import { inRoot } from '../../adapters/vault/vault-look.js';
import { putBack } from '../../adapters/watch/tree-watch.js';
import { type FoundNote, readNotes } from '../../adapters/watch/watch-notes.js';
import { clearCaches, isCachePath, isFolderAt } from '../../adapters/watch/written-caches.js';
import { type Failure, FailureError } from '../../model/failure.js';
import { failureWords } from '../../report/failures/failure-text.js';
import { violation } from '../../run/protect/violation.js';
import { type GlobMatch, loadGlobMatch } from '../../source/glob.js';
import type { CliContext } from '../context.js';
import { evidencePlace, notesPlace, vaultPlace } from '../run/vault-place.js';
import { isReal, scopeVault } from '../run/watch-ports.js';
import { endLeftBehind } from './left-behind.js';
import { recordLeftBehind } from './record-left-behind.js';
import { workedBeside } from './worked-beside.js';

/**
 * Whoever was at work when a runner was killed was watched by nobody at the end. What it wrote outside of its scope by then is put back before
 * anything builds on it, and ends this command with exit code 4, unless `onViolation` says that such a thing is tried again. The lock has to be held.
 */
export async function undoLeftBehind({ root, context, onViolation = 'fail' }: UndoInput): Promise<void> {
  const notes = notesOf(root, context);
  if (notes.length === 0) return;
  const match = await loadGlobMatch();
  const found: Found[] = [];
  for (const run of new Set(notes.map((note) => note.run))) {
    const own = notes.filter((note) => note.run === run);
    const untilMs = await aliveUntil(run, own, { root, context });
    for (const note of own) found.push(...(await undo(note, { root, context, match, untilMs })));
  }
  const [worst] = found.toSorted((a, b) => weight(b.failure) - weight(a.failure));
  // The notes stay until the journal says that the run goes on: somebody may be cut short once more.
  if (!worst) return;
  for (const { note, failure } of found) await recordLeftBehind({ note, failure, root, context });
  for (const { file } of notes) rmSync(file, { force: true });
  // What the study itself says may be the agent's words: it is read again.
  const isHarmless = found.every(({ failure }) => onViolation === 'retry' && weight(failure) === 0);
  for (const { failure } of found)
    if (isHarmless || failure !== worst.failure) context.stderr.write(`${failureWords(failure).what}\n`);
  if (!isHarmless) throw new FailureError(worst.failure);
}

export interface UndoInput {
  readonly root: string;
  readonly context: CliContext;
  readonly onViolation?: 'fail' | 'retry' | undefined;
}

interface Found {
  readonly note: FoundNote;
  readonly failure: Failure;
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
    return breach ? [{ note, failure: { code: 'protect-violated', agent: note.agent, ...breach } }] : [];
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
  return [{ note, failure: violation(note.agent, { files, held, beside: beside.tasks, ...undone }) }];
}

/** When a file came to be what it is. Of one that is gone its folder tells. */
function changedMs(root: string, { path }: VaultChange): number {
  for (let at = path; ; at = dirname(at)) {
    const stats = lstatSync(inRoot(root, at), { throwIfNoEntry: false });
    if (stats || at === '.') return stats?.ctimeMs ?? 0;
  }
}

/** Held files and what could not be put back are never tried again. */
const weight = (failure: Failure): number => {
  if (failure.code === 'scope-violated') return (failure.held ? 2 : 0) + (failure.problems?.length ? 1 : 0);
  return failure.code === 'protect-violated' && failure.problems?.length ? 1 : 0;
};

const unknown = (file: string, detail: string): FailureError =>
  new FailureError({
    code: 'journal-corrupt',
    file,
    line: 0,
    detail: `${detail}, so nobody knows what an agent wrote when the run was cut short`,
  });
