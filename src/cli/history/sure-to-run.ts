import type { Project } from '../project/open-project.js';
import type { History } from './history.js';

interface WillRun {
  readonly project: Project;
  readonly history: History;
}

/** When something has never passed, the helper that starts commands may begin while the journal is opened. */
export const isSureToRun = ({ project, history }: WillRun): boolean =>
  project.plan.tasks.some((task) => {
    if (task.skip !== undefined || !history.decider.selected.isChosen(task)) return false;
    return (
      !task.cache ||
      history.decider.selected.isForced(task) ||
      history.decider.past(task.id)?.state.product === undefined
    );
  });
