import { join } from 'node:path';
import { writePlain } from '../../adapters/disk/plain-file.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import type { JournalEntry } from '../../model/events/event.js';
import type { Plan } from '../../model/plan.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { RunState } from '../../model/state/run-state.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { runFacts } from './facts.js';
import { loopOfRun } from './loop-of-run.js';
import { writeRecord } from './write-record.js';

export interface EndedRun {
  readonly context: CliContext;
  readonly resolved: Project['resolved'];
  readonly store: RunStore;
  readonly id: string;
  readonly plan: Plan | undefined;
  readonly secrets: Secrets;
  /** Its journal, where it is at hand. */
  readonly told?: ToldRun | undefined;
}

interface ToldRun {
  readonly state: RunState;
  readonly entries: readonly JournalEntry[];
}

export interface Written {
  /** Absolute; present when the config asks for it. */
  readonly page?: string;
  /** What could not be written, in words. A run is not worth less for it. */
  readonly problem?: string;
}

/** What is written about a run when it ends, however it ends. Nothing but what its journal says. */
export async function writeAfterRun(run: EndedRun): Promise<Written> {
  const { context, resolved, store, id, plan, secrets } = run;
  const { root, config } = resolved;
  const { template, html } = config.report ?? {};
  const dir = store.runDir(id);
  try {
    const { state, entries } = run.told ?? store.read(id) ?? {};
    if (!state || !entries) return {};
    const loop = await loopOfRun({ context, root, dir, state });
    const facts = runFacts({ context, root, dir, state, plan, entries, secrets, ...loop });
    const wrong = await writeRecord(facts, { root, runDir: dir, ...(template === undefined ? {} : { template }) });
    const problem = wrong === undefined ? {} : { problem: `${template} was not used for execution.md: ${wrong}` };
    if (!html) return problem;
    const { reportPage } = await import('../../report/html/page.js');
    const page = join(dir, 'report.html');
    writePlain(page, await reportPage(facts, context.progress));
    return { page, ...problem };
  } catch (error) {
    return { problem: `the record of the run could not be written: ${(error as Error).message}` };
  }
}
