import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { RunState } from '../../model/state/run-state.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';

/** What waits for a person in all runs of all agent ids of this checkout. */
export async function run(context: CliContext): Promise<number> {
  const own = await storeFor(context);
  const state = dirname(own.dir);
  const runs = agentIds(state).flatMap((agentId) =>
    statesIn(openRunStore(dirname(state), agentId)).map((found) => ({ agentId, state: found })),
  );
  const { gatesListJson, gatesListText } = await import('../../report/gates/gates-list.js');
  if (context.flag('json')) context.stdout.write(`${JSON.stringify(gatesListJson(runs), null, 2)}\n`);
  else
    context.stdout.write(gatesListText(runs, { color: context.stdout.color, again: again(context), now: Date.now() }));
  return exitCode.passed;
}

const agentIds = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'runs')))
        .map(({ name }) => name)
        .sort()
    : [];

/** A journal that cannot be trusted has nothing to be answered. */
function statesIn(store: RunStore): readonly RunState[] {
  return store.ids().flatMap((id) => {
    try {
      return store.read(id)?.state ?? [];
    } catch (error) {
      if (error instanceof FailureError) return [];
      throw error;
    }
  });
}
