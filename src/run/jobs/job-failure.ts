import type { JobFinished } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { SeenEnd } from './job-watch.js';

interface JobFacts {
  readonly cluster: string;
  readonly id: string;
  readonly run: string | readonly string[];
  /** The scheduler's own word. */
  readonly word?: string;
}

/** A job whose command failed by itself has failed as the command would have here. Undefined for a success. */
export function failureOf(
  { how, exitCode, detail }: Pick<JobFinished, 'how' | 'exitCode' | 'detail'>,
  { cluster, id, run, word }: JobFacts,
): Failure | undefined {
  const more = detail === undefined ? {} : { detail };
  switch (how) {
    case 'completed':
      return undefined;
    case 'failed':
      if (exitCode === undefined || exitCode === 0)
        return { code: 'job-failed', cluster, id, how, word: word ?? how, ...more };
      if (exitCode === 127)
        return { code: 'command-not-found', command: typeof run === 'string' ? run : (run[0] ?? '') };
      return { code: 'command-failed', exitCode };
    case 'lost':
      return { code: 'job-lost', cluster, id, detail: detail ?? '' };
    case 'sick':
      return { code: 'job-sick', cluster, id, detail: detail ?? '' };
    case 'refused':
      return { code: 'job-refused', cluster, detail: detail ?? '' };
    case 'replaced':
      return { code: 'job-failed', cluster, id, how: 'cancelled', word: 'replaced', ...more };
    default:
      return { code: 'job-failed', cluster, id, how, word: word ?? how, ...more };
  }
}

/** How it ended, for the journal. */
export function endWord(end: SeenEnd): Pick<JobFinished, 'how' | 'exitCode' | 'detail'> {
  switch (end.kind) {
    case 'cancelled':
      return { how: 'cancelled' };
    case 'lost':
    case 'sick':
      return { how: end.kind, detail: end.detail };
    case 'ended': {
      const { how, exitCode, detail } = end;
      return { how, ...(exitCode === undefined ? {} : { exitCode }), ...(detail === undefined ? {} : { detail }) };
    }
  }
}
