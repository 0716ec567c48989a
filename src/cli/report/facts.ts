import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { attemptDir, attemptLogs } from '../../adapters/kept/attempt-folder.js';
import { loadKept } from '../../adapters/vault/vault-kept.js';
import type { JournalEntry } from '../../model/events/event.js';
import type { Plan } from '../../model/plan.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { RunState } from '../../model/state/run-state.js';
import type { LoopFacts, PrintedTable, RunFacts } from '../../report/history/run-facts.js';
import type { CliContext } from '../context.js';
import { vaultPlace } from '../run/vault-place.js';
import { type KnownFiles, resultFiles } from './result-files.js';

export interface ReportedRun {
  readonly context: CliContext;
  /** The project folder. */
  readonly root: string;
  readonly dir: string;
  readonly state: RunState;
  readonly plan: Plan | undefined;
  readonly entries: readonly JournalEntry[];
  readonly secrets: Secrets;
  readonly known?: KnownFiles;
  readonly loop?: LoopFacts;
}

/** Reads what a report is made from. Changes nothing. */
export function runFacts(run: ReportedRun): RunFacts {
  const { context, root, dir, state, plan, entries, secrets, known, loop } = run;
  const kept = protectedFiles(state, () => vaultPlace(root, context, { what: 'protect' }));
  return {
    state,
    entries,
    ...(plan ? { plan } : {}),
    ...resultFiles(root, state, { hide: secrets.hideValues, ...(known ? { known } : {}) }),
    tables: parityTables(dir, state, { plan, root, hide: secrets.hide }),
    toRoot: relative(dir, root),
    ...(kept ? { protectedFiles: kept } : {}),
    ...(loop ? { loop } : {}),
  };
}

/** As the vault has them, if what it has is what the journal tells of. */
function protectedFiles({ protection }: RunState, place: () => string): ReadonlyMap<string, string> | undefined {
  if (!protection) return undefined;
  try {
    const { entries } = loadKept(readFileSync(join(place(), 'copies', protection.digest), 'utf8'), protection.digest);
    return new Map(
      [...entries].flatMap(([path, { digest }]) => (digest === undefined ? [] : [[path, digest] as const])),
    );
  } catch {
    return undefined;
  }
}

const mostTable = 65_536;

/** The newest attempt's output of each task that uses `parity`. */
function parityTables(
  dir: string,
  state: RunState,
  { plan, root, hide }: { readonly plan: Plan | undefined; readonly root: string; hide(text: string): string },
): ReadonlyMap<string, PrintedTable> {
  const tables = new Map<string, PrintedTable>();
  for (const { id, uses } of plan?.tasks ?? []) {
    const task = state.tasks.get(id);
    if (uses !== 'parity' || !task) continue;
    const [of, attempt] =
      task.status === 'cached' ? lastAttempt(dir, id) : ([dir, task.attempts] as readonly [string, number]);
    const { stdoutFile } = attemptLogs(attemptDir(of, id, attempt));
    if ((statSync(stdoutFile, { throwIfNoEntry: false })?.size ?? mostTable) < mostTable)
      tables.set(id, { path: relative(root, stdoutFile), text: hide(readFileSync(stdoutFile, 'utf8')) });
  }
  return tables;
}

/** Where a task was really run whose result still holds: in the newest run before this one that has a folder of it. */
function lastAttempt(dir: string, id: string): readonly [dir: string, attempt: number] {
  const runs = dirname(dir);
  const numberOf = (name: string): number => Number.parseInt(name, 10);
  const earlier = readdirSync(runs)
    .filter((name) => numberOf(name) < numberOf(basename(dir)))
    .sort((a, b) => numberOf(b) - numberOf(a));
  for (const run of earlier) {
    const folder = join(runs, run, 'tasks', id);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    const attempts = readdirSync(folder).filter((name) => /^\d+$/.test(name));
    if (attempts.length > 0) return [join(runs, run), Math.max(...attempts.map(Number))];
  }
  return [dir, 0];
}
