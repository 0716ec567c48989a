import type { RecordedEvent } from '../../model/events/event.js';
import type { JobFinished } from '../../model/events/job-event.js';
import type { JobErrand, JobPorts } from './job-errand.js';

/** What a job has used: in the ledger before the journal tells of it. */
export async function spentOn(
  { task, cluster }: JobErrand,
  { tag, runMs, gpuHours }: JobFinished,
  { run, ports }: { readonly run: string; readonly ports: JobPorts },
): Promise<RecordedEvent[]> {
  if (gpuHours === 0) return [];
  const place = { run, stage: task.stage, task: task.id, role: 'job', agent: cluster } as const;
  await ports.spend({ ...place, call: tag, wallMs: runMs, gpuHours });
  return [
    { type: 'spend-recorded', ...place, call: tag, usd: 0, source: 'reported', tokens: 0, wallMs: runMs, gpuHours },
  ];
}
