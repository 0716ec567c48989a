import type { Diagnostic } from '../../model/diagnostic.js';
import type { Project } from './open-project.js';

/** Most studies have no template of their own for their records, and load nothing for it. */
export async function ownTemplateProblems({ resolved }: Project): Promise<readonly Diagnostic[]> {
  const template = resolved.config.report?.template;
  if (template === undefined) return [];
  return (await import('../report/template-problems.js')).templateProblems(resolved.root, template);
}
