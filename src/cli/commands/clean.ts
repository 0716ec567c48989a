import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeEndNote } from '../../adapters/journal/end-notes.js';
import { diskBytes, isOwnFolder, lastWritten, removeRuns } from '../../adapters/journal/run-remover.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { takeLock } from '../../adapters/lock/state-lock.js';
import { backgroundClock } from '../../adapters/system-clock.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { parseDuration } from '../../model/duration.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { CleanedTrees } from '../../model/files/leftover.js';
import type { TaskId } from '../../model/plan.js';
import { err, ok, type Result } from '../../model/result.js';
import { type CleanPlan, type CleanRule, type KeptRun, planClean, studiesIn } from '../../run/clean/old-runs.js';
import { type CleanedPlaces, cleanPlaces, hasOwnVault } from '../clean/clean-places.js';
import { cleanWorktrees, treesInUse } from '../clean/clean-worktrees.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import { refuse } from '../refuse.js';
import { endOpenSessions, openSessions } from '../run/open-sessions.js';
import { endsPlace } from '../run/vault-place.js';
import { worktreePlace } from '../run/worktree-place.js';

/**
 * Removes old runs, and what crashes and runs that are gone left elsewhere. Needs no valid config: the runs themselves say
 * which results they hold.
 */
export async function run(context: CliContext): Promise<number> {
  if (context.flag('sessions')) return endSessions(context);
  const rule = ruleOf(context);
  if (!rule.ok) return refuse(rule.error, context);
  const store = await storeFor(context);
  const isDryRun = context.flag('dry-run');
  const lock = isDryRun || !hasState(store, context) ? undefined : takeLock(store.dir, { clock: backgroundClock });
  try {
    const { progress } = context;
    const ids = store.ids();
    const runs = ids.map((id, done) => {
      progress.at({ what: 'reading runs', done, total: ids.length });
      return runOf(store, id);
    });
    const plan = planClean(runs, (study) => tasksInUse(store, study), rule.value);
    const removed = plan.remove.map(({ id }) => id);
    const sizes = new Map(
      removed.map((id, done) => {
        progress.at({ what: 'measuring runs', done, total: removed.length });
        return [id, diskBytes(store.runDir(id))];
      }),
    );
    if (!isDryRun && removed.length > 0) {
      for (const id of removed) removeEndNote(endsPlace(rootOf(store), context), store.runDir(id));
      removeRuns(store, removed, progress);
    }
    const at = { root: rootOf(store), stateDir: store.dir };
    const { endedBefore } = rule.value;
    progress.at({ what: 'looking at worktrees', done: 0 });
    const inUse = studiesIn(runs).flatMap((study) => treesInUse(study.find(({ state }) => state)?.state));
    const done: CleanDone = {
      plan,
      sizes,
      trees: await cleanWorktrees({ ...at, agentId: context.agentId, env: context.env, inUse }, isDryRun),
      places: cleanPlaces(
        {
          ...at,
          context,
          kept: runs.filter(({ id }) => !removed.includes(id)),
          removed,
          inUse,
          ...(endedBefore === undefined ? {} : { endedBefore }),
        },
        isDryRun,
      ),
    };
    if (context.flag('json') || !context.quiet) await tell(context, done);
    return exitCode.passed;
  } finally {
    lock?.release();
  }
}

/** Nothing to lock where nothing was ever run: the lock would make the folder. */
const hasState = (store: RunStore, context: CliContext): boolean =>
  store.ids().length > 0 || existsSync(worktreePlace(store.dir)) || hasOwnVault(rootOf(store), context);

/** The project's folder. */
const rootOf = ({ dir }: RunStore): string => dirname(dirname(dir));

interface CleanDone {
  readonly plan: CleanPlan;
  readonly sizes: ReadonlyMap<string, number>;
  readonly trees: CleanedTrees;
  readonly places: CleanedPlaces;
}

