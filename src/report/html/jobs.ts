import { jobsOf } from '../record/jobs.js';
import { gpuText } from '../record/spend.js';
import { html, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { badge, digest, named, table } from './table.js';

/** Work handed to schedulers. */
export const jobs: Section = ({ entries, plan }, sources) => {
  const all = jobsOf(entries, plan);
  if (all.length === 0) return undefined;
  const rows = all.map((job) => [
    html`<span class="task">${job.task}</span>`,
    named(`${job.cluster} ${job.id ?? 'not submitted'}`),
    sources.time(job.submittedAt, job.line),
    timeText(job.startedAt, job.startLine, sources),
    timeText(job.endedAt, job.endLine, sources),
    badge(
      job.state === 'completed' || job.state === 'succeeded' ? 'good' : job.endedAt === null ? 'busy' : 'warn',
      job.state,
    ),
    job.gpuHours === null
      ? job.gpus === null
        ? ''
        : 'not told yet'
      : sources.journal(gpuText(job.gpuHours), job.endLine ?? job.line),
    html`${job.config !== null && html`<span class="task">${job.config}</span> `}${digest(job.order)}`,
  ]);
  return {
    id: 'jobs',
    title: 'Jobs',
    body: table(['task', 'job', 'submitted', 'started', 'ended', 'state', '#GPU-hours', 'what was ordered'], rows),
  };
};

const timeText = (at: string | null, line: number | null, sources: Sources): Markup | string =>
  at === null || line === null ? '' : sources.time(at, line);
