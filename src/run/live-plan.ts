import { Readiness } from '../graph/readiness.js';
import type { RecordedEvent } from '../model/events/event.js';
import type { Plan, Task, TaskId } from '../model/plan.js';
import { type GrowthInput, PlanGrowth } from './plan-growth.js';

export interface LivePlanInput extends GrowthInput {
  readonly plan: Plan;
  /** The plan from here on. */
  extended?(plan: Plan): void;
  readonly reporter: { planExtended(plan: Plan): void };
}

/** The plan as it is now, and which of its tasks may start: task files make it grow while it is carried out. */
export class LivePlan {
  readonly #input: LivePlanInput;
  readonly growth: PlanGrowth;
  #now: Plan;
  #tasks: ReadonlyMap<TaskId, Task>;
  #readiness: Readiness;

  constructor(input: LivePlanInput) {
    this.#input = input;
    this.growth = new PlanGrowth(input);
    this.#now = input.plan;
    this.#tasks = new Map(input.plan.tasks.map((task) => [task.id, task]));
    this.#readiness = new Readiness(input.plan.tasks);
  }

  get now(): Plan {
    return this.#now;
  }

  get readiness(): Readiness {
    return this.#readiness;
  }

  task(id: TaskId): Task | undefined {
    return this.#tasks.get(id);
  }

  /** The tasks of a file become tasks of the run, before anything that needs them may start. Answers with what to write down. */
  extend(by: Task, digest: string): readonly RecordedEvent[] {
    const grown = this.growth.by(by, this.#tasks, digest);
    if (!grown) return [];
    const { plan, event } = grown;
    this.#now = plan;
    this.#tasks = new Map(plan.tasks.map((task) => [task.id, task]));
    this.#readiness = this.#readiness.extended(plan.tasks);
    this.#input.extended?.(plan);
    this.#input.reporter.planExtended(plan);
    return [event];
  }
}
