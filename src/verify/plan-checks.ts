import { isOwnList } from '../model/agents/task-item.js';
import type { Check } from '../model/gates/check.js';
import type { Task, TaskId } from '../model/plan.js';
import type { TaskState } from '../model/state/run-state.js';
import { failed, passed, some, tampered } from './check.js';
import type { RunEvidence } from './evidence.js';

/** Whether plan.json is the plan that the journal tells of. */
export function planChecks({ planProblem, state }: RunEvidence): readonly Check[] {
  const due = state.planDigest.slice(0, 10);
  if (planProblem === 'gone') return [failed('plan', '', `plan.json is gone; the run went by plan ${due}`)];
  if (planProblem === 'other') return [tampered('plan', '', `plan.json is not plan ${due}, by which the run went`)];
  return [passed('plan', '', `plan.json is plan ${due}, by which the run went`)];
}

/** Whether every task of the plan came to an end that a run may pass with, made from what the plan and its needs say. */
export function taskChecks(evidence: RunEvidence): readonly Check[] {
  const { plan } = evidence;
  if (!plan) return [];
  if (plan.tasks.length === 0) return [failed('task', '', 'the plan has no tasks')];
  return plan.tasks.map((task) => taskCheck(task, evidence));
}

function taskCheck(task: Task, evidence: RunEvidence): Check {
  const known = evidence.state.tasks.get(task.id);
  if (!known) return failed('task', task.id, 'the journal tells nothing of it');
  if (known.status === 'skipped') return skippedCheck(task, known, evidence);
  if (known.status !== 'passed' && known.status !== 'cached')
    return failed('task', task.id, `it ended as ${known.status}`);
  if (known.from === 'stale')
    return failed('task', task.id, 'what it is made from was changed, and it was not done again');
  const problems = madeOtherwise(task, known, evidence);
  if (problems.length > 0) return tampered('task', task.id, some(problems));
  return passed('task', task.id, known.status === 'cached' ? 'an earlier result was used' : 'passed');
}

/** Left out by its own words or for want of an optional agent is an end; left out by the command line is not. */
function skippedCheck(task: Task, { reasons }: TaskState, { entries }: RunEvidence): Check {
  const why = some(reasons.map(({ detail }) => detail));
  const cause = entries.findLast((entry) => entry.type === 'task-skipped' && entry.task === task.id);
  const isMeant = task.skip !== undefined || (cause?.type === 'task-skipped' && cause.cause === 'agent-unreachable');
  return isMeant ? passed('task', task.id, `SKIPPED: ${why}`) : failed('task', task.id, `it was left out: ${why}`);
}

/** Where journal and plan tell two stories. */
function madeOtherwise(task: Task, { fingerprint, outputs = [], product }: TaskState, evidence: RunEvidence): string[] {
  if (!fingerprint || product === undefined) return ['the journal does not say what it was made from'];
  const made = evidence.definition(task);
  return [
    ...(['behaviour', 'options', 'env'] as const)
      .filter((key) => fingerprint[key] !== made[key])
      .map((key) => `its ${key} ${key === 'options' ? 'are' : 'is'} not what plan.json says`),
    ...(outputs.length > 0 && evidence.product(outputs) !== product
      ? ['its product does not follow from its outputs']
      : []),
    ...task.needs
      .filter((need) => !isOwnList(task, need))
      .flatMap((need) => {
        const needed = handedOn(need, evidence);
        return needed === undefined || fingerprint.upstream[need] === needed
          ? []
          : [`it was made from another ${need}`];
      }),
  ];
}

/** What a task hands on: what was approved at its gate, if it has one, else what it made. */
function handedOn(need: TaskId, { state, plan }: RunEvidence): string | undefined {
  const needed = state.tasks.get(need);
  const isGated = needed?.gate !== undefined && plan?.tasks.some(({ id, gate }) => id === need && gate !== undefined);
  return isGated ? needed.gate?.decided?.shown : needed?.product;
}
