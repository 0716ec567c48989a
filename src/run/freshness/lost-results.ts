import type { RecordedEvent, TaskSkipped } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { TaskEnd } from '../attempt/task-end.js';
import type { RunEnds } from '../run-ends.js';
import type { ChangedResult, StandingResults } from './standing-results.js';

interface LostTools {
  readonly ports: Pick<AttemptPorts, 'failureWords' | 'logError'>;
  readonly ends: RunEnds;
  state(): RunState;
  record(events: readonly RecordedEvent[]): void;
}

/** Nothing goes on from a result that is not what it was. It is kept, and looked at again when the run goes on. */
export class LostResults {
  readonly #results: StandingResults;
  readonly #tools: LostTools;

  constructor(results: StandingResults, tools: LostTools) {
    this.#results = results;
    this.#tools = tools;
  }

  /** The tasks whose results keep this one from being tried. Undefined: everything is as it was, which is found out at once. */
  before(task: Task, files: Files): Promise<readonly TaskId[]> | undefined {
    const changed = this.#results.changedBefore(task, files);
    return changed.length === 0 ? undefined : this.#before(task, changed);
  }

  async #before(task: Task, changed: readonly ChangedResult[]): Promise<readonly TaskId[]> {
    const lost = await this.#results.unexplained(task, changed);
    this.#lose(lost);
    const because = lost.map(({ maker }) => maker);
    if (because.length > 0) this.#tools.ends.keep(task.id, because);
    return because;
  }

  /** Before the run is called passed. */
  atEnd(): void {
    this.#lose(this.#results.allChanged());
  }

  /** Who has to look at a name that cannot be read fails of that, and nothing else does. False for any other error. */
  cannotBeRead({ id }: Task, error: unknown): boolean {
    const failure = error instanceof FailureError ? error.failure : undefined;
    if (failure?.code !== 'name-unreadable') return false;
    const { ports, ends, state, record } = this.#tools;
    const known = state().tasks.get(id);
    const isBegun = known?.status === 'running';
    const attempt = (known?.attempts ?? 0) + (isBegun ? 0 : 1);
    const about = { task: id, attempt, errorClass: failure.code };
    record([
      ...(isBegun ? [] : [{ type: 'task-started', task: id, attempt, reasons: [] } as const]),
      { type: 'task-failed', ...about, durationMs: 0, failure, retrying: false, counted: true },
    ]);
    ports.logError({ ...about, what: ports.failureWords(failure), lines: [], next: 'nothing', dir: '' });
    ends.block(id, 'failed');
    return true;
  }

  unlessUnreadable(task: Task, error: unknown): TaskEnd {
    if (this.cannotBeRead(task, error)) return { how: 'failed' };
    throw error;
  }

  #lose(lost: readonly ChangedResult[]): void {
    const { ports, ends, state, record } = this.#tools;
    for (const { maker, failure } of lost) {
      const { attempts: attempt } = state().tasks.get(maker)!;
      const about = { task: maker, attempt, errorClass: failure.code };
      record([{ type: 'task-failed', ...about, durationMs: 0, failure, retrying: false, counted: false }]);
      const next = 'nothing goes on from it; the next exec looks at it again';
      ports.logError({ ...about, what: ports.failureWords(failure), lines: [], next, dir: '' });
      ends.block(maker, 'failed');
    }
  }
}

export const keptFrom = ({ id }: Task, because: readonly TaskId[]): TaskSkipped => ({
  type: 'task-skipped',
  task: id,
  cause: 'upstream-failed',
  reasons: [{ code: 'upstream-skipped', detail: `${because.join(', ')} did not pass` }],
  because,
});
