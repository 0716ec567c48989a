import type { PlanExtended } from '../model/events/event.js';
import type { Failure } from '../model/failure.js';
import type { Plan, Task, TaskId } from '../model/plan.js';
import type { Result } from '../model/result.js';

export interface GrowthInput {
  /** Plans again, with the task files that are there now; that of this stage has to be right. Answers with what is wrong with them, in words. */
  replan?(stage: string): Promise<Result<Plan, readonly string[]>>;
}

/** What task files make of a plan while it is carried out. */
export class PlanGrowth {
  readonly #input: GrowthInput;
  /** By the task that read the file, until it is done. */
  readonly #planned = new Map<TaskId, Plan>();

  constructor(input: GrowthInput) {
    this.#input = input;
  }

  /** A task has read its file. Undefined: it can be planned. */
  async read({ id, stage }: Task): Promise<Failure | undefined> {
    const next = await this.#input.replan?.(stage);
    if (!next) return undefined;
    if (!next.ok) return { code: 'plan-invalid', problems: next.error };
    this.#planned.set(id, next.value);
    return undefined;
  }

  /** What comes of it; undefined when nothing does. */
  by(
    { id }: Task,
    known: ReadonlyMap<TaskId, Task>,
    digest: string,
  ): { readonly plan: Plan; readonly event: PlanExtended } | undefined {
    const plan = this.#planned.get(id);
    this.#planned.delete(id);
    if (!plan || plan.digest === digest) return undefined;
    const ids = new Set(plan.tasks.map((task) => task.id));
    const added = [...ids].filter((one) => !known.has(one));
    const dropped = [...known.keys()].filter((one) => !ids.has(one));
    const { digest: planDigest, tasks } = plan;
    const gone = dropped.length > 0 ? { dropped } : {};
    return { plan, event: { type: 'plan-extended', task: id, planDigest, tasks: tasks.length, added, ...gone } };
  }
}
