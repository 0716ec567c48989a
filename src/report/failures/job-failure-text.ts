import type { Failure, FailureCode } from '../../model/failure.js';
import type { FailureWords } from './failure-words.js';

type JobCode = Extract<FailureCode, `job-${string}`>;
type Words = { readonly [C in JobCode]: (failure: Extract<Failure, { code: C }>) => FailureWords };
type How = Extract<Failure, { code: 'job-failed' }>['how'];

/** What went wrong with a job, and what to do about it. */
export const jobWords: Words = {
  'job-failed': ({ cluster, id, how, word, detail }) => ({
    what: `job ${id} on ${cluster} ${ends[how].what} (${word}${detail === undefined ? '' : `, ${detail}`})`,
    next: ends[how].next,
  }),
  'job-lost': ({ cluster, id, detail }) => ({
    what: `nobody can say what became of job ${id} on ${cluster}: ${detail}`,
    next: 'Ask the scheduler yourself. What is not known to have passed has not passed; go on with autoresearch exec, which submits it anew',
  }),
  'job-unsure': ({ cluster, tag, detail }) => ({
    what: `nobody can say whether there is a job ${tag} on ${cluster}: ${detail}`,
    next: `Look for a job of that name and end it, then go on with autoresearch exec; it was not submitted a second time`,
  }),
  'job-refused': ({ cluster, detail }) => ({
    what: `${cluster} did not take the job: ${detail}`,
    next: 'Correct what the stage asks for under resources, or what the cluster is called and allows',
  }),
  'job-sick': ({ cluster, id, detail }) => ({
    what: `job ${id} on ${cluster} was not healthy and was ended: ${detail}`,
    next: 'Read the log, mend the cause and go on with autoresearch exec',
  }),
};

const readLog = 'Read the log, mend the cause and go on with autoresearch exec';

const ends: Record<How, FailureWords> = {
  failed: { what: 'failed', next: readLog },
  cancelled: { what: 'was cancelled', next: 'Somebody ended it at the scheduler; go on with autoresearch exec' },
  'timed-out': {
    what: 'ran longer than it may',
    next: 'Raise time under resources, or let the work save its state and go on from there',
  },
  deadline: { what: 'could not end before its deadline', next: 'Ask for less time, or for another partition' },
  'out-of-memory': { what: 'ran out of memory', next: 'Ask for more memory under resources, or make the work smaller' },
  'node-failed': { what: 'lost the node that it ran on', next: 'Go on with autoresearch exec, which submits it anew' },
  'not-started': {
    what: 'could not be started',
    next: 'Look whether the node sees the folder of the project, and what the administrators say',
  },
};
