import type { JournalEntry } from '../../model/events/event.js';
import type { JobHeldUp } from '../../model/events/job-event.js';
import { heldUpWords } from '../../model/held-up.js';
import { plainLine } from '../words/plain-line.js';

/** `train:seed=1  not submitted yet to hpc: sbatch exited with 1: …; tried again until 14:05:00`. */
export const heldUpText = (job: JobHeldUp): string => `${job.task} on ${job.cluster}  ${plainLine(heldUpWords(job))}`;

/**
 * Says for each cluster what keeps its jobs, and again when that changes: five hundred jobs are held up by one thing. A
 * cluster that has taken a job since has another trouble, even if the words are the same.
 */
export function heldUpTeller(all = false): (entry: JournalEntry) => string | undefined {
  const told = new Map<string, string>();
  return (entry) => {
    if (entry.type === 'job-submitted') told.delete(entry.cluster);
    if (entry.type !== 'job-held-up') return undefined;
    const words = `${entry.detail} ${all ? entry.task : ''}`;
    if (told.get(entry.cluster) === words) return undefined;
    told.set(entry.cluster, words);
    return heldUpText(entry);
  };
}
