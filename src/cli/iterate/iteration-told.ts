import { openRunStore } from '../../adapters/journal/run-store.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import { type Written, writeAfterRun } from '../report/after-run.js';
import type { LoopInput } from './loop-input.js';
import { newestRun } from './loop-runs.js';

/** What is written about a run tells of its loop too: it is written anew when the record says more of it. */
export async function tellIteration({ context, project }: Pick<LoopInput, 'context' | 'project'>): Promise<Written> {
  const { resolved, plan } = project;
  const store = openRunStore(resolved.root, context.agentId);
  const id = newestRun(store, plan.name)?.state?.run;
  if (id === undefined) return {};
  const secrets = secretsOf({ ...context.env }, resolved.config.secrets);
  context.progress.at({ what: 'writing about the loop', done: 0 });
  const written = await writeAfterRun({ context, resolved, store, id, plan: store.readPlan(id), secrets });
  if (written.problem !== undefined) context.stderr.write(`${written.problem}\n`);
  return written;
}
