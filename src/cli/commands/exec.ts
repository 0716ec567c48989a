import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { unhurried } from '../../adapters/engine/unhurried.js';
import { isMarked } from '../../adapters/journal/planning-mark.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { takeLock } from '../../adapters/lock/state-lock.js';
import { backgroundClock } from '../../adapters/system-clock.js';
import { locateConfig } from '../../config/find.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import type { Plan } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { type DeciderInput, preview } from '../../run/freshness/decider.js';
import { StopSwitch } from '../../run/stop-switch.js';
import type { CliContext } from '../context.js';
import { checkedHistory } from '../history/checked-history.js';
import { rootWithState } from '../history/open-run.js';
import { isStanding, standingOf, tellStanding } from '../history/standing-run.js';
import { wishNow } from '../iterate/iteration-wish.js';
import { newestNow, owedBy } from '../left-behind/owed-run.js';
import { selectionOf } from '../line/selection.js';
import { stashFirst } from '../project/checkout.js';
import { type Located, openProject } from '../project/open-project.js';
import { quickLook } from '../project/quick-look.js';
import { checkSavedPlan } from '../project/saved-plan.js';
import { tellDoubts } from '../project/tell-doubts.js';
import { refuse } from '../refuse.js';
import { notesPlace } from '../run/vault-place.js';
import { listenForSignals } from '../signals.js';

/** resolve → load behaviours → compile → open journal → replay → run → summarise. */
export const run = (context: CliContext): Promise<number> =>
  // Who only looks is done sooner with all the help of the engine.
  context.flag('dry-run') ? runWhole(context) : unhurried('exec', () => runWhole(context));

async function runWhole(context: CliContext): Promise<number> {
  const end = await runOnce(context);
  // What was put aside may have been a part of the study, so all of it is read again.
  return typeof end === 'number' ? end : ((await runOnce(context, end.stashed)) as number);
}

/** Where the changes of the checkout are that were put aside before anything ran. */
interface Stashed {
  readonly stashed: string;
}

async function runOnce(context: CliContext, stashed?: string): Promise<number | Stashed> {
  const jobs = jobsOf(context);
  if (typeof jobs !== 'number') return refuse(jobs, context);
  const found = await locateConfig(context.cwd, context.configFile);
  if (found.ok && !context.flag('dry-run') && isMarked(stateDir(dirname(found.value.file), context.agentId)))
    await (await import('../left-behind/planning-left.js')).putBackUnsettled(context, found);
  const seen = await quickLook(context, found);
  if (seen.standing) {
    seen.note?.();
    return tellStanding(context, seen.standing);
  }
  const project = await openProject(context, found);
  if (!project.ok) {
    await undoUnread(context, found);
    return refuse(project.error, context);
  }
  const { plan, unsupported } = project.value;
  // What cannot be enforced is not run: a gate that nobody checks would be worse than none.
  if (unsupported.length > 0) return refuse(unsupported, context);
  const saved = context.value('plan');
  if (saved !== undefined) {
    if (!existsSync(resolve(context.cwd, saved))) return refuse([noSuchFile(saved)], context);
    checkSavedPlan(plan, saved, context.cwd);
  }
  if (context.flag('detach') && !plan.clusters) return refuse([noJobs], context);
  const { iterate } = project.value.resolved.config;
  const loop = iterate ? await import('../iterate/loop-project.js') : undefined;
  const unfit = loop?.optionProblems(context) ?? [];
  if (unfit.length > 0) return refuse(unfit, context);
  const selection = selectionOf(context, plan);
  if (!selection.ok) return refuse(selection.error, context);

  const isNew = context.flag('new');
  const wish = { selected: selection.value, afresh: isNew, seen: seen.newest };
  if (context.flag('dry-run')) {
    const again = loop ? { iteration: wishNow(project.value) } : {};
    const history = await checkedHistory(context, project.value, { ...wish, ...again });
    return typeof history === 'number' ? history : dryRun(context, plan, history.still());
  }
  const stop = new StopSwitch();
  // From before the lock on, so that it is never left behind by a signal.
  const deaf = listenForSignals(stop, () => context.stderr.write('The terminal was closed; the run goes on.\n'));
  // What earlier runs left is read under the lock, so that no other run changes it in between.
  const lock = takeLock(stateDir(project.value.resolved.root, context.agentId), {
    clock: backgroundClock,
    onLost: () => stop.kill('SIGTERM'),
    onCancel: (now) => (now ? stop.kill('SIGTERM') : stop.stop('SIGTERM')),
  });
  try {
    const { root, config } = project.value.resolved;
    const last = newestNow(root, context, seen.newest);
    const owed = owedBy(last);
    if (owed || existsSync(notesPlace(root, context)))
      await (await import('../left-behind/undo-left-behind.js')).undoLeftBehind({
        root,
        context,
        onViolation: config.onViolation,
        owed,
      });
    if (loop) {
      if (project.value.iteration?.over === undefined) await tellDoubts(project.value, await filesOf(root), context);
      return await loop.loopProject({ context, project: project.value, jobs, stop, lock });
    }
    const history = await checkedHistory(context, project.value, { ...wish, seen: last });
    if (typeof history === 'number') return history;
    const { newest, store } = history;
    if (newest && !isNew && isStanding(plan, newest.reading.state, history.still()))
      return tellStanding(context, standingOf(plan, newest, store));
    const aside = stashed === undefined ? await stashFirst(project.value, context, history) : undefined;
    if (aside !== undefined) return { stashed: aside };
    await tellDoubts(project.value, history.still().files, context);
    const { runProject } = await import('../run/run-project.js');
    const told = stashed === undefined ? {} : { stashed };
    return await runProject({ context, project: project.value, history, jobs, stop, lock, ...told });
  } finally {
    lock.release();
    deaf();
  }
}

