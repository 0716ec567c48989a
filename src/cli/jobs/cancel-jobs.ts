import { dirname } from 'node:path';
import { FileJournal, type JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { allowedEnvironment } from '../../adapters/process/allowed-environment.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { Json } from '../../model/json.js';
import { secretsOf } from '../../model/secrets/secrets.js';
import type { JobState } from '../../model/state/job-state.js';
import { endFound } from '../../run/jobs/end-others.js';
import { usedBy } from '../../run/jobs/gpu-hours.js';
import type { CliContext } from '../context.js';
import { jobPorts } from './job-ports.js';
import { kubeConfig } from './job-reach.js';

export interface CancelledJobs {
  readonly ended: readonly JobState[];
  readonly left: readonly { readonly job: JobState; readonly detail: string }[];
}

/** Jobs of which the journal knows no end. */
export const liveJobs = ({ state }: JournalReading): readonly JobState[] =>
  [...(state?.jobs.values() ?? [])].filter(({ end }) => end === undefined);

/** Ends all jobs of a run that no runner looks after, and writes that down. Only for who holds the lock. */
export async function cancelJobs(store: RunStore, run: string, context: CliContext): Promise<CancelledJobs> {
  const reading = store.read(run);
  const jobs = reading ? liveJobs(reading) : [];
  if (!reading || jobs.length === 0) return { ended: [], left: [] };
  const plan = store.readPlan(run);
  const journal = new FileJournal(store.journalFile(run), systemClock, reading);
  const names: { readonly [name: string]: Json } = { vars: {}, name: plan?.name ?? '', agentId: context.agentId };
  const ports = jobPorts({
    root: dirname(dirname(store.dir)),
    stateDir: store.dir,
    runDir: store.runDir(run),
    clusters: plan?.clusters ?? {},
    allowed: allowedEnvironment(context.env),
    passed: kubeConfig(context.env),
    names,
    secrets: secretsOf({ ...context.env }),
    flushed: () => journal.flushed(),
  });
  const ended: JobState[] = [];
  const left: { job: JobState; detail: string }[] = [];
  try {
    for (const job of jobs) {
      const { tag, batch, task, cluster, id, submittingAt } = job;
      if (!plan?.clusters?.[cluster]) {
        left.push({ job, detail: `the saved plan knows no cluster ${cluster}` });
        continue;
      }
      await ports.endSubmitter(batch?.tag ?? tag);
      const scheduler = await ports.scheduler(cluster);
      const key = { tag, ...(batch ? { batch } : {}) };
      const found =
        id === undefined ? await scheduler.find(key, submittingAt) : ({ kind: 'found', ids: [id] } as const);
      const done = await endFound(job, found, scheduler);
      if (!done.ok) {
        left.push({ job, detail: done.detail });
        continue;
      }
      const used = usedBy(job, ports, systemClock.now());
      const known = id === undefined ? {} : { id };
      journal.append([{ type: 'job-finished', task, tag, cluster, ...known, how: 'cancelled', ...used }]);
      ended.push(job);
    }
    await journal.flushed();
  } finally {
    await journal.close();
  }
  return { ended, left };
}
