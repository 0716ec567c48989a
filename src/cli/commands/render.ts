import { openWorkspace } from '../../adapters/behaviours/project-workspace.js';
import { renderText } from '../../adapters/behaviours/render-text.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import type { Plan } from '../../model/plan.js';
import { renderPrompt } from '../../run/agents/render-prompt.js';
import { select } from '../../run/select.js';
import type { CliContext } from '../context.js';
import { openHistory } from '../history/history.js';
import { openProject } from '../project/open-project.js';
import { readMustHaves } from '../project/read-must-haves.js';
import { refuse } from '../refuse.js';
import { runEnvironment } from '../run/run-environment.js';
import { unknownTask } from '../unknown-task.js';

/** Prints what an agent would be sent, and sends nothing. */
export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan, behaviours, resolved } = project.value;
  const name = context.positionals[0]!;
  const tasks = plan.tasks.filter((task) => task.id === name || task.stage === name);
  if (tasks.length === 0) return refuse([unknown(name, plan)], context);
  const nothing = { only: [], from: [], force: [] };
  const { files } = await openHistory(project.value, { agentId: context.agentId, selected: select(plan, nothing) });
  const tools = {
    files,
    workspace: openWorkspace(resolved.root),
    vars: resolved.config.vars ?? {},
    render: renderText,
    readMustHaves,
  };
  const { secrets } = runEnvironment(context.env, resolved.config);
  for (const task of tasks) {
    if (!task.description.asks) return refuse([asksNobody(name, task.uses)], context);
    const { behaviour } = behaviours.get(task.uses)!;
    const prompt = await renderPrompt(task, behaviour, tools);
    if (prompt === undefined) return refuse([asksNobody(name, task.uses)], context);
    if (tasks.length > 1) context.stdout.write(`# ${task.id}\n\n`);
    context.stdout.write(secrets.hide(prompt));
  }
  return exitCode.passed;
}

const unknown = (name: string, { tasks }: Plan): Diagnostic =>
  unknownTask(
    name,
    tasks.map(({ id }) => id),
  );

const asksNobody = (name: string, uses: string): Diagnostic => ({
  code: 'AR604',
  message: `stage "${name}" asks no agent`,
  at: { kind: 'argument', argument: name },
  hint: `Its behaviour is "${uses}"; name a stage with uses: agent`,
});