const filesOf = async (root: string): Promise<Files> =>
  (await import('../../adapters/disk/project-files.js')).openProjectFiles(root, { globs: true });

/** Who was at work when a run was cut short may have spoilt the config itself. */
async function undoUnread(context: CliContext, found: Located): Promise<void> {
  const root = found.ok ? dirname(found.value.file) : rootWithState(context);
  const isLeft = (): boolean => existsSync(notesPlace(root, context)) || owedBy(newestNow(root, context)) !== undefined;
  if (context.flag('dry-run') || !isLeft()) return;
  const lock = takeLock(stateDir(root, context.agentId), { clock: backgroundClock });
  try {
    const owed = owedBy(newestNow(root, context));
    await (await import('../left-behind/undo-left-behind.js')).undoLeftBehind({ root, context, owed });
  } finally {
    lock.release();
  }
}

async function dryRun(context: CliContext, plan: Plan, decider: DeciderInput): Promise<number> {
  if (context.flag('json')) {
    const { planJson } = await import('../../report/plan/plan-json.js');
    context.stdout.write(`${JSON.stringify(planJson(plan, preview(plan, decider, context.progress)), null, 2)}\n`);
    return exitCode.passed;
  }
  const { planList } = await import('../../report/plan/plan-list.js');
  let chunk = '';
  for (const line of planList(plan, preview(plan, decider, context.progress))) {
    chunk += `${line}\n`;
    if (chunk.length > 65_536) {
      context.stdout.write(chunk);
      chunk = '';
    }
  }
  if (chunk !== '') context.stdout.write(chunk);
  else if (!context.quiet) context.stderr.write('Nothing would run: every result still holds.\n');
  return exitCode.passed;
}

function jobsOf(context: CliContext): number | readonly Diagnostic[] {
  const text = context.value('jobs');
  if (text === undefined) return availableParallelism();
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  return [
    {
      code: 'AR604',
      message: `--jobs is a whole number from 1 to 9999, not "${text}"`,
      at: { kind: 'argument', argument: text },
    },
  ];
}

const noJobs: Diagnostic = {
  code: 'AR604',
  message: '--detach is for a study with jobs, and no stage of this one runs on a cluster',
  at: { kind: 'argument', argument: '--detach' },
};

const noSuchFile = (file: string): Diagnostic => ({
  code: 'AR604',
  message: `there is no file ${file}`,
  at: { kind: 'argument', argument: file },
  hint: `Save a plan with: autoresearch plan --out ${file}`,
});
