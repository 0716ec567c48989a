import { isMarked } from '../../adapters/journal/planning-mark.js';
import type { Selected } from '../../run/select.js';
import type { CliContext } from '../context.js';
import type { IterationWish } from '../iterate/iteration-wish.js';
import { missingGoal } from '../iterate/missing-goal.js';
import { brokenSchemas } from '../project/broken-schemas.js';
import { checkoutProblems } from '../project/checkout.js';
import { leftOverFiles } from '../project/left-over-files.js';
import { missingFiles } from '../project/missing-files.js';
import { missingVariables } from '../project/missing-variables.js';
import type { Project } from '../project/open-project.js';
import { ownPromptProblems } from '../project/own-prompts.js';
import { ownProtectProblems } from '../project/own-protect.js';
import { ownTemplateProblems } from '../project/own-template.js';
import { sandboxProblems } from '../project/sandbox-notice.js';
import { refuse } from '../refuse.js';
import { refuseCutJournal } from './cut-journal.js';
import { type History, type NewestRun, openHistory } from './history.js';
import { refuseLostNotes } from './lost-notes.js';

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
    await (await import('../left-behind/planning-left.js')).commitOwed(project, context, newest);
  const { files } = history.still();
  const missing = [
    ...history.missingNeeds(),
    ...resolved.locate([
      ...missingVariables(resolved.config, plan, context),
      ...missingFiles(plan, files),
      ...(await brokenSchemas(plan, files, resolved.root)),
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
