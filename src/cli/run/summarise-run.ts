import type { Secrets } from '../../model/secrets/secrets.js';
import type { RunState } from '../../model/state/run-state.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { tailOf } from './run-ports.js';

/** The last words of a run. */
export async function summarise(
  { context, project }: { readonly context: CliContext; readonly project: Project },
  state: RunState,
  { dir, secrets }: { readonly dir: string; readonly secrets: Secrets },
): Promise<void> {
  const { summaryText } = await import('../../report/history/summary.js');
  const target = context.stdout;
  const text = summaryText({
    plan: project.plan,
    state,
    runDir: dir,
    cwd: context.cwd,
    color: target.color,
    again: again(context),
    tail: (task) => tailOf(dir, task, state).map(secrets.hide),
  });
  target.write(text);
}
