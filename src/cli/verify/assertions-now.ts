import { resolve } from 'node:path';
import { checkFile } from '../../adapters/behaviours/output-schema.js';
import { evaluate } from '../../adapters/behaviours/read-data.js';
import type { JsonObject } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import type { ValueSource } from '../../model/value-source.js';
import { boundedMatches } from '../../run/attempt/bounded-pattern.js';
import { fileFacts } from '../../run/freshness/file-facts.js';
import type { CliContext } from '../context.js';
import { type AskedAgain, askAgain, runsCommands } from '../gates/ask-again.js';
import { resolveFor } from '../project/open-project.js';

interface Looked {
  readonly root: string;
  readonly files: Files;
  readonly state: RunState;
}

/** Asserts once more what a task asserted, but for what only a command could tell. */
export async function assertionsNow(
  task: Task,
  { root, files, state }: Looked,
  context: CliContext,
): Promise<AskedAgain> {
  const { checks = [], from = {} } = task.options as {
    checks?: readonly JsonObject[];
    from?: Record<string, ValueSource>;
  };
  if (runsCommands(Object.values(from)))
    return { ok: true, detail: 'held when it was checked; commands are not run again' };
  const looked = checks.filter(({ command }) => command === undefined);
  if (looked.length === 0) return { ok: true, detail: 'held when they were run; commands are not run again' };
  const resolved = await resolveFor(context);
  const asked = await askAgain(
    { ...task, options: { ...task.options, checks: [...looked] } },
    { root, env: context.env },
    {
      vars: (resolved.ok ? (resolved.value.config.vars ?? {}) : {}) as JsonObject,
      matrix: task.matrix ?? {},
      evaluate,
      matches: boundedMatches,
      listFiles: (patterns) => files.expand(patterns),
      fileFacts: (path) => fileFacts(path, files, state),
      schemaProblem: (path, schema) => checkFile(resolve(root, path), resolve(root, schema)),
    },
  );
  const left = checks.length - looked.length;
  return left === 0 ? asked : { ...asked, detail: `${asked.detail}; ${left} by commands, which are not run again` };
}
