import { join } from 'node:path';
import { attemptDir } from '../../adapters/kept/attempt-folder.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { err, ok, type Result } from '../../model/result.js';
import type { TaskState } from '../../model/state/run-state.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';
import { type FixFolder, fixFolders, type MadeAttempts } from './attempt-folders.js';

/** The folder that `--attempt` and `--fix` ask for, and which attempt it belongs to. */
export interface LogChoice {
  readonly dir: string;
  readonly attempt: number;
  readonly fix?: string;
}

/** Only what is listed can be chosen: a name leads to no other place. */
export function chooseLog(
  task: TaskState,
  made: MadeAttempts | undefined,
  context: Pick<CliContext, 'value'>,
): Result<LogChoice, Diagnostic> {
  const [wanted, fix] = [context.value('attempt'), context.value('fix')];
  if (!made) return err(neverTried(task.id));
  if (wanted !== undefined && !(/^[1-9]\d{0,8}$/.test(wanted) && Number(wanted) <= made.attempts))
    return err(bad(`${task.id} has ${rangeText(made.attempts)}, not ${wanted}`, wanted));
  const attempt = wanted === undefined ? undefined : Number(wanted);
  if (fix === undefined) {
    const number = attempt ?? made.attempts;
    return ok({ dir: attemptDir(made.dir, task.id, number), attempt: number });
  }
  const all = fixFolders(task.id, made).filter((folder) => attempt === undefined || folder.attempt === attempt);
  const found = all.findLast(({ name }) => name === fix);
  if (!found) return err(noFix(fix, all, `${task.id}${attempt === undefined ? '' : `, attempt ${attempt}`}`));
  return ok({ dir: join(attemptDir(made.dir, task.id, found.attempt), fix), attempt: found.attempt, fix });
}

export const neverTried = (task: string): Diagnostic => bad(`${task} has not been tried in this run`, task);

export const oneTask = (option: string, ids: readonly string[]): Diagnostic => ({
  ...bad(`${option} needs the name of one task`, option),
  hint: ids.length === 0 ? 'Nothing is known of the tasks of this run' : `Such as ${ids[0]}`,
});

const rangeText = (attempts: number): string => (attempts === 1 ? 'attempt 1 only' : `attempts 1 to ${attempts}`);

function noFix(fix: string, all: readonly FixFolder[], whose: string): Diagnostic {
  const names = [...new Set(all.map(({ name }) => name))];
  const there = names.length === 0 ? 'There is none' : `There is ${names.join(', ')}`;
  return { ...bad(`there is no fix "${fix}" of ${whose}`, fix), hint: didYouMean(fix, names) ?? there };
}

const bad = (message: string, argument: string): Diagnostic => ({
  code: 'AR604',
  message,
  at: { kind: 'argument', argument },
});
