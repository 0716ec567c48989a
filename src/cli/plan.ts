import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { diskError } from '../adapters/disk-error.js';
import type { Diagnostic, LocatedDiagnostic } from '../model/diagnostic.js';
import { exitCode } from '../model/exit-code.js';
import type { Decision, Plan, TaskId } from '../model/plan.js';
import { preview } from '../run/decider.js';
import { again } from './again.js';
import type { CliContext } from './context.js';
import { openHistory } from './history.js';
import { leftOverFiles } from './left-over-files.js';
import { missingFiles } from './missing-files.js';
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
  const { decider, files } = await openHistory(project.value, { agentId: context.agentId, selected: selected.value });
  const missing = project.value.resolved.locate([...missingFiles(plan, files), ...(await leftOverFiles(plan, files))]);
  const text = await textOf(context, project.value, preview(plan, decider), missing);
  const out = context.value('out');
  if (out !== undefined && !existsSync(dirname(resolve(context.cwd, out)))) return refuse([noFolder(out)], context);
  if (
    out !== undefined &&
    project.value.resolved.layers.some((layer) => layer.document.file === resolve(context.cwd, out))
  ) {
    return refuse([partOfConfig(out)], context);
  }
  if (out === undefined) context.stdout.write(text);
  else write(resolve(context.cwd, out), context.value('graph') === undefined ? saved(plan) : text);
  if (out !== undefined && !context.quiet) context.stderr.write(`Wrote ${out}\n`);
  return exitCode.passed;
}

async function textOf(
  context: CliContext,
  project: Project,
  decisions: Decisions,
  missing: readonly LocatedDiagnostic[],
): Promise<string> {
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
  return planText(plan, decisions, {
    color,
    width: columns(),
    verbose: context.verbose,
    again: again(context),
    notices: [...project.unsupported, ...missing],
  });
}

const partOfConfig = (out: string): Diagnostic => ({
  code: 'AR604',
  message: `${out} is part of the config and would be overwritten`,
  at: { kind: 'argument', argument: out },
});

const noFolder = (out: string): Diagnostic => ({
  code: 'AR604',
  message: `there is no folder ${dirname(out)}`,
  at: { kind: 'argument', argument: out },
});

/** What `exec --plan` compares with: the plan itself, without what would happen today. */
const saved = (plan: Plan): string => `${JSON.stringify(plan, null, 2)}\n`;

/** The folder has to be there: a plan says nothing about where else it might have been meant to go. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw diskError(error, file);
  }
}
