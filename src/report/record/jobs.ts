import type { JournalEntry } from '../../model/events/event.js';
import type { Plan, Task } from '../../model/plan.js';
import type { JobReason } from '../../model/stage-job.js';
import { lineOf, told } from '../history/run-facts.js';
import { grouped } from '../words/grouped.js';
import { plainLine } from '../words/plain-line.js';

/** Work that was handed to a scheduler. */
export interface JobLine {
  readonly task: string;
  readonly cluster: string;
  readonly id: string | null;
  readonly submittedAt: string;
  readonly line: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The line of the journal that tells of its start, and of its end. */
  readonly startLine: number | null;
  readonly endLine: number | null;
  /** How it ended, or the state that it is in. */
  readonly state: string;
  /** What was run, where and with what, as one digest. */
  readonly order: string;
  /** What the plan asks for: the command, and the resources that are named; null without a plan. */
  readonly config: string | null;
  readonly gpus: number | null;
  readonly gpuHours: number | null;
  /** Why it followed another one: what was wrong there, and what was done about it. */
  readonly because?: string;
}

interface JobEvent {
  readonly task: string;
  readonly tag: string;
  readonly cluster?: string;
  readonly order?: string;
  readonly gpus?: number;
  readonly id?: string;
  readonly state?: string;
  readonly how?: string;
  readonly gpuHours?: number;
  readonly because?: JobReason;
}

export function jobsOf(entries: readonly JournalEntry[], plan?: Plan): readonly JobLine[] {
  const planned = new Map(plan?.tasks.map((task) => [task.id, configOf(task)]));
  const kinds = ['job-submitted', 'job-state-changed', 'job-finished'];
  const news = kinds.flatMap((type) => told<JobEvent>(entries, type).map((event) => ({ ...event, type })));
  const later = grouped(
    news.sort((a, b) => a.seq - b.seq),
    ({ tag }) => tag,
  );
  return told<JobEvent>(entries, 'job-submitting').map((job) => {
    const events = later.get(job.tag) ?? [];
    const start = events.find(({ state }) => state === 'running');
    const end = events.find(({ type }) => type === 'job-finished');
    return {
      task: job.task,
      cluster: job.cluster ?? '',
      id: events.find(({ id }) => id !== undefined)?.id ?? null,
      submittedAt: job.at,
      line: lineOf(job),
      startedAt: start?.at ?? null,
      endedAt: end?.at ?? null,
      startLine: start ? lineOf(start) : null,
      endLine: end ? lineOf(end) : null,
      state: end?.how ?? events.findLast(({ state }) => state !== undefined)?.state ?? 'being submitted',
      order: job.order ?? '',
      config: planned.get(job.task) ?? null,
      gpus: job.gpus ?? null,
      gpuHours: end?.gpuHours ?? null,
      ...(job.because ? { because: plainLine(`${job.because.diagnosis}; ${job.because.fix}`) } : {}),
    };
  });
}

/** `train.sh; gpus 2, time 2h`. */
function configOf({ description, on }: Task): string {
  const resources = Object.entries(on?.resources ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  return plainLine(
    [(description.commands ?? []).join('; '), resources.join(', ')].filter((part) => part !== '').join('; '),
  );
}
