import { isOutside, makersOf } from '../model/files/outside-file.js';
import type { Check } from '../model/gates/check.js';
import { gateMap } from '../model/gates/gate-words.js';
import type { Plan, Task } from '../model/plan.js';
import { outputsNow } from '../model/state/outputs-now.js';
import type { RunState, TaskState } from '../model/state/run-state.js';
import { failed, passed } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Whether the tables that were compared, and the numbers that gates went by, were made by the run. */
export function sourceChecks({ plan, state }: RunEvidence): readonly Check[] {
  if (!plan) return [];
  return plan.tasks.flatMap((task) => {
    const known = state.tasks.get(task.id);
    if (known?.status !== 'passed' && known?.status !== 'cached') return [];
    return [...comparedFiles(task, known), ...judgedFiles(task, known)].map(([path, digest]) =>
      sourceCheck({ task, path, digest }, { plan, state }),
    );
  });
}

type ReadFile = readonly [path: string, digest: string];

function comparedFiles({ uses, options }: Task, { fingerprint }: TaskState): readonly ReadFile[] {
  if (uses !== 'compare' || typeof options.results !== 'string') return [];
  const path = options.results.replace(/^(\.\/+)+/, '');
  const digest = fingerprint?.inputs[path];
  return digest === undefined ? [] : [[path, digest]];
}

/** What a person or a judge is shown is for them to judge; an expression believes what it finds. */
function judgedFiles({ gate, outputs }: Task, { gate: known }: TaskState): readonly ReadFile[] {
  if (gate === undefined || known?.decided?.verdict !== 'pass' || known.opened?.kind !== 'auto') return [];
  const map = gateMap(gate);
  if (map.kind !== 'auto' || !map.checks.some((check) => typeof check === 'string')) return [];
  return known.opened.evidence
    .filter(({ path }) => /\.(json|ya?ml)$/.test(path) && !outputs.includes(path))
    .map(({ path, digest }) => [path, digest]);
}

interface Read {
  readonly task: Task;
  readonly path: string;
  readonly digest: string;
}

function sourceCheck({ task, path, digest }: Read, { plan, state }: { plan: Plan; state: RunState }): Check {
  const name = `${task.id}:${path}`;
  const maker = [...state.tasks.values()].find((known) =>
    outputsNow(known).some((output) => output.path === path && output.digest === digest && !output.older),
  );
  if (maker) return passed('source', name, `made by ${maker.id}`);
  if (isOutside(path, task, plan))
    return {
      ...passed('source', name, `no work of the run: the config names it as an input, sha256 ${digest}`),
      isNotice: true,
    };
  const left = makersOf(path, plan).find(({ id }) => state.tasks.get(id)?.status === 'skipped');
  return left
    ? failed('source', name, `nothing is known of it: ${left.id}, which makes it, was left out of this run`)
    : failed('source', name, 'no task of the run made it as it was read');
}
