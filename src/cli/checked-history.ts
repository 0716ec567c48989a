import { isMarked } from '../adapters/planning-mark.js';
import type { Selected } from '../run/select.js';
import { checkoutProblems } from './checkout.js';
import type { CliContext } from './context.js';
import { refuseCutJournal } from './cut-journal.js';
import { type History, type NewestRun, openHistory } from './history.js';
import type { IterationWish } from './iterate/iteration-wish.js';
import { missingGoal } from './iterate/missing-goal.js';
import { leftOverFiles } from './left-over-files.js';
import { refuseLostNotes } from './lost-notes.js';
import { missingFiles } from './missing-files.js';
import { missingVariables } from './missing-variables.js';
import type { Project } from './open-project.js';
import { ownPromptProblems } from './own-prompts.js';
import { ownProtectProblems } from './own-protect.js';
import { ownTemplateProblems } from './own-template.js';
import { refuse } from './refuse.js';
import { sandboxProblems } from './sandbox-notice.js';

export interface HistoryWish {
  readonly selected: Selected;
  readonly afresh: boolean;
  readonly seen?: NewestRun | undefined;
  readonly iteration?: IterationWish;
}

/** What earlier runs left behind. What is known to go wrong is said now, and then this is the exit code. */
export async function checkedHistory(
  context: CliContext,
  project: Project,
  { selected, afresh, seen, iteration }: HistoryWish,
): Promise<History | number> {
  const { plan, resolved } = project;
  const history = await openHistory(project, {
    agentId: context.agentId,
    selected,
    afresh,
    progress: context.progress,
    ...(seen ? { seen } : {}),
    ...(iteration ? { iteration } : {}),
  });
  const { newest, store } = history;
  if (newest && !afresh) {
    refuseCutJournal(newest, { root: resolved.root, store, context });
    refuseLostNotes(newest, resolved.root, context);
  }
  if (!context.flag('dry-run') && isMarked(store.dir))
    await (await import('./planning-left.js')).commitOwed(project, context, newest);
  const { files } = history.still();
  const missing = [
    ...history.missingNeeds(),
    ...resolved.locate([
      ...missingVariables(resolved.config, plan, context),
      ...missingFiles(plan, files),
      ...missingGoal(resolved.config, files),
      ...(await ownProtectProblems(project, afresh ? [] : history.unfinished?.reading.state?.protection?.patterns)),
      ...(await leftOverFiles(plan, files)),
      ...(await ownPromptProblems(project, files)),
      ...(await ownTemplateProblems(project)),
      ...(await sandboxProblems(project, context)),
      ...(await checkoutProblems(project, context, history)),
    ]),
  ];
  return missing.length > 0 ? refuse(missing, context) : history;
}