async function tell(context: CliContext, { plan, sizes, trees, places }: CleanDone): Promise<void> {
  const isDryRun = context.flag('dry-run');
  if (context.flag('json')) {
    const { cleanJson } = await import('../../report/clean/clean-json.js');
    context.stdout.write(`${JSON.stringify(cleanJson({ ...plan, trees, places, sizes, isDryRun }), null, 2)}\n`);
    return;
  }
  const { cleanText } = await import('../../report/clean/clean-text.js');
  const { leftoversText } = await import('../../report/clean/clean-leftovers-text.js');
  const { color } = context.stdout;
  const rest = leftoversText(trees, places, { isDryRun, color, cwd: context.cwd });
  const isAlone = trees.removed.length + places.remove.length === 0;
  const now = Date.now();
  context.stdout.write(cleanText(plan, { sizes, isDryRun, rule: ruleWords(context), color, now, isAlone }) + rest);
}

/** Nobody's, while a run goes on: the lock sees to that. */
async function endSessions(context: CliContext): Promise<number> {
  const store = await storeFor(context);
  const open = await openSessions(store.dir, context.env);
  const isDryRun = context.flag('dry-run');
  const lock = isDryRun || open.length === 0 ? undefined : takeLock(store.dir, { clock: backgroundClock });
  try {
    const ended = isDryRun ? open.map(({ name }) => name) : await endOpenSessions(store.dir, context.env);
    const { endedSessionsText } = await import('../../report/clean/clean-text.js');
    if (!context.quiet) context.stdout.write(endedSessionsText(ended, isDryRun));
    return exitCode.passed;
  } finally {
    lock?.release();
  }
}

function runOf(store: RunStore, id: string): KeptRun {
  const isUnsure = !isOwnFolder(store, id);
  try {
    const reading = isUnsure ? undefined : store.read(id);
    const last = reading?.entries.at(-1)?.at;
    const lastAt = last === undefined ? lastWritten(store, id) : Date.parse(last);
    return { id, state: reading?.state, isUnsure, lastAt };
  } catch (error) {
    // What cannot be read is not known to be worthless.
    if (!(error instanceof FailureError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return { id, state: undefined, isUnsure: true, lastAt: lastWritten(store, id) };
  }
}

/** The study as it was run last: of the newest run, and where that cannot be read also of the newest that can. */
function tasksInUse(store: RunStore, runs: readonly KeptRun[]): ReadonlySet<TaskId> {
  const tasks = new Set<TaskId>();
  const readable = runs.find(({ state }) => state !== undefined);
  for (const run of new Set([runs[0], readable])) {
    if (!run) continue;
    for (const { id } of store.readPlan(run.id)?.tasks ?? []) tasks.add(id);
    for (const id of run.state?.tasks.keys() ?? []) tasks.add(id);
  }
  return tasks;
}

const defaultKeep = 10;

function ruleOf(context: CliContext): Result<CleanRule, readonly Diagnostic[]> {
  const keep = context.value('keep');
  const older = context.value('older');
  const olderMs = older === undefined ? undefined : parseDuration(older);
  const wrong: Diagnostic[] = [];
  if (keep !== undefined && !/^\d{1,6}$/.test(keep)) wrong.push(usage(`--keep is a whole number, not "${keep}"`, keep));
  if (older !== undefined && olderMs === undefined)
    wrong.push(usage(`--older is a duration such as 12h or 30d, not "${older}"`, older));
  if (wrong.length > 0) return err(wrong);
  if (keep === undefined && olderMs === undefined) return ok({ keep: defaultKeep });
  return ok({
    ...(keep === undefined ? {} : { keep: Number(keep) }),
    ...(olderMs === undefined ? {} : { endedBefore: Date.now() - olderMs }),
  });
}

function ruleWords(context: CliContext): string {
  const older = context.value('older');
  const keep = context.value('keep') ?? (older === undefined ? `${defaultKeep}` : undefined);
  return [
    ...(keep === undefined ? [] : [`all but the newest ${keep}`]),
    ...(older === undefined ? [] : [`only what ended more than ${older} ago`]),
  ].join(', ');
}

const usage = (message: string, argument: string): Diagnostic => ({
  code: 'AR604',
  message,
  at: { kind: 'argument', argument },
});
