import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { digestFile, toldReading } from '../../adapters/disk/file-digest.js';
import { openProjectFiles } from '../../adapters/disk/project-files.js';
import { endNoteIn, endNoteOutside, readEndNote } from '../../adapters/journal/end-notes.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { attemptDir, attemptLogs } from '../../adapters/kept/attempt-folder.js';
import { keptOf } from '../../adapters/kept/kept-files.js';
import { LedgerFile } from '../../adapters/ledger/ledger-file.js';
import { isLocked } from '../../adapters/lock/state-lock.js';
import { lookAtProtected } from '../../adapters/vault/vault-content.js';
import { planDigest } from '../../compile/plan-digest.js';
import type { Files, Progress } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import { definitionDigests, inputDigests, productDigest } from '../../run/freshness/fingerprint.js';
import { gateStanding } from '../../run/gates/standing.js';
import type { RunEvidence } from '../../verify/evidence.js';
import type { CliContext } from '../context.js';
import { usesGlobs } from '../history/history.js';
import { endsPlace, vaultPlace } from '../run/vault-place.js';

interface FoundRun {
  readonly id: string;
  readonly store: RunStore;
  readonly reading: JournalReading;
}

/** What a run left behind. Every file is read anew, whatever its stamps say. */
export async function runEvidence(context: CliContext, { id, store, reading }: FoundRun): Promise<RunEvidence> {
  const root = dirname(dirname(store.dir));
  const dir = store.runDir(id);
  const state = reading.state!;
  const saved = isFile(join(dir, 'plan.json')) ? store.readPlan(id) : undefined;
  const plan = saved && planDigest(saved) === state.planDigest ? saved : undefined;
  const globs = plan !== undefined && usesGlobs(plan);
  const now = readingAll(root, await openProjectFiles(root, { globs }), {
    tell: toldOf(state, context.progress),
    progress: context.progress,
  });
  const loop = state.iteration ? await import('../iterate/iteration-files.js') : undefined;
  const then = await loop?.iterationFiles(now, { place: { root, dir: store.dir, context }, store, state, plan });
  const files = then?.files ?? now;
  const begun = reading.entries[0]!;
  const outside = endNoteOutside(endsPlace(root, context), begun.hash);
  return {
    run: id,
    entries: reading.entries,
    isTorn: reading.torn,
    state,
    isLive: isLocked(store.dir),
    plan,
    planProblem: plan ? undefined : isFile(join(dir, 'plan.json')) ? 'other' : 'gone',
    endNotes: {
      inside: readEndNote(endNoteIn(dir)),
      outside: readEndNote(outside),
      place: outside,
      isHere: begun.type === 'run-started' && begun.host === hostname(),
    },
    digest(path) {
      try {
        return { digest: files.digest(path) };
      } catch (error) {
        return { problem: (error as Error).message };
      }
    },
    madeAnew: (path) => then?.madeAnew.get(path),
    inputs: (task) => inputDigests(task, files),
    definition: (task) => ({ behaviour: task.behaviour, ...definitionDigests(task) }),
    product: (outputs) => productDigest(outputs, ''),
    gate(task, known) {
      try {
        const standing = gateStanding(task, known, { plan: plan!, files });
        return standing.kind === 'passed'
          ? { isPassed: true, detail: '' }
          : { isPassed: false, detail: standing.reason.detail };
      } catch (error) {
        return { isPassed: false, detail: (error as Error).message };
      }
    },
    parity: async (task) =>
      (await import('./parity-now.js')).parityNow(task, { root, parameters: state.parameters }, context),
    assertions: async (task) =>
      (await import('./assertions-now.js')).assertionsNow(task, { root, files, state }, context),
    reports: async () =>
      (await import('../report/reports-now.js')).reportsNow(
        context,
        { root, dir, state, plan, entries: reading.entries },
        (path) => then?.madeAnew.get(path),
      ),
    protection: () => lookAtProtected({ root, dir: vaultPlace(root, context, { what: 'protect' }) }, state.protection!),
    ledger() {
      const ledger = new LedgerFile(join(store.dir, 'ledger.jsonl'));
      return ledger.refresh() ? ledger.calls : undefined;
    },
    loop: async () =>
      state.iteration
        ? (await import('../iterate/loop-evidence.js')).loopEvidence({ root, dir: store.dir, context }, state.run)
        : undefined,
    keptNow: (folder, name, bytes) => keptOf(join(dir, folder, name), bytes),
    attemptLogs(task, attempt) {
      const folder = attemptDir(dir, task, attempt);
      const { stdoutFile, stderrFile } = attemptLogs(folder);
      return {
        isThere: statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false,
        hasOutput: isFile(stdoutFile) && isFile(stderrFile),
      };
    },
  };
}

interface Told {
  readonly progress: Progress;
  /** One more file is read. */
  tell(): void;
}

/** No stamp is believed, and nothing but a file is opened: a pipe would be waited for. */
const readingAll = (root: string, files: Files, { tell, progress }: Told): Files => ({
  ...files,
  digest(path) {
    tell();
    const file = resolve(root, path);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) throw new Error(`${path} is gone`);
    if (!stats.isFile()) throw new Error(`${path} is no file any more`);
    return digestFile(file, toldReading(path, stats.size, progress));
  },
});

/** Each file that the run read or wrote is read once for each task; how many that are is known ahead. */
function toldOf({ tasks }: RunState, progress: Progress): () => void {
  let total = 0;
  for (const { outputs = [], fingerprint } of tasks.values())
    total += outputs.length + Object.keys(fingerprint?.inputs ?? {}).length;
  let done = 0;
  return () => progress.at({ what: 'reading files', done: Math.min(done++, total), total });
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
