import { syncMirror } from '../../adapters/mirror/mirror-sync.js';
import { exitCode } from '../../model/exit-code.js';
import type { CliContext } from '../context.js';
import { selectionOf } from '../line/selection.js';
import { openProject } from '../project/open-project.js';
import { refuse } from '../refuse.js';

/** Makes the copies of stages with `mirror` like their sources. Never done by a run: a difference is a finding. */
export async function run(context: CliContext): Promise<number> {
  const project = await openProject(context);
  if (!project.ok) return refuse(project.error, context);
  const { plan, resolved } = project.value;
  const selected = selectionOf(context, plan, context.positionals);
  if (!selected.ok) return refuse(selected.error, context);
  const pairs = new Map(
    plan.tasks
      .filter((task) => selected.value.isChosen(task))
      .flatMap(({ mirror = [] }) => mirror.map((pair) => [JSON.stringify(pair), pair] as const)),
  );
  for (const pair of pairs.values()) {
    await syncMirror(pair, resolved.root);
    if (!context.quiet) context.stdout.write(`${pair[1]} is like ${pair[0]}\n`);
  }
  if (pairs.size === 0 && !context.quiet) context.stdout.write('No stage has a mirror\n');
  return exitCode.passed;
}
