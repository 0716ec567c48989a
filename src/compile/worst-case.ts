import { parseDuration } from '../model/duration.js';
import type { Agent, Config } from '../model/generated/config.js';
import type { Task, WorstCase } from '../model/plan.js';

/** The most that a plan can cost when every limit is used up once. Each new class of error would start its own count. */
export function worstCase(config: Config, tasks: readonly Task[]): WorstCase {
  const live = tasks.filter((task) => task.skip === undefined);
  const calls = live.flatMap((task) => agentCalls(config, task));
  const count = calls.reduce((sum, call) => sum + call.times, 0);
  const usd = calls.reduce<number | null>(
    (sum, { agent, times }) =>
      sum === null || agent?.limits?.usd === undefined ? null : sum + agent.limits.usd * times,
    0,
  );
  return {
    attempts: live.reduce((sum, task) => sum + task.retry.attempts, 0),
    agentCalls: count,
    usd,
    timeMs: timeOf(live),
  };
}

interface Calls {
  readonly agent: Agent | undefined;
  readonly times: number;
}

function agentCalls(config: Config, task: Task): Calls[] {
  const stage = config.stages[task.stage]!;
  const named = (name: string): Agent | undefined => config.agents?.[name];
  const rounds = typeof stage.gate === 'object' ? 1 + (stage.gate.revise?.max ?? 0) : 1;
  const calls: Calls[] = [];
  if (stage.agent !== undefined) calls.push({ agent: named(stage.agent), times: task.retry.attempts * rounds });
  if (task.retry.fix !== undefined)
    calls.push({ agent: named(task.retry.fix), times: (task.retry.attempts - 1) * rounds });
  if (typeof stage.gate === 'object' && stage.gate.kind === 'auto-judge') {
    calls.push({ agent: named(stage.gate.agent), times: (stage.gate.votes ?? 1) * rounds });
  }
  return calls.filter(({ times }) => times > 0);
}

/** All attempts one after another: true whatever `--jobs` is. Null when one of the tasks has no limit. */
function timeOf(tasks: readonly Task[]): number | null {
  let sum = 0;
  for (const task of tasks) {
    if (task.timeoutMs === undefined) return null;
    sum += task.timeoutMs * task.retry.attempts + backoffMs(task);
  }
  return sum;
}

/** Pauses double: 1, 2, 4 … times the first. */
const backoffMs = ({ retry }: Task): number =>
  retry.backoff === undefined ? 0 : (parseDuration(retry.backoff) ?? 0) * (2 ** (retry.attempts - 1) - 1);
