import { type Failure, FailureError, type MirrorFailure } from '../../model/failure.js';
import type { Place } from '../../model/files/isolation.js';
import type { Task } from '../../model/plan.js';
import type { AttemptWatch } from '../agents/ask-desk.js';
import { resultsSeen } from '../freshness/touched-results.js';
import { BareChecks } from '../protect/bare-checks.js';
import { breachOf, gitBreach } from '../protect/breach.js';
import { violationOf } from '../protect/suspects.js';
import { touchedSince, touchedWarning } from '../protect/touched.js';
import { type AttemptResult, recheckAttempt, runAttempt } from './attempt.js';
import { attemptOf, portsIn } from './attempt-of.js';
import type { Try } from './attempt-ports.js';
import { commitOutputs } from './commit-outputs.js';
import { publishedEvents } from './published-events.js';
import type { TaskTry, TryTools } from './try-tools.js';

/** One attempt with everything that its behaviour may reach, in the project or in a worktree of its own. */
export async function tryTask(task: Task, one: Try, tools: TryTools): Promise<AttemptResult> {
  const tried = await (task.isolation ? isolated(task, one, tools) : attemptIn(tools.ports, { task, one }, tools));
  const result = await withStudyChange(tried, { task, one }, tools);
  const differs = task.mirror && !isStopped(result) ? await mirrorFailure(task, tools) : undefined;
  if (!result.ok) {
    if (differs?.code === 'mirror-differs') tellMirror(differs, { task, one }, tools);
    return result;
  }
  const unplanned = task.part?.kind === 'list' ? await tools.listed(task) : undefined;
  if (unplanned) return { ok: false, failure: unplanned };
  if (differs) return { ok: false, failure: differs };
  return task.commit === undefined || task.isolation ? result : commitOutputs(task, { one, result }, tools);
}

/**
 * Agents are kept from what says what the study is. A command is not told from the person who edits the config meanwhile, so nothing is put
 * back and nothing is lost; but it is told at once, and the run cannot pass. A loop looks for itself.
 */
async function withStudyChange(result: AttemptResult, { task, one }: TaskTry, tools: TryTools): Promise<AttemptResult> {
  if (tools.state().iteration !== undefined) return result;
  const change = await tools.ports.studyChange?.(task);
  if (!change) return result;
  const { attempt, folder } = one;
  const { what, ...rest } = change;
  tools.record([{ type: 'study-changed', task: task.id, attempt, ...rest }]);
  folder.log(what);
  const about = { task: task.id, attempt, errorClass: 'study-changed', what, lines: [], dir: folder.dir };
  tools.ports.logError({ ...about, next: 'the run goes on by what it said before, and ends with exit code 4' });
  return result;
}

/** Who was stopped in the middle is tried again from the start, and looked at then. */
const isStopped = (result: AttemptResult): boolean => !result.ok && result.failure.code === 'cancelled';

