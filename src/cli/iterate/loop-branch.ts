import { realpathSync } from 'node:fs';
import { GitProblem } from '../../adapters/git/git-problem.js';
import { openRepository } from '../../adapters/git/git-repository.js';
import { branchIteration } from '../../adapters/iteration/iteration-branch.js';
import { systemClock } from '../../adapters/system-clock.js';
import { worktreeBranch } from '../../adapters/worktree/worktree-names.js';
import type { IterationBranch } from '../../model/events/iteration-event.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { writtenIn } from './own-files.js';

/** The number of a series cannot be the name of a stage, so no worktree has this branch. */
export const branchOf = ({ open, series }: SeriesState, agent: string): string =>
  worktreeBranch({ agent, iteration: open!.number, stage: String(series) });

/** Of an iteration of a loop that puts nothing back. None outside of a repository: such a loop needs no git. */
export async function ownBranch(
  state: SeriesState,
  message: string,
  { project, context }: { readonly project: Project; readonly context: CliContext },
): Promise<IterationBranch | undefined> {
  const { plan, resolved } = project;
  const root = realpathSync(resolved.root);
  const match = await loadGlobMatch();
  const work = [...plan.tasks.flatMap(({ scope = [] }) => scope), ...writtenIn(plan)];
  try {
    const repo = await openRepository(root, { env: context.env });
    const branch = branchOf(state, context.agentId);
    const isMade = (path: string): boolean => work.some((pattern) => match(pattern, path));
    return await branchIteration({
      ...{ repo, root, branch, message, isMade },
      at: state.open!.startedAt,
      clock: systemClock,
    });
  } catch (error) {
    if (error instanceof GitProblem) return undefined;
    throw error;
  }
}
