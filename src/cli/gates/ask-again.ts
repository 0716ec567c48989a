import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadBuiltIn } from '../../adapters/behaviours/built-in-stages.js';
import { parseData } from '../../adapters/behaviours/read-data.js';
import { allowedEnvironment, passedVariables } from '../../adapters/process/allowed-environment.js';
import { printedCommand } from '../../adapters/process/printed-command.js';
import type { Task } from '../../model/plan.js';
import type { StageContext } from '../../model/stage.js';
import type { ValueSource } from '../../model/value-source.js';
import { failureWords } from '../../report/failures/failure-text.js';
import { loadValues } from '../../values/load-values.js';
import type { CliContext } from '../context.js';

export interface AskedAgain {
  readonly ok: boolean;
  readonly detail: string;
}

/** Asks a built-in behaviour once more, in a world in which nothing can be written and nobody be asked. */
export async function askAgain(
  task: Task,
  { root, env }: { readonly root: string } & Pick<CliContext, 'env'>,
  more: Partial<StageContext>,
): Promise<AskedAgain> {
  const { behaviour } = (await loadBuiltIn(task.uses))!;
  const variables = { ...allowedEnvironment(env), ...passedVariables(env, task.passEnv), ...task.env };
  const cwd = resolve(root, task.cwd);
  const context: Partial<StageContext> = {
    readFile: async (path) => readFileSync(resolve(root, path), 'utf8'),
    writeFile: async () => {},
    parseData,
    log: () => {},
    ask: () => {
      throw new Error('whoever only looks does nothing else');
    },
    command: ((run: readonly string[]) => printedCommand(run, { cwd, env: variables, timeoutMs })) as never,
    readValues: (wish) => loadValues(wish, context as StageContext),
    ...more,
  };
  try {
    const result = await behaviour.run(task.options, context as StageContext);
    return result.ok
      ? { ok: true, detail: result.summary ?? 'holds' }
      : { ok: false, detail: failureWords(result.failure).what };
  } catch (error) {
    return { ok: false, detail: (error as Error).message };
  }
}

/** Commands of the user's own are not run by who only looks. */
export const runsCommands = (sources: readonly ValueSource[]): boolean =>
  sources.some((source) => typeof source === 'object' && 'run' in source);

const timeoutMs = 90_000;
