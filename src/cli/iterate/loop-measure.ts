import { openProjectFiles } from '../../adapters/disk/project-files.js';
import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Measure } from '../../model/events/iteration-event.js';
import { pointerOf } from '../../model/pointer.js';
import { err, ok, type Result } from '../../model/result.js';
import { listed } from '../../report/words/phrase.js';
import { measureChanges, measureOf } from '../../run/iterate/measure-of.js';
import { loadGlobMatch } from '../../source/glob.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';

/** What decides about the numbers of a loop. */
export interface LoopMeasure {
  /** As it is at this moment; undefined in a loop without a metric. */
  now(): Measure | undefined;
  /** Why what comes next could not be compared with what was measured so far. */
  problems(then: Measure | undefined): readonly LocatedDiagnostic[];
}

export async function loopMeasure(
  project: Project,
  context: CliContext,
): Promise<Result<LoopMeasure, readonly LocatedDiagnostic[]>> {
  const { config, root, locate } = project.resolved;
  const { metric, goal } = config.iterate!;
  if (!metric) return ok({ now: () => undefined, problems: () => [] });
  const same = await project.at(nowhere);
  if (!same.ok) return err(same.error);
  const { plan } = same.value;
  const protect = (config.protect ?? []).filter((pattern) => pattern !== goal);
  const files = await openProjectFiles(root, { globs: true, progress: context.progress });
  const match = await loadGlobMatch();
  const now = (): Measure => measureOf(plan, { metric, protect, files, match });
  return ok({
    now,
    problems(then) {
      const changes = then ? measureChanges(then, now()) : [];
      if (changes.length === 0) return [];
      const message = `what decides about the number is not what it was when the iterations so far were measured, so they cannot be compared with others: ${listed(changes, 6)}`;
      const hint = `Undo the change, or measure everything anew with a baseline of its own: autoresearch exec${again(context)} --new`;
      const at = { kind: 'config', pointer: pointerOf('iterate', 'metric') } as const;
      return locate([{ code: 'AR346', message, at, hint }]);
    },
  });
}

/** An iteration that there never is, so that what commands say of theirs makes no difference. */
export const nowhere = {
  series: 0,
  number: 1,
  repeat: 1,
  names: { number: 0, max: 1, dir: 'iterations/0/000', goal: '', insights: '', best: 'none', baseline: 'none' },
  before: { usd: 0, workedMs: 0 },
} as const;
