import { exitCode } from '../../model/exit-code.js';
import { preview } from '../../run/freshness/decider.js';
import { select } from '../../run/select.js';
import type { CliContext } from '../context.js';
import { openHistory } from '../history/history.js';
import { openProject } from '../project/open-project.js';
import { refuse } from '../refuse.js';
import { unknownTask } from '../unknown-task.js';

export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan } = project.value;
  const name = context.positionals[0]!;
  const tasks = plan.tasks.filter((task) => task.id === name || task.stage === name);
  if (tasks.length === 0)
    return refuse(
      [
        unknownTask(
          name,
          plan.tasks.map((task) => task.id),
        ),
      ],
      context,
    );
  const nothing = { only: [], from: [], force: [] };
  const history = await openHistory(project.value, { agentId: context.agentId, selected: select(plan, nothing) });
  const decisions = preview(plan, history.still());
  const { whyText } = await import('../../report/plan/why-text.js');
  for (const task of tasks)
    context.stdout.write(whyText(task, decisions.get(task.id)!, { color: context.stdout.color }));
  return exitCode.passed;
}
