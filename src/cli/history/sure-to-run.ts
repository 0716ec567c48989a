import type { Project } from '../project/open-project.js';
import type { History } from './history.js';

interface WillRun {
  readonly project: Project;
  readonly history: History;
  /** A new run, which may turn out to do nothing. Without it, a run that still stands has been found by now. */
  readonly afresh: boolean;
}

/**
 * When something surely has to be done, the helper that starts commands may begin while the journal is opened; and to start it takes the
 * longer the more there is in memory.
 */
export const isSureToRun = ({ project, history, afresh }: WillRun): boolean =>
  !afresh ||
  project.plan.tasks.some((task) => {
    if (task.skip !== undefined || !history.decider.selected.isChosen(task)) return false;
    return (
      !task.cache ||
      history.decider.selected.isForced(task) ||
      history.decider.past(task.id)?.state.product === undefined
    );
  });
