import type { Diagnostic } from '../../model/diagnostic.js';
import type { Task } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import { decideInOrder } from '../../run/freshness/decider.js';
import type { CliContext } from '../context.js';
import type { History } from '../history/history.js';
import type { OpenedRun } from '../run/opened-run.js';
import type { Project } from './open-project.js';

/** Whether anything of the plan has to do with worktrees or commits. */
export const needsGit = ({ plan }: Project): boolean =>
  plan.tasks.some(({ isolation, commit }) => isolation !== undefined || commit !== undefined);

/** What keeps worktrees or commits from being made, said before anything runs and costs. */
export async function checkoutProblems(
  project: Project,
  context: CliContext,
  history: History,
): Promise<readonly Diagnostic[]> {
  if (!needsGit(project)) return [];
  const begins = firstToBegin(project, context, history);
  const first = begins ?? firstToCommit(project, history);
  if (!first) return [];
  const { checkoutFailure } = await import('../run/worktree-ports.js');
  const failure = await checkoutFailure(project, context, begins ? whatMayBeDirty(context) : 'all');
  if (failure?.code !== 'worktree-failed') return [];
  return [
    {
      code: 'AR509',
      message: failure.detail,
      at: { kind: 'config', pointer: pointerOf('stages', first.stage, begins ? 'isolation' : 'commit') },
      hint: failure.fix,
    },
  ];
}

/** Nobody's changes are put aside unless they say so. Tells the commit that holds them. */
export async function stashFirst(project: Project, context: CliContext, history: History): Promise<string | undefined> {
  if (!context.flag('stash') || !needsGit(project) || !firstToBegin(project, context, history)) return undefined;
  const commit = await (await import('../run/worktree-ports.js')).stashCheckout(project, context);
  if (commit === undefined) return undefined;
  context.stderr.write(`Your changes are put aside in ${commit.slice(0, 12)}; git stash pop brings them back.\n`);
  return commit;
}

/** What is put aside in a moment is in nobody's way, unless it is the study itself. */
const whatMayBeDirty = (context: CliContext): 'nothing' | 'all but the config' =>
  context.flag('stash') ? 'all but the config' : 'nothing';

/** A task that goes on in its own worktree needs no new one. */
function firstToBegin({ plan }: Project, context: CliContext, history: History): Task | undefined {
  const known = context.flag('new') ? undefined : history.unfinished?.reading.state?.tasks;
  for (const {
    task,
    decision: { action },
  } of decideInOrder(plan, history.still())) {
    const isKnown = known?.get(task.id)?.tree !== undefined && !history.asked.isForced(task);
    if (action === 'run' && task.isolation && !isKnown) return task;
  }
  return undefined;
}

function firstToCommit({ plan }: Project, history: History): Task | undefined {
  for (const {
    task,
    decision: { action },
  } of decideInOrder(plan, history.still()))
    if (action === 'run' && task.commit !== undefined && !task.isolation) return task;
  return undefined;
}

export interface CheckoutInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly history: History;
  readonly iteration?: { readonly number: number };
}

/** What tasks need that work in worktrees, or whose outputs are committed; nothing where none does. */
export async function gitPorts(
  { project, context, history, iteration }: CheckoutInput,
  { id }: Pick<OpenedRun, 'id'>,
  { hide }: Secrets,
) {
  if (!needsGit(project)) return {};
  const { worktreePorts } = await import('../run/worktree-ports.js');
  return worktreePorts({ project, context, files: history.files, run: id, hide, iteration: iteration?.number ?? 1 });
}