/** That it could not be found out is a failure as well. */
async function mirrorFailure(task: Task, { ports, stop }: TryTools): Promise<Failure | undefined> {
  try {
    return await ports.mirrorFailure?.(task, stop.stopping);
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
}

/** What the attempt failed of decides what follows; that it left the copies different must not be lost behind it. */
function tellMirror(differs: MirrorFailure, { task, one }: TaskTry, tools: TryTools): void {
  const { attempt, folder } = one;
  const { count, lines } = differs;
  const what = tools.ports.failureWords(differs);
  tools.record([{ type: 'mirror-differed', task: task.id, attempt, count, lines }]);
  // Whoever mends reads the log.
  for (const line of [`this attempt ${what}`, ...lines]) folder.log(line);
  const next = 'the failure of the attempt decides; what passes later has to have them alike';
  tools.ports.logError({ task: task.id, attempt, errorClass: differs.code, what, lines, next, dir: folder.dir });
}

async function isolated(task: Task, one: Try, tools: TryTools): Promise<AttemptResult> {
  const { tryIsolated } = await import('./try-isolated.js');
  return tryIsolated(task, one, {
    ...tools,
    attempt: (place) => attemptIn(place, { task, one }, tools),
    recheck: (place) => recheckIn(place, { task, one }, tools),
    breach: (place) => breachesIn(place, task, tools)[0],
  });
}

/** What it must not change is looked at however it ends. */
async function attemptIn(place: Place, { task, one }: TaskTry, tools: TryTools): Promise<AttemptResult> {
  const { guard } = tools.ports;
  const breach = (): Failure[] => breachesIn(place, task, tools);
  const shift = tools.suspects.begin(task);
  // Somebody who was left behind may have written since the last look.
  const [before] = breach();
  if (before) return { ok: false, failure: shift.end(before)! };
  const seen = seenBy(place, tools);
  const own = task.protect ? guard?.during(task.protect) : undefined;
  const git = task.agent ? await tools.desk.watchGit(task) : undefined;
  let watch: AttemptWatch | undefined;
  try {
    // In a loop nothing of an attempt that broke the rules may help the next one.
    const undoes = tools.state().iteration !== undefined;
    watch = task.agent ? await tools.desk.watchAttempt(task, { undoes }) : undefined;
  } catch (error) {
    await git?.end();
    // What could not be put back is not risked.
    if (!(error instanceof FailureError)) throw error;
    return { ok: false, failure: shift.end(undefined) ?? error.failure };
  }
  const results = resultsSeen(task, [...new Set([tools.ports.files, place.files])], tools);
  const result = await bareAttempt(place, { task, one }, tools);
  const swapped = (await results?.warnings()) ?? [];
  if (result.ok) for (const what of result.warnings ?? []) logWarning(what, { task, one }, tools);
  tools.record(publishedEvents(task.id, one.attempt, result));
  // All of them are asked, because one that is found must not hide another that would then stay.
  const found = [...breach(), breachOf(own, task, tools), await gitBreach(git, task, tools), watch?.end()];
  const violated = found.find((one) => one !== undefined) ?? (result.ok ? undefined : violationOf(result.failure));
  const failure = shift.end(violated);
  const isTold = !result.ok && violationOf(result.failure) !== undefined;
  const wrong = failure && !isTold ? violationOf(failure) : undefined;
  if (wrong) tools.desk.refuse(task, wrong.files);
  if (failure) watch?.undo();
  if (failure) return { ok: false, failure };
  const touched = touchedSince(seen, seenBy(place, tools));
  const warnings = [...(touched.length > 0 ? [touchedWarning(touched)] : []), ...swapped];
  return withWarnings(result, warnings, { task, one }, tools);
}

/** In a worktree, what was taken away for the checks is there again before anybody looks at what was written. */
async function bareAttempt(place: Place, { task, one }: TaskTry, tools: TryTools): Promise<AttemptResult> {
  const bare = new BareChecks(place.unkept, one.folder, one.ready);
  try {
    // Whoever mended the work of a command may have left it something.
    if (!task.agent && task.retry.fix !== undefined && one.attempt > 1) await bare.begin();
    const result = await runAttempt({ ...attemptOf(place, { task, one }, tools), bare }, portsIn(place, tools));
    if (!result.ok) return { ...result, failure: bare.told(result.failure) };
    const { warnings } = bare;
    return warnings.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
  } catch (error) {
    // Others look at what was written all the same.
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  } finally {
    await bare.end();
  }
}

function withWarnings(
  result: AttemptResult,
  warnings: readonly string[],
  about: TaskTry,
  tools: TryTools,
): AttemptResult {
  if (!result.ok || warnings.length === 0) return result;
  for (const warning of warnings) logWarning(warning, about, tools);
  return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
}

/** The same eyes as for an attempt: what is run here was written by an agent. */
async function recheckIn(place: Place, { task, one }: TaskTry, tools: TryTools): Promise<Failure | undefined> {
  const { behaviour, ...input } = attemptOf(place, { task, one }, tools);
  if (!behaviour.recheck) return undefined;
  one.folder.log('others have merged meanwhile: checked once more, together with their work');
  const bare = new BareChecks(place.unkept, one.folder);
  let failure: Failure | undefined;
  try {
    await bare.begin();
    failure = await recheckAttempt({ ...input, behaviour, bare }, portsIn(place, tools));
  } finally {
    await bare.end();
  }
  return breachesIn(place, task, tools)[0] ?? (failure && bare.told(failure));
}

/** In the project, and in the place where the task works. */
function breachesIn(place: Place, task: Task, tools: TryTools): Failure[] {
  const { guard } = tools.ports;
  const guards = [guard, ...(place.guard === guard ? [] : [place.guard])];
  return guards.flatMap((each) => breachOf(each, task, tools) ?? []);
}

/** What the last looks saw, in the project and in the place where the task works. */
const seenBy = (place: Place, { ports }: TryTools): readonly ReadonlyMap<string, string>[] =>
  [ports.guard, ...(place.guard === ports.guard ? [] : [place.guard])].map((guard) => guard?.seen?.() ?? new Map());

function logWarning(what: string, { task, one }: TaskTry, { ports }: TryTools): void {
  const { attempt, folder } = one;
  const about = { task: task.id, attempt, errorClass: 'warning', what, lines: [], dir: folder.dir };
  ports.logError({ ...about, next: 'nothing; the task passed with it' });
}
