import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { diskError } from '../adapters/disk-error.js';
import { exitCode } from '../model/exit-code.js';
import type { Decision, Plan, TaskId } from '../model/plan.js';
import { preview } from '../run/decider.js';
import type { CliContext } from './context.js';
import { openHistory } from './history.js';
import { openProject, type Project } from './open-project.js';
import { refuse } from './refuse.js';
import { selectionOf } from './selection.js';

type Decisions = ReadonlyMap<TaskId, Decision>;

export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan } = project.value;
  const selected = selectionOf(context, plan, context.positionals);
  if (!selected.ok) return refuse(selected.error, context);
  const { decider } = await openHistory(project.value, { agentId: context.agentId, selected: selected.value });
  const text = await textOf(context, project.value, preview(plan, decider));
  const out = context.value('out');
  if (out === undefined) context.stdout.write(text);
  else write(resolve(context.cwd, out), context.value('graph') === undefined ? saved(plan) : text);
  if (out !== undefined && !context.quiet) context.stderr.write(`Wrote ${out}\n`);
  return exitCode.passed;
}

async function textOf(context: CliContext, project: Project, decisions: Decisions): Promise<string> {
  const { plan } = project;
  switch (context.value('graph')) {
    case 'mermaid':
      return (await import('../report/graph-mermaid.js')).mermaidGraph(plan, decisions);
    case 'dot':
      return (await import('../report/graph-dot.js')).dotGraph(plan, decisions);
    case 'svg':
      return (await import('../report/graph-svg.js')).svgGraph(plan, decisions);
  }
  if (context.flag('json')) {
    const { planJson } = await import('../report/plan-json.js');
    return `${JSON.stringify(planJson(plan, decisions), null, 2)}\n`;
  }
  const { planText } = await import('../report/plan-text.js');
  const { color, columns } = context.stdout;
  return planText(plan, decisions, { color, width: columns(), verbose: context.verbose, notices: project.unsupported });
}

/** What `exec --plan` compares with: the plan itself, without what would happen today. */
const saved = (plan: Plan): string => `${JSON.stringify(plan, null, 2)}\n`;

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw diskError(error, file);
  }
}
