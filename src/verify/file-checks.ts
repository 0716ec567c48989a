import { changedMeanwhile } from '../model/fingerprint.js';
import type { Check } from '../model/gates/check.js';
import type { Task } from '../model/plan.js';
import { outputsNow } from '../model/state/outputs-now.js';
import type { TaskState } from '../model/state/run-state.js';
import { failed, passed, some, tampered } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Every file that the run recorded as made, byte for byte. */
export function outputChecks(evidence: RunEvidence): readonly Check[] {
  const { plan, state } = evidence;
  // Without a plan nobody knows which tasks no longer count; then all of them do.
  const ids = plan ? plan.tasks.map(({ id }) => id) : [...state.tasks.keys()];
  return ids.flatMap((id) => {
    const known = state.tasks.get(id);
    return (hasResult(known) ? outputsNow(known) : []).map(({ path, digest }) => {
      const amended = known?.amended?.find((one) => one.path === path);
      const who = amended ? `${amended.by ?? 'a planner'} changed it after ${id} had made it` : `${id} made it`;
      const anew = evidence.madeAnew(path);
      if (anew !== undefined) return passed('output', path, `${id} had made it; made anew since by ${anew}`);
      const now = evidence.digest(path);
      if ('problem' in now) return failed('output', path, `${now.problem}; ${id} had made it`);
      return now.digest === digest
        ? passed('output', path, `as ${who}`)
        : failed('output', path, `was changed after ${who}`);
    });
  });
}

/** What each result was made from, new files that would be read now included. */
export function inputChecks(evidence: RunEvidence): readonly Check[] {
  return results(evidence).flatMap(([task, { fingerprint }]): Check[] => {
    const then = fingerprint?.inputs ?? {};
    try {
      const now = evidence.inputs(task);
      const paths = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
      if (paths.length === 0) return [];
      const changes = paths.flatMap((path) => (then[path] === now[path] ? [] : [changeOf(path, then, now)]));
      if (changes.length > 0) return [failed('input', task.id, some(changes))];
      return [passed('input', task.id, `${paths.length} ${paths.length === 1 ? 'file' : 'files'} as it read them`)];
    } catch (error) {
      return [failed('input', task.id, (error as Error).message)];
    }
  });
}

type Digests = { readonly [path: string]: string };

function changeOf(path: string, then: Digests, now: Digests): string {
  if (!Object.hasOwn(then, path)) return `${path} is new`;
  if (!Object.hasOwn(now, path)) return `${path} is gone`;
  return then[path] === changedMeanwhile ? `${path} was changed while it ran` : `${path} was changed`;
}

const hasResult = (known: TaskState | undefined): known is TaskState =>
  known?.status === 'passed' || known?.status === 'cached';

function results({ plan, state }: RunEvidence): [Task, TaskState][] {
  return (plan?.tasks ?? []).flatMap((task) => {
    const known = state.tasks.get(task.id);
    return hasResult(known) ? [[task, known]] : [];
  });
}

export async function protectedChecks({ state, protection }: RunEvidence): Promise<readonly Check[]> {
  const recorded = state.protection;
  if (!recorded || recorded.patterns.length === 0) return [];
  const words = `${recorded.files} ${recorded.files === 1 ? 'file' : 'files'} of ${some(recorded.patterns)}`;
  const now = await protection();
  if (now.how === 'unknown') return [failed('protected', '', `${words} cannot be compared: ${now.why}`)];
  if (now.how === 'vault' && now.changed.length > 0)
    return now.changed.map((path) => tampered('protected', path, 'is protected and not as it was during the run'));
  if (now.how === 'content' && !now.isSame)
    return [tampered('protected', '', `${words}: not all as during the run (without the vault nobody knows which)`)];
  return [passed('protected', '', `${words}, as they were during the run`)];
}
