import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphans, findOrphans, type OrphanTraces } from '../../adapters/command/orphans.js';
import { readTraces } from '../../adapters/command/process-trace.js';
import { attemptDir } from '../../adapters/kept/attempt-folder.js';
import type { RunState } from '../../model/state/run-state.js';

/**
 * Ends what the earlier processes of a run left running, so that nothing is done twice at once. Answers with how many
 * processes it were: none, unless the runner and its helper were both killed.
 */
export const endLeftBehind = (runDir: string, state: RunState): Promise<number> => endOrphans(tracesOf(runDir, state));

/** Their process ids, while they are left alone. */
export const findLeftBehind = (runDir: string, state: RunState): readonly number[] =>
  findOrphans(tracesOf(runDir, state));

function tracesOf(runDir: string, { tasks, runners }: RunState): OrphanTraces {
  const unended = [...tasks.values()].filter(({ status, attempts }) => unendedStatus.has(status) && attempts > 0);
  const folders = unended.map(({ id, attempts }) => attemptDir(runDir, id, attempts));
  return {
    runners: new Set(runners),
    processes: readTraces(folders.flatMap(withFolders)),
    logs: join(realpathSync(runDir), 'tasks'),
  };
}

const unendedStatus: ReadonlySet<string> = new Set(['running', 'retrying', 'cancelled', 'failed']);

/** What mends a task between two attempts has a folder in that of the attempt. */
function withFolders(folder: string): readonly string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [folder, ...inside.map(({ name }) => join(folder, name))];
  } catch {
    return [folder];
  }
}
