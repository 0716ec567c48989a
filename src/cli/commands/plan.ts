import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { diskError } from '../../adapters/disk/disk-error.js';
import type { Diagnostic, LocatedDiagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import type { Decision, Plan, TaskId } from '../../model/plan.js';
import type { PlanLoop } from '../../report/iterations/plan-loop.js';
import type { PlanGuards } from '../../report/plan/plan-footer.js';
import { preview } from '../../run/freshness/decider.js';
import { shellQuote } from '../../source/shell-quote.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { openHistory } from '../history/history.js';
import { wishNow } from '../iterate/iteration-wish.js';
import { missingGoal } from '../iterate/missing-goal.js';
import { selectionOf } from '../line/selection.js';
import { brokenSchemas } from '../project/broken-schemas.js';
import { checkoutProblems } from '../project/checkout.js';
import { leftOverFiles } from '../project/left-over-files.js';
import { missingFiles } from '../project/missing-files.js';
import { missingVariables } from '../project/missing-variables.js';
import { openProject, type Project } from '../project/open-project.js';
import { ownPromptProblems } from '../project/own-prompts.js';
import { ownProtectProblems } from '../project/own-protect.js';
import { ownTemplateProblems } from '../project/own-template.js';
import { sandboxProblems } from '../project/sandbox-notice.js';
import { doubtsOf } from '../project/tell-doubts.js';
import { refuse } from '../refuse.js';

type Decisions = ReadonlyMap<TaskId, Decision>;

export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan } = project.value;
  const selected = selectionOf(context, plan, context.positionals);
  if (!selected.ok) return refuse(selected.error, context);
  const history = await openHistory(project.value, {
    agentId: context.agentId,
    selected: selected.value,
    progress: context.progress,
    ...(project.value.iteration ? { iteration: wishNow(project.value) } : {}),
  });
  const decider = history.still();
  const { files } = decider;
  // Whatever exec would refuse; see checkedHistory.
  const inLoop = project.value.iteration
    ? await (await import('../iterate/loop-problems.js')).loopProblems(project.value, context)
    : [];
  const missing = [
    ...history.missingNeeds(),
    ...project.value.resolved.locate([
      ...missingVariables(project.value.resolved.config, plan, context),
      ...missingFiles(plan, files),
      ...(await brokenSchemas(plan, files, project.value.resolved.root)),
      ...missingGoal(project.value.resolved.config, files),
      ...(await ownProtectProblems(project.value)),
      ...(await leftOverFiles(plan, files)),
      ...(await ownPromptProblems(project.value, files)),
      ...(await ownTemplateProblems(project.value)),
      ...(await sandboxProblems(project.value, context)),
      ...(await checkoutProblems(project.value, context, history)),
    ]),
    ...inLoop,
  ];
  const notices = [...project.value.unsupported, ...missing];
  const asked = await doubtsOf(project.value, files, context);
  const decisions = preview(plan, decider, context.progress);
  const text = await textOf(context, project.value, decisions, { notices, doubts: asked });
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
  now: Decisions,
  looked: { readonly notices: readonly LocatedDiagnostic[]; readonly doubts: readonly LocatedDiagnostic[] },
): Promise<string> {
  const each = project.iteration
    ? await (await import('../iterate/each-iteration.js')).eachIteration(project, context)
    : undefined;
  // A picture is of the whole pipeline, of which the baseline is a part.
  const { plan, decisions } =
    context.value('graph') === undefined || !each ? { plan: project.plan, decisions: now } : each;
  switch (context.value('graph')) {
    case 'mermaid':
      return (await import('../../report/graph/graph-mermaid.js')).mermaidGraph(plan, decisions);
    case 'dot':
      return (await import('../../report/graph/graph-dot.js')).dotGraph(plan, decisions);
    case 'svg':
      return (await import('../../report/graph/graph-svg.js')).svgGraph(plan, decisions);
  }
  if (context.flag('json')) {
    const { planJson } = await import('../../report/plan/plan-json.js');
    const loop = await loopOf(project);
    return `${JSON.stringify(planJson(plan, decisions, { ...(loop ? { loop } : {}), ...(each ? { each } : {}), ...looked }), null, 2)}\n`;
  }
  const { planText } = await import('../../report/plan/plan-text.js');
  const { color, columns } = context.stdout;
  return planText(plan, decisions, {
    color,
    width: columns(),
    verbose: context.verbose,
    again: [again(context), ...context.positionals.flatMap((stage) => ['--only', shellQuote(stage)])].join(' '),
    ...looked,
    ...(await guardsOf(project, context)),
    ...(project.iteration ? { loop: (await loopOf(project))! } : {}),
    ...(each ? { each } : {}),
  });
}

async function loopOf({ iteration, resolved: { config } }: Project): Promise<PlanLoop | undefined> {
  if (!iteration || !config.iterate) return undefined;
  const { rulesOf } = await import('../../run/iterate/rules.js');
  const { number, over } = iteration;
  return { ...rulesOf(config.iterate), number, ...(over === undefined ? {} : { over }) };
}

/** Which guards are in force here; nothing is said of a study that has none. */
async function guardsOf({ resolved: { config } }: Project, { env }: CliContext): Promise<{ guards?: PlanGuards }> {
  const { protect = [], agents, sandbox = 'none' } = config;
  if (!agents && protect.length === 0) return {};
  if (!agents) return { guards: { protect } };
  const { looseCaps } = await import('../../compile/rules/loose-caps.js');
  const caps = looseCaps(config);
  if (sandbox === 'none') return { guards: { protect, sandbox: { level: 'none' }, caps } };
  const found = await (await import('../../adapters/sandbox/sandbox-level.js')).sandboxLevel(env);
  return { guards: { protect, sandbox: found, caps } };
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
