import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Agent, Budget } from '../../model/generated/config.js';
import type { Json } from '../../model/json.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Behaviour } from '../../model/stage.js';
import { type RunState, sessionKey, type TaskState } from '../../model/state/run-state.js';
import { AskDesk, type AskDeskTools } from '../agents/ask-desk.js';
import { Turns } from '../agents/turns.js';
import { detachWhenIdle } from '../detach.js';
import { Mender } from '../errors/mender.js';
import type { DeciderInput } from '../freshness/decider.js';
import { measuredBy } from '../freshness/measured-by.js';
import type { StandingResults } from '../freshness/standing-results.js';
import { feedbackOf } from '../gate-door.js';
import type { WordsEnd } from '../gates/words-desk.js';
import type { JobDesk } from '../jobs/job-desk.js';
import type { JobPorts } from '../jobs/job-errand.js';
import type { GrowthInput } from '../plan-growth.js';
import type { Claims } from '../protect/claims.js';
import { Suspects } from '../protect/suspects.js';
import type { PlannerTurn } from '../replan/planner.js';
import type { Slots } from '../slots.js';
import type { StopSwitch } from '../stop-switch.js';
import type { AmendedBy } from './amend.js';
import type { AttemptResult } from './attempt.js';
import type { AttemptPorts, Try } from './attempt-ports.js';
import type { Leftovers } from './outputs.js';
import type { Parameters } from './parameters.js';
import { Places } from './places.js';
import { tryTask } from './try-task.js';

/** What the work on tasks is made of, whichever task it is. */
export interface WorkInput extends GrowthInput {
  readonly plan: Plan;
  readonly run: string;
  /** Whose state and branches these are; `default` unless stated. */
  readonly agentId?: string;
  readonly vars: { readonly [name: string]: Json };
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  readonly decider: DeciderInput;
  readonly ports: AttemptPorts;
  readonly stop: StopSwitch;
  readonly agents: { readonly [name: string]: Agent };
  readonly escalate: readonly string[];
  readonly onViolation?: 'fail' | 'retry';
  readonly reach: AskDeskTools['reach'];
  /** What it takes to reach clusters; absent where no task runs on one. */
  reachJobs?(): Promise<JobPorts>;
  readonly budget?: Budget;
  /** The runner goes as soon as it waits for nothing but jobs. */
  readonly detach?: boolean;
}

export interface LoopDoor {
  readonly claims: Claims;
  state(): RunState;
  record(events: readonly RecordedEvent[]): void;
  readonly slots: Slots;
  readonly parameters: Parameters;
  readonly results: StandingResults;
  /** As it is now: task files make it grow. */
  plan(): Plan;
  /** Asks a person for new words about a task whose tries are spent; without a reason it goes on waiting. */
  askWords: TaskTools['askWords'];
  /** A task file has been read. */
  listed(task: Task): Promise<Failure | undefined>;
}

/** What trying one task over and over takes. */
export interface TaskTools {
  readonly run: string;
  readonly ports: AttemptPorts;
  readonly stop: StopSwitch;
  readonly mender: Mender;
  readonly desk: AskDesk;
  /** Who is asked, in this order, when the tries are spent. */
  readonly escalate: readonly string[];
  readonly agents: { readonly [name: string]: Agent };
  readonly onViolation?: 'fail' | 'retry';
  tryOnce(task: Task, one: Try): Promise<AttemptResult>;
  askWords(task: Task, because?: string): Promise<WordsEnd>;
  /** Who may change the task file that a task stands in; undefined for any other task. */
  plannerTurn(task: Task, attempt: number, by: string): Promise<PlannerTurn | undefined>;
  /** Whether what a task builds on is what was made, and what its gates were passed with. */
  stands(task: Task): boolean;
  /** Writes down what somebody has changed of what others made; answers with what has to be done again because of that. */
  amend(task: Task, who: AmendedBy): Promise<readonly TaskId[] | undefined>;
  /** Gives up the worktree of a task. */
  close?(task: Task): Promise<void>;
  stateOf(task: Pick<Task, 'id'>): TaskState | undefined;
  record(events: readonly RecordedEvent[]): void;
  /** Waits without keeping others from working. */
  rest<T>(wait: Promise<T>): Promise<T>;
}

