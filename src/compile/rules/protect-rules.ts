import { globsMayMeet } from '../../model/glob.js';
import type { TaskId } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';

/**
 * What a stage protects while it runs must not be what another one writes at the same time: it would be put back under
 * that one's hands.
 */
export function checkStageProtect(drafts: readonly Draft[], problems: Problems): void {
  const guarding = drafts.filter(({ config }) => (config.protect?.length ?? 0) > 0);
  if (guarding.length === 0) return;
  const before = (from: Draft): ReadonlySet<TaskId> => ancestors(from.task.id, drafts);
  for (const guard of guarding) {
    const earlier = before(guard);
    for (const other of drafts) {
      if (other.task.stage === guard.task.stage || earlier.has(other.task.id)) continue;
      if (before(other).has(guard.task.id)) continue;
      const meets = (paths: readonly string[]): string | undefined =>
        guard.config.protect!.find((one) => paths.some((path) => globsMayMeet(one, path)));
      const written = meets(other.writes);
      const pattern = written ?? meets(other.config.scope ?? []);
      if (pattern === undefined) continue;
      problems.add({
        code: 'AR503',
        message: `stage "${guard.task.stage}" protects ${pattern}, which stage "${other.task.stage}" ${written === undefined ? 'may write (its scope)' : 'writes'} and which may run at the same time`,
        at: { kind: 'config', pointer: pointerOf('stages', guard.task.stage, 'protect') },
        hint:
          written === undefined
            ? `Let one of them need the other, narrow "scope" of stage "${other.task.stage}", or protect it in the whole study: "protect" at the top of the config goes before any scope`
            : 'Let one of them need the other, or take it out of protect',
      });
    }
  }
}

function ancestors(id: TaskId, drafts: readonly Draft[]): ReadonlySet<TaskId> {
  const needs = new Map(drafts.map(({ task }) => [task.id, task.needs]));
  const found = new Set<TaskId>();
  const open = [...(needs.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(needs.get(next) ?? []));
  }
  return found;
}
