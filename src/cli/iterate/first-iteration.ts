import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { iterationAt } from './iteration-now.js';

/** The study as the first iteration does it, while its baseline, which is a part of that, is next; undefined at any other time. */
export async function firstIteration(project: Project, context: CliContext): Promise<Project | undefined> {
  const { resolved, plan, iteration } = project;
  const { iterate } = resolved.config;
  if (!iterate || iteration?.number !== 0 || iteration.over !== undefined) return undefined;
  const place = { root: resolved.root, agentId: context.agentId, name: plan.name, iterate };
  const first = await project.at(iterationAt(undefined, { series: iteration.series, number: 1, repeat: 1 }, place));
  return first.ok ? first.value : undefined;
}
