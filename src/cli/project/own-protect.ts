import type { Diagnostic } from '../../model/diagnostic.js';
import { stageList } from '../../model/stage-list.js';
import type { Project } from './open-project.js';

/** Most studies protect nothing, and load nothing for it. */
export async function ownProtectProblems(project: Project, known?: readonly string[]): Promise<readonly Diagnostic[]> {
  const { config } = project.resolved;
  if (!config.protect?.length && !stageList(config).some(([, { protect }]) => protect?.length)) return [];
  return (await import('./protects-nothing.js')).protectsNothing(project, known);
}
