import { groupOf } from '../../model/parameters.js';
import type { Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { ValueSource } from '../../model/value-source.js';
import type { CliContext } from '../context.js';
import { type AskedAgain, askAgain, runsCommands } from '../gates/ask-again.js';

/**
 * Asks the behaviour itself once more, in a world in which nothing can be written. Python files are loaded again, as
 * carefully as in a run; a command of the user's own is not run by who only looks.
 */
export async function parityNow(
  task: Task,
  { root, parameters }: { readonly root: string; readonly parameters: RunState['parameters'] },
  { env }: CliContext,
): Promise<AskedAgain> {
  const { arms = {}, resolved = {} } = task.options as { [key in 'arms' | 'resolved']?: Record<string, ValueSource> };
  if (runsCommands([...Object.values(arms), ...Object.values(resolved)]))
    return { ok: true, detail: 'held when it was checked; commands are not run again' };
  const refuse = (): never => {
    throw new Error('whoever only looks does nothing else');
  };
  return askAgain(
    task,
    { root, env },
    {
      // Whether it was of that run has been asked in that run, and nobody wrote since: the digests of its files say so.
      fileFacts: () => undefined,
      parameters: {
        first: () => ({}),
        held: () => ({}),
        change: refuse,
        ofCheck: (check) => parameters.get(groupOf('', check)) ?? {},
      },
    },
  );
}
