import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Files } from '../../model/ports.js';
import { doubtLines } from '../../report/plan/doubt-text.js';
import type { CliContext } from '../context.js';
import { knowsUnicode } from '../run/reporter.js';
import { doubts } from './doubts.js';
import type { Project } from './open-project.js';

/** What `plan` asks about; of a loop that begins with a baseline also what its iterations will do. */
export async function doubtsOf(
  project: Project,
  files: Files,
  context: CliContext,
): Promise<readonly LocatedDiagnostic[]> {
  const { plan, resolved, iteration } = project;
  const first = iteration
    ? await (await import('../iterate/first-iteration.js')).firstIteration(project, context)
    : undefined;
  const found = [plan, ...(first ? [first.plan] : [])].flatMap((one) => doubts(one, files, resolved.root));
  const byText = new Map(found.map((one) => [JSON.stringify([one.code, one.message, one.at]), one]));
  return resolved.locate([...byText.values()]);
}

/** Said before a night is spent on it, and never in the way. Whoever reads data, or asked for silence, is told by `plan`. */
export async function tellDoubts(project: Project, files: Files, context: CliContext): Promise<void> {
  if (context.quiet || context.flag('json') || isForPrograms(context.value('reporter'))) return;
  const asked = await doubtsOf(project, files, context);
  if (asked.length === 0) return;
  const style = { color: context.stdout.color, unicode: knowsUnicode(context), cwd: context.cwd };
  context.stdout.write(doubtLines(asked, style));
}

const isForPrograms = (reporter: string | undefined): boolean => reporter === 'json' || reporter === 'silent';
