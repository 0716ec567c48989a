import { posix } from 'node:path';
import { isOutside } from '../../model/files/outside-file.js';
import { changedNs, isBefore, sameStamp, secondOfNs } from '../../model/fingerprint.js';
import type { Plan, Task, TaskId } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { FileFacts } from '../../model/stage.js';
import { outputsNow } from '../../model/state/outputs-now.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';

type Known = Pick<RunState, 'startedAt' | 'beganNs' | 'tasks'> & {
  /** The standing result of a task that nobody asked for this time. */
  readonly past?: (id: TaskId) => TaskState | undefined;
};

/** Whose question it is. */
export interface Asker {
  readonly task: Task;
  readonly plan: Plan;
}

/** What is known of a file: how large it is, and whether it can be from this run. */
export function fileFacts(path: string, files: Files, state: Known, asker?: Asker): FileFacts | undefined {
  const stamp = files.stamp(path);
  if (!stamp) return undefined;
  const origin = files.origin?.(path);
  // Writing into it would not make it younger either: whoever writes it in this run has it among the outputs.
  const times = [changedNs(stamp), ...(origin?.bornNs === undefined ? [] : [origin.bornNs])];
  const madeBy = makerOf(path, files, state);
  return {
    sizeBytes: stamp.size,
    ...(madeBy === undefined ? {} : { madeBy }),
    ...(madeBy === undefined && asker && isOutside(posix.normalize(path), asker.task, asker.plan)
      ? { isOutside: true as const }
      : {}),
    ...(origin ? { id: origin.id } : {}),
    isOlder: madeBy === undefined && times.some((time) => isBefore(time, runBeganNs(state))),
  };
}

/** Journals of earlier versions do not tell what the disk's clock said. */
export const runBeganNs = ({ beganNs, startedAt }: Pick<RunState, 'startedAt' | 'beganNs'>): bigint =>
  beganNs === undefined ? secondOfNs(startedAt) : BigInt(beganNs);

/** The task whose result it is, in this run or carried along from an earlier one, while it is as that task left it. */
export function makerOf(
  path: string,
  files: Files,
  { tasks, past }: Pick<Known, 'tasks' | 'past'>,
): string | undefined {
  const stamp = files.stamp(path);
  if (!stamp) return undefined;
  for (const task of tasks.values()) {
    const { id, status, reasons } = task;
    const isStanding = status === 'passed' || status === 'cached';
    const isLeftAlone = status === 'skipped' && reasons.some(({ code }) => code === 'not-selected');
    const made = isStanding ? task : isLeftAlone ? past?.(id) : undefined;
    const output = made && outputsNow(made).find((one) => one.path === posix.normalize(path) && !one.older);
    if (output && (sameStamp(stamp, output) || files.digest(path) === output.digest)) return id;
  }
  return undefined;
}
