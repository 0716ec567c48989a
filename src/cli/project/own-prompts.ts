import type { Diagnostic } from '../../model/diagnostic.js';
import type { Files } from '../../model/ports.js';
import type { Project } from './open-project.js';

/** Most studies have no prompts of their own, and load nothing for them. */
export async function ownPromptProblems(project: Project, files: Files): Promise<readonly Diagnostic[]> {
  const has = project.plan.tasks.some(({ description, options }) => description.asks && options.template !== undefined);
  return has ? (await import('./prompt-problems.js')).promptProblems(project, files) : [];
}