/** Puts together what it takes to try tasks: where they work, whom they ask, who mends. */
export function taskTools(
  input: WorkInput,
  { claims, state, record, slots, parameters, results, listed, askWords, plan: current }: LoopDoor,
): TaskTools {
  const { plan, run, ports, stop, escalate, agents, onViolation, decider } = input;
  const stateOf = ({ id }: Pick<Task, 'id'>) => state().tasks.get(id);
  const places = new Places({
    project: ports,
    ...(ports.isolation ? { isolation: ports.isolation } : {}),
    recordOf: (task) => stateOf(task)?.tree,
    committedOf: (task) => stateOf(task)?.committed,
    record,
  });
  const sessions: AskDeskTools['sessions'] = {
    sessionOf: (agent, task) => state().sessions.get(sessionKey(agent, task)),
    lostOf: (agent, task) => state().memory?.lost.get(sessionKey(agent, task)),
    callsOf: (session) => state().memory?.calls.get(session) ?? [],
  };
  const desk = new AskDesk({ ...input, claims, places, record, sessions });
  const left = new Map<string, Leftovers>();
  const leftoversOf = (task: Task, { attempt, failedOf }: Try): { leftovers?: Leftovers } => {
    if (decider.past(task.id)?.state.product) return {};
    // Whoever goes on after a kill knows only of attempts that wrote nothing that what lies there is not theirs.
    const isKnown = attempt === 1 || left.has(task.id) || failedOf === 'output-not-written';
    const leftovers = left.get(task.id) ?? {};
    if (isKnown) left.set(task.id, leftovers);
    return isKnown ? { leftovers } : {};
  };
  const rest = <T>(wait: Promise<T>): Promise<T> => slots.rest(wait);
  const watching = input.detach ? detachWhenIdle(slots, stop) : () => {};
  let opened: Promise<JobDesk> | undefined;
  const openJobDesk = async (): Promise<JobDesk> => {
    const [{ JobDesk: Desk }, { chainedTo }] = await Promise.all([
      import('../jobs/job-desk.js'),
      import('../jobs/job-chain.js'),
    ]);
    const { files, passedTo } = ports;
    const chain = {
      ...{ run, root: ports.workspace.root, files, behaviours: input.behaviours, plan: current, state },
      isChosen: (task: Task) => decider.selected.isChosen(task) && !decider.selected.isForced(task),
      hasResult: (id: string) => decider.past(id)?.state.product !== undefined,
      passedTo: (task: Task) => passedTo(task),
      parametersOf: (task: Task) => parameters.held(task),
    };
    const { clock, workspace } = ports;
    const budget = input.budget ? { budget: input.budget } : {};
    return new Desk({
      run,
      root: workspace.root,
      clock,
      reach: input.reachJobs!,
      state,
      record,
      rest,
      watching,
      chained: (task) => chainedTo(task, chain),
      ...budget,
    });
  };
  const jobDesk = (): Promise<JobDesk> => {
    opened ??= openJobDesk();
    return opened;
  };
  const planners = new Turns();
  const trying = {
    ...(input.reachJobs ? { jobDesk } : {}),
    ...{
      ...input,
      desk,
      places,
      claims,
      record,
      parameters,
      listed,
      name: plan.name,
      turns: new Turns(),
      suspects: new Suspects(),
    },
    state,
    past: (id: string) => decider.past(id)?.state,
    mustBeNew: () => measuredBy(current()),
    plan: current,
    committedOf: (task: Task) => stateOf(task)?.committed,
  };
  return {
    run,
    ports,
    stop,
    escalate,
    record,
    agents,
    ...(onViolation ? { onViolation } : {}),
    mender: new Mender({ run, ports, places, stop, desk, record }),
    desk,
    async tryOnce(task, one) {
      const back = feedbackOf(state().sentBack.get(task.id), stateOf(task)?.words);
      const result = await tryTask(task, { ...one, ...back, ...leftoversOf(task, one) }, trying);
      if (result.ok) left.delete(task.id);
      if (!result.ok && result.failure.code !== 'cancelled' && task.on) await (await jobDesk()).letDown(task.id);
      return result;
    },
    askWords,
    async plannerTurn(task, attempt, by) {
      if (!task.part || !input.replan) return undefined;
      const { plannerTurn } = await import('../replan/planner.js');
      const { past } = decider;
      return plannerTurn(task, attempt, by, { ...trying, replan: input.replan, turns: planners, plan: current, past });
    },
    stands: (task) => results.changedBefore(task).length === 0,
    async amend(task, who) {
      const { amendedBy } = await import('./amend.js');
      const event = await amendedBy(task, who, { ...decider, state, plan: current });
      if (event) record([event]);
      return event?.again;
    },
    close: (task) => places.close(task),
    rest,
    stateOf,
  };
}
