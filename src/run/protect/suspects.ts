import type { Failure } from '../../model/failure.js';
import type { Task } from '../../model/plan.js';

/** One attempt, from its beginning until what it may not change has been looked at. */
export interface Shift {
  /** With what was found after it; answers with what it fails of, which may be what was found after somebody else. */
  end(found: Failure | undefined): Failure | undefined;
}

interface OpenShift {
  readonly task: Task;
  suspicion?: Failure;
}

/**
 * Who was at work when something was violated. The first look finds it and puts it back, whoever did it; the look after the one
 * who did would find nothing any more. So nobody is accepted who might have been it.
 */
export class Suspects {
  readonly #open = new Set<OpenShift>();

  begin(task: Task): Shift {
    const own: OpenShift = { task };
    this.#open.add(own);
    return {
      end: (found) => {
        this.#open.delete(own);
        if (!found) return own.suspicion;
        const others = [...this.#open].filter((other) => mayHave(other.task, found, task));
        for (const other of others) {
          const at = [task.id, ...others.flatMap((one) => (one === other ? [] : [one.task.id]))];
          other.suspicion ??= blame(found, other.task, at);
        }
        return others.length === 0
          ? found
          : blame(
              found,
              task,
              others.map((one) => one.task.id),
            );
      },
    };
  }
}

type Violation = Extract<Failure, { code: 'scope-violated' | 'protect-violated' }>;

/** What an attempt itself may have ended with. */
export const violationOf = (failure: Failure): Violation | undefined =>
  failure.code === 'scope-violated' || failure.code === 'protect-violated' ? failure : undefined;

/** What was found in a worktree was done there. A scope binds agents, and those in worktrees have others. */
function mayHave(other: Task, found: Failure, finder: Task): boolean {
  if (finder.isolation) return false;
  if (found.code === 'protect-violated') return true;
  return found.code === 'scope-violated' && other.agent !== undefined && !other.isolation;
}

function blame(found: Failure, { agent }: Task, beside: readonly string[]): Failure {
  if (found.code === 'scope-violated') return { ...found, agent: agent?.name ?? found.agent, beside };
  if (found.code !== 'protect-violated') return found;
  const { agent: _finder, ...rest } = found;
  return { ...rest, ...(agent ? { agent: agent.name } : {}), beside };
}
