import { escalationAgents, fullPauseMs, mostCorrections, totalTries } from '../../model/errors/retry-limits.js';
import type { Agent, Config, JudgeGate } from '../../model/generated/config.js';
import type { Task, TaskId, WorstCase } from '../../model/plan.js';
import { runsOf } from './revise-rounds.js';

/** The most that a plan can cost when every limit is used up. Waiting for a quota costs no attempt and is not in it. */
export function worstCase(config: Config, tasks: readonly Task[]): WorstCase {
  const live = tasks.filter((task) => task.skip === undefined);
  const runs = runsOf(live);
  const calls = live.flatMap((task) => agentCalls(config, task, runs(task.id)));
  const agentCallsInAll = calls.reduce((sum, call) => sum + call.times, 0);
  const isPending = live.some(({ part }) => part?.kind === 'list' && part.tasks === undefined);
  const known = calls.reduce<number | null>(
    (sum, { agent, times }) =>
      sum === null || agent?.limits?.usd === undefined ? null : sum + agent.limits.usd * times,
    0,
  );
  // Nobody knows how many tasks a file will have that is not there yet.
  const usd = isPending ? null : known;
  return {
    attempts: live.reduce((sum, task) => sum + mostTries(config, task) * runs(task.id), 0),
    agentCalls: agentCallsInAll,
    usd,
    timeMs: isPending ? null : timeOf(config, live, runs),
    ...stoppedAt(config, { usd, calls: agentCallsInAll }),
    ...(isPending ? { pending: true } : {}),
  };
}

/** An agent that is asked when the tries are spent can earn the task one more; a person's words begin them anew. */
const mostTries = ({ escalate = [] }: Config, { retry }: Task): number =>
  totalTries(retry) * (escalate.includes('instructions') ? 2 : 1) + escalationAgents(escalate).length;

interface Calls {
  readonly agent: Agent | undefined;
  readonly times: number;
}

function agentCalls(config: Config, task: Task, rounds: number): Calls[] {
  const stage = config.stages[task.stage]!;
  const calls: Calls[] = [];
  // Each question can take several calls: a reply that does not fit is asked for again.
  const ask = (name: string, questions: number): void => {
    if (questions > 0) calls.push({ agent: config.agents?.[name], times: questions * (1 + mostCorrections) });
  };
  const tries = mostTries(config, task) * rounds;
  const { asks, fixes = 0 } = task.description;
  if (task.agent !== undefined) ask(task.agent.name, tries * (asks?.questions ?? 1));
  if (typeof task.retry.fix === 'string') ask(task.retry.fix, (totalTries(task.retry) - 1) * rounds + tries * fixes);
  if (typeof stage.gate === 'object' && stage.gate.kind === 'auto-judge')
    ask(stage.gate.agent, (stage.gate.votes ?? 1) * rounds + samplesOf(stage.gate));
  for (const name of escalationAgents(config.escalate)) ask(name, rounds);
  return calls;
}

const samplesOf = ({ calibrate }: JudgeGate): number => (calibrate ? calibrate.good.length + calibrate.bad.length : 0);

/** The ceilings that are reached before the worst case is. */
function stoppedAt(
  { budget }: Config,
  { usd, calls }: { readonly usd: number | null; readonly calls: number },
): Pick<WorstCase, 'stoppedAt'> {
  const money = budget?.usdPerRun;
  const count = budget?.callsPerRun;
  const at = {
    ...(money !== undefined && (usd === null || money < usd) ? { usd: money } : {}),
    ...(count !== undefined && count < calls ? { calls: count } : {}),
  };
  return Object.keys(at).length === 0 ? {} : { stoppedAt: at };
}

/** All attempts one after another: true whatever `--jobs` is. Null when one of the tasks has no limit. */
function timeOf(config: Config, tasks: readonly Task[], runs: (id: TaskId) => number): number | null {
  let sum = 0;
  for (const task of tasks) {
    if (task.timeoutMs === undefined) return null;
    sum += (task.timeoutMs * mostTries(config, task) + pausesMs(task)) * runs(task.id);
  }
  return sum;
}

/** The longest pauses there can be: one class of errors after another, each to its last try. */
function pausesMs({ retry }: Task): number {
  const perClass = retry.attempts - 1;
  let sum = 0;
  for (let index = 0; index < totalTries(retry) - 1; index += 1) sum += fullPauseMs(retry, (index % perClass) + 1);
  return sum;
}
