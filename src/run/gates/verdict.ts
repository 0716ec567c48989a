import type { GateQuestion } from '../../model/gates/gate.js';
import type { Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { calibrated } from './calibrate.js';
import { type CheckTools, runChecks } from './checks.js';
import type { Judged } from './gate-ports.js';
import { Judge, type JudgeTools } from './judge.js';

export interface VerdictTools extends CheckTools, JudgeTools {
  state(): RunState;
  /** One after the other. */
  readonly calibrations: { last: Promise<unknown> };
}

/** What checks or a judge say about a task. */
export async function verdictFor(task: Task, question: GateQuestion, tools: VerdictTools): Promise<Judged> {
  if (question.kind === 'auto') return runChecks(task, question.attempt, tools);
  const judge = new Judge(task, question.attempt, tools);
  const sorted = calibrateInTurn(task, judge, tools);
  tools.calibrations.last = sorted.catch(() => {});
  const sort = await sorted;
  if ('end' in sort) return { kind: 'ended', ...sort };
  if (sort.wrong.length > 0)
    return {
      kind: 'ended',
      end: { how: 'halted' },
      why: `judge ${judge.gate.agent} may not judge: it got ${sort.wrong.join(', ')} wrong`,
      uncalibrated: sort.wrong,
    };
  return judge.judge(question.evidence, question.tests);
}

async function calibrateInTurn(task: Task, judge: Judge, { calibrations, ports, record, state }: VerdictTools) {
  if (judge.gate.calibrate) await calibrations.last;
  return calibrated(task, judge, {
    files: ports.files,
    known: (key) => state().calibrated.get(key),
    record: (event) => record([event]),
  });
}
