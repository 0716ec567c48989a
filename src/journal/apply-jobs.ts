import type { JournalEntry } from '../model/events/event.js';
import type { JobEvent } from '../model/events/job-event.js';
import type { JobState } from '../model/state/job-state.js';

export const isJobEvent = (entry: JournalEntry): entry is JournalEntry & JobEvent => entry.type.startsWith('job-');

/** What an event does to the jobs of a run. */
export function noteJobs(jobs: Map<string, JobState>, entry: JournalEntry): void {
  if (isJobEvent(entry)) applyJob(jobs, entry);
  else if (entry.type === 'task-finished') spendJobs(jobs, entry.task);
  else if (entry.type === 'task-failed' && entry.failure.code !== 'cancelled') spendJobs(jobs, entry.task);
}

function applyJob(jobs: Map<string, JobState>, entry: JournalEntry & JobEvent): void {
  const atMs = Date.parse(entry.at);
  if (entry.type === 'job-submitting') {
    const { tag, batch, task, attempt, job, cluster, order, gpus = 0, limitMs, before, set, after, inputs } = entry;
    const more = {
      ...(batch ? { batch } : {}),
      ...(limitMs === undefined ? {} : { limitMs }),
      ...(set ? { set } : {}),
      ...(after ? { after } : {}),
      ...(inputs ? { inputs } : {}),
    };
    jobs.set(tag, { tag, task, attempt, job, cluster, order, gpus, before, submittingAt: atMs, ...more });
    return;
  }
  const known = jobs.get(entry.tag);
  if (!known) throw new Error(`journal tells of job ${entry.tag} that was never submitted`);
  switch (entry.type) {
    case 'job-held-up': {
      const { detail, submitted, until } = entry;
      const heldUp = { detail, submitted, ...(until === undefined ? {} : { until }) };
      jobs.set(entry.tag, { ...known, heldUp });
      return;
    }
    case 'job-submitted': {
      const { heldUp: _, ...job } = known;
      jobs.set(entry.tag, { ...job, id: entry.id });
      return;
    }
    case 'job-state-changed': {
      const { state, word } = entry;
      const since = state === 'running' && known.runningSince === undefined ? { runningSince: atMs } : {};
      jobs.set(entry.tag, { ...known, state, ...(word === undefined ? {} : { word }), ...since });
      return;
    }
    case 'job-finished': {
      const { how, exitCode, detail, requeues, runMs, gpuHours } = entry;
      const code = exitCode === undefined ? {} : { exitCode };
      const words = detail === undefined ? {} : { detail };
      jobs.set(entry.tag, { ...known, end: { how, requeues, runMs, gpuHours, ...code, ...words } });
      return;
    }
  }
}

/** The attempt is over, one way or the other; only an interrupted one is taken up again. */
function spendJobs(jobs: Map<string, JobState>, task: string): void {
  for (const [tag, job] of jobs) if (job.task === task && !job.spent) jobs.set(tag, { ...job, spent: true });
}
