import { relative } from 'node:path';
import { tailLines } from '../../adapters/command/last-line.js';
import { attemptDir, attemptLogs } from '../../adapters/kept/attempt-folder.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import type { TaskState } from '../../model/state/run-state.js';
import { tellsNothing } from '../../report/live/failed-task-text.js';
import { plainLine } from '../../report/words/plain-line.js';
import { decidingLine } from '../../run/errors/deciding-line.js';
import { tellingLine } from '../../run/errors/error-lines.js';
import { readable } from '../../run/errors/said-lines.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';

/** Whoever plans the next iteration learns from why this one failed, and `exited with code 1` is no reason. */
export function saidByFailed(
  task: TaskState,
  { project, context, runDir }: { readonly project: Project; readonly context: CliContext; readonly runDir: string },
): { readonly line?: string; readonly log?: string } {
  const { failure, attempts, id } = task;
  if (attempts === 0 || tellsNothing(task)) return {};
  const dir = attemptDir(runDir, id, attempts);
  const log = relative(project.resolved.root, dir);
  // Of others their words say it, or what was printed has nothing to do with it.
  if (failure?.code !== 'command-failed' && failure?.code !== 'command-killed') return { log };
  const { stderrFile, stdoutFile } = attemptLogs(dir);
  const [stderr, stdout] = [stderrFile, stdoutFile].map((file) => readable(tailLines(file, mostLines)));
  const found = decidingLine(stderr!)?.line ?? tellingLine([], stdout!);
  if (found === undefined) return { log };
  const { hide } = secretsOf({ ...context.env }, project.resolved.config.secrets);
  const line = plainLine(hide(found)).trim();
  return { line: line.length > longest ? `${line.slice(0, longest - 1)}…` : line, log };
}

const mostLines = 60;
const longest = 300;
