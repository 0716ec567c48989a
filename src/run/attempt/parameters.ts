import { downstreamOf } from '../../graph/reach.js';
import type { JournalEntry, RecordedEvent } from '../../model/events/event.js';
import { canonicalJson } from '../../model/json.js';
import { groupOf, type ParameterSet, parameterWords, sameParameters } from '../../model/parameters.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { PastResult } from '../freshness/freshness.js';
import type { Redo } from '../redo.js';

export interface ParameterTools {
  plan(): Plan;
  state(): RunState;
  past(id: TaskId): PastResult | undefined;
  record(events: readonly RecordedEvent[]): void;
  readonly redo: Pick<Redo, 'want'>;
}

/**
 * Keeps the jobs of a comparison alike: a variable that was changed to mend one of them holds for all of them, also for
 * those that had passed before. They are done again, in this run or, where it ended before, in the next one.
 */
export class Parameters {
  readonly #tools: ParameterTools;

  constructor(tools: ParameterTools) {
    this.#tools = tools;
  }

  /** Results that are taken over were made with what earlier runs had changed. */
  begin(): void {
    const { plan, past, state, record } = this.#tools;
    const found = new Map<string, ParameterSet>();
    for (const task of plan().tasks.filter(isAlike)) {
      const before = past(task.id);
      const set = before?.state.set;
      if (!set || (before.task && canonicalJson(before.task.options) !== canonicalJson(task.options))) continue;
      found.set(keyOf(task), { ...found.get(keyOf(task)), ...set });
    }
    for (const [group, set] of found)
      if (!state().parameters.has(group)) record([{ type: 'parameters-changed', group, set, to: [], downstream: [] }]);
  }

  held(task: Task): ParameterSet {
    return this.#tools.state().parameters.get(keyOf(task)) ?? none;
  }

  ofCheck(check: string): ParameterSet {
    return this.#tools.state().parameters.get(groupOf('', check)) ?? none;
  }

  /** What the first job of an attempt has; one that was interrupted begins as it had begun. */
  first(task: Task): ParameterSet {
    const jobs = [...this.#tools.state().jobs.values()].filter((job) => job.task === task.id && !job.spent);
    const first = jobs.sort((a, b) => a.attempt - b.attempt || a.job - b.job)[0];
    return first ? (first.set ?? none) : this.held(task);
  }

  change(task: Task, change: ParameterSet, diagnosis?: string): void {
    const set = { ...this.held(task), ...change };
    if (!sameParameters(set, this.held(task))) this.#tell(task, set, diagnosis);
  }

  heard(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      if (entry.type === 'parameters-changed' && entry.to.length > 0)
        this.#tools.redo.want([...entry.to, ...entry.downstream]);
      if (entry.type === 'task-finished') this.#finished(entry.task);
    }
  }

  /** It passed, but something was changed in another arm after its last look. */
  #finished(id: TaskId): void {
    const { plan, state } = this.#tools;
    if (state().parameters.size === 0) return;
    const task = plan().tasks.find((each) => each.id === id);
    if (task && isAlike(task) && !sameParameters(state().tasks.get(id)?.set ?? none, this.held(task)))
      this.#tell(task, this.held(task));
  }

  /** Why a result that still stands has to be made again. */
  unlike(id: TaskId): string | undefined {
    const { plan, past, state } = this.#tools;
    if (state().parameters.size === 0) return undefined;
    const task = plan().tasks.find((each) => each.id === id);
    const before = past(id)?.state;
    if (!task || !isAlike(task) || !stands(before)) return undefined;
    return sameParameters(before?.set ?? none, this.held(task))
      ? undefined
      : `${parameterWords(this.held(task))} holds for every arm now`;
  }

  #tell(by: Task, set: ParameterSet, diagnosis?: string): void {
    const { plan, state, record } = this.#tools;
    const group = keyOf(by);
    const { tasks, sentBack } = state();
    const to = plan()
      .tasks.filter((task) => isAlike(task) && keyOf(task) === group)
      .map(({ id }) => id)
      .filter((id) => stands(tasks.get(id)) && !sentBack.has(id) && !sameParameters(tasks.get(id)?.set ?? none, set));
    const downstream = [...downstreamOf(to, plan().tasks)];
    const why = diagnosis === undefined ? {} : { diagnosis };
    record([{ type: 'parameters-changed', task: by.id, group, set, ...why, to, downstream }]);
  }
}

const none: ParameterSet = {};

const keyOf = ({ stage, description }: Task): string => groupOf(stage, description.parity);

const isAlike = ({ description }: Task): boolean => description.jobs === true;

const stands = (state: TaskState | undefined): boolean => state?.status === 'passed' || state?.status === 'cached';
