import { formatDuration } from '../../model/duration.js';
import { median } from '../../model/median.js';
import type { Plan, TaskId } from '../../model/plan.js';

/** A task at work, as far as its end can be guessed. */
export interface AtWork {
  readonly id: TaskId;
  readonly since: number;
  /** It pauses until then, and begins anew. */
  readonly retry?: { readonly dueAt: number };
}

export interface Left {
  readonly ms: number;
  /** Of some stage nobody knows how long it takes, so it is at least this long. */
  readonly isLeast: boolean;
}

/**
 * How long the rest of a run will take: the median of finished tasks of each stage, in this run or else in earlier ones, for
 * every task that is still to come. A guess; nothing depends on it. Costs the same for each event, and a look at each stage
 * once a second.
 */
export class TimeLeft {
  readonly #jobs: number;
  readonly #earlierMs: (stage: string) => number | undefined;
  #plan: Plan;
  #stageOf: ReadonlyMap<TaskId, string>;
  /** The newest times of each stage in this run. */
  readonly #took = new Map<string, number[]>();
  readonly #known = new Map<string, number | undefined>();
  readonly #open = new Map<string, number>();
  readonly #closed = new Set<TaskId>();
  #before: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #last: { readonly at: number; readonly left: Left | undefined } | undefined;

  constructor(plan: Plan, jobs: number, earlierMs: (stage: string) => number | undefined = () => undefined) {
    this.#jobs = jobs;
    this.#earlierMs = earlierMs;
    this.#plan = plan;
    this.#stageOf = stagesOf(plan);
    this.#count();
  }

  extend(plan: Plan): void {
    this.#plan = plan;
    this.#stageOf = stagesOf(plan);
    this.#before = undefined;
    this.#count();
  }

  /** It needs no more time; `tookMs` when it did something. */
  close(id: TaskId, tookMs?: number): void {
    const stage = this.#stageOf.get(id);
    if (stage === undefined) return;
    if (!this.#closed.has(id)) this.#open.set(stage, this.#open.get(stage)! - 1);
    this.#closed.add(id);
    if (tookMs === undefined) return;
    const took = this.#took.get(stage) ?? [];
    this.#took.set(stage, took);
    took.push(tookMs);
    if (took.length > mostTimes) took.shift();
    this.#known.delete(stage);
  }

  reopen(id: TaskId): void {
    const stage = this.#stageOf.get(id);
    if (stage !== undefined && this.#closed.delete(id)) this.#open.set(stage, this.#open.get(stage)! + 1);
  }

  /** How long a task of the same stage as this one takes; undefined when nobody knows. */
  typicalMs(id: TaskId): number | undefined {
    const stage = this.#stageOf.get(id);
    return stage === undefined ? undefined : this.#ofStage(stage);
  }

  /** Undefined when nothing is known, or so little is left that the guess is worth nothing. */
  left(running: Iterable<AtWork>, now: number): Left | undefined {
    if (!this.#last || now - this.#last.at >= 1000) this.#last = { at: now, left: this.#guess(running, now) };
    return this.#last.left;
  }

  #guess(running: Iterable<AtWork>, now: number): Left | undefined {
    const begun = this.#begun(running, now);
    let work = 0;
    let last = 0;
    let isLeast = false;
    /** When the last task of a stage can be done at the earliest. */
    const ends = new Map<string, number>();
    for (const [stage, open] of this.#open) {
      if (open === 0) continue;
      const typical = this.#ofStage(stage);
      const { count, sum, most } = begun.get(stage) ?? { count: 0, sum: 0, most: 0 };
      const each = open > count ? (typical ?? 0) : 0;
      if (typical === undefined) isLeast = true;
      work += (open - count) * each + sum;
      let end = 0;
      for (const need of this.#needs().get(stage) ?? []) end = Math.max(end, ends.get(need) ?? 0);
      end += Math.max(each, most);
      ends.set(stage, end);
      last = Math.max(last, end);
    }
    const ms = Math.max(work / this.#jobs, last);
    return ms < leastMs ? undefined : { ms, isLeast };
  }

  /** By stage, how much is left of the tasks that have begun. */
  #begun(running: Iterable<AtWork>, now: number): ReadonlyMap<string, { count: number; sum: number; most: number }> {
    const begun = new Map<string, { count: number; sum: number; most: number }>();
    for (const { id, since, retry } of running) {
      const stage = this.#stageOf.get(id);
      if (stage === undefined) continue;
      const typical = this.#ofStage(stage) ?? 0;
      const rest = retry ? Math.max(0, retry.dueAt - now) + typical : Math.max(0, typical - (now - since));
      const { count, sum, most } = begun.get(stage) ?? { count: 0, sum: 0, most: 0 };
      begun.set(stage, { count: count + 1, sum: sum + rest, most: Math.max(most, rest) });
    }
    return begun;
  }

  #ofStage(stage: string): number | undefined {
    if (!this.#known.has(stage)) this.#known.set(stage, median(this.#took.get(stage) ?? []) ?? this.#earlierMs(stage));
    return this.#known.get(stage);
  }

  #count(): void {
    this.#open.clear();
    // In the order of the plan, so that what a stage needs has been looked at before it.
    for (const id of this.#plan.waves.flat()) {
      const stage = this.#stageOf.get(id)!;
      this.#open.set(stage, (this.#open.get(stage) ?? 0) + (this.#closed.has(id) ? 0 : 1));
    }
  }

  #needs(): ReadonlyMap<string, ReadonlySet<string>> {
    if (!this.#before) {
      const before = new Map<string, Set<string>>();
      for (const { stage, needs } of this.#plan.tasks) {
        const known = before.get(stage) ?? new Set();
        before.set(stage, known);
        for (const need of needs) if (this.#stageOf.get(need) !== stage) known.add(this.#stageOf.get(need)!);
      }
      this.#before = before;
    }
    return this.#before;
  }
}

const mostTimes = 101;
const leastMs = 1000;

const stagesOf = ({ tasks }: Plan): ReadonlyMap<TaskId, string> => new Map(tasks.map(({ id, stage }) => [id, stage]));

/** `about 3 m left`: no more exact than a guess can be. */
export const leftText = ({ ms, isLeast }: Left): string => `${isLeast ? 'at least' : 'about'} ${roughly(ms)} left`;

export function roughly(ms: number): string {
  const step = ms < 20_000 ? 1000 : ms < 60_000 ? 5000 : ms < 600_000 ? 10_000 : ms < 3_600_000 ? 60_000 : 300_000;
  return formatDuration(Math.max(1, Math.round(ms / step)) * step).replace('.0 s', ' s');
}
