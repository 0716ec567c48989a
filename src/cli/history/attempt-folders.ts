import { readdirSync } from 'node:fs';
import { attemptDir } from '../../adapters/kept/attempt-folder.js';
import type { TaskState } from '../../model/state/run-state.js';
import type { CliContext } from '../context.js';
import type { OpenedReading } from './open-run.js';

/** Where the attempts of a task are: in the run that made them. */
export interface MadeAttempts {
  readonly dir: string;
  readonly attempts: number;
}

/** Undefined for a task that was never tried. A cached task wrote its log in the run that did the work. */
export function madeAttempts(
  task: TaskState,
  { dir, store }: Pick<OpenedReading, 'dir' | 'store'>,
  context: Pick<CliContext, 'value'>,
): MadeAttempts | undefined {
  if (task.attempts > 0) return { dir, attempts: task.attempts };
  if (task.status !== 'cached' || context.value('run') !== undefined) return undefined;
  for (const id of store.ids()) {
    const attempts = store.read(id)?.state?.tasks.get(task.id)?.attempts ?? 0;
    if (attempts > 0) return { dir: store.runDir(id), attempts };
  }
  return undefined;
}

/** What mended, or tried to, after an attempt: each has a folder in that of the attempt. */
export interface FixFolder {
  readonly attempt: number;
  readonly name: string;
}

/** Of all attempts, the first one first. */
export function fixFolders(task: string, { dir, attempts }: MadeAttempts): FixFolder[] {
  return Array.from({ length: attempts }, (_, index) => index + 1).flatMap((attempt) =>
    foldersIn(attemptDir(dir, task, attempt)).map((name) => ({ attempt, name })),
  );
}

function foldersIn(folder: string): string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true });
    return inside
      .flatMap((entry) => (entry.isDirectory() && isFix.test(entry.name) ? [entry.name] : []))
      .sort(byNumber);
  } catch {
    // An attempt whose folder is gone has none.
    return [];
  }
}

/** `fix` of a command, `fixer-1` and `planner-2` of agents. A task may leave folders of its own. */
const isFix = /^(?:fix|[a-z]+-[1-9]\d*)$/;

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
