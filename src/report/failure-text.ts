import { formatDuration } from '../model/duration.js';
import type { Failure, FailureCode } from '../model/failure.js';
import { listed, shellWord } from './phrase.js';

export interface FailureWords {
  /** What happened, in one line without a full stop: `exited with code 2`. */
  readonly what: string;
  /** What to do about it, as a sentence without a full stop. */
  readonly next: string;
}

/** What happened and what to do next, a line each. */
export const failureText = (failure: Failure): string => {
  const { what, next } = failureWords(failure);
  return `${what}\n${next}`;
};

export const failureWords = (failure: Failure): FailureWords => {
  // The table is total over the codes; that each entry meets its own kind of failure is what `Words` says.
  const words = wordsByCode[failure.code] as (failure: Failure) => FailureWords;
  const { what, next } = words(failure);
  return { what: oneLine(what), next };
};

type Words = { readonly [C in FailureCode]: (failure: Extract<Failure, { code: C }>) => FailureWords };

/** Total on purpose: a failure without words does not compile. */
const wordsByCode: Words = {
  'command-failed': ({ exitCode }) => ({
    what: `exited with code ${exitCode}`,
    next: 'Read the log, mend the cause and go on with autoresearch exec',
  }),
  'command-killed': ({ signal }) => ({
    what: `was killed by ${signal}`,
    next:
      signal === 'SIGKILL'
        ? 'Often the machine ran out of memory: make the task smaller, or run fewer at once with --jobs'
        : 'Find out what sent the signal, then go on with autoresearch exec',
  }),
  'command-not-found': ({ command }) => ({
    what: `command not found: ${command}`,
    next: 'Install the program, correct its name, or add its folder to PATH in env',
  }),
  'command-not-started': ({ detail }) => ({
    what: `could not be started: ${detail}`,
    next: 'Check that the file may be executed and that cwd is a folder',
  }),
  'timed-out': ({ afterMs }) => ({
    what: `timed out after ${formatDuration(afterMs)}`,
    next: 'Make the task faster, or raise timeout in its stage',
  }),
  'idle-timed-out': ({ afterMs }) => ({
    what: `wrote nothing for ${formatDuration(afterMs)} and was stopped`,
    next: 'Find out where it hangs; let it print progress, or raise idle in its stage',
  }),
  'output-missing': ({ outputs }) => ({
    what: `did not write ${outputs.length === 1 ? 'its output' : 'its outputs'} ${listed(outputs)}`,
    next: 'Let the task write what outputs promises, or correct outputs; paths start at the project folder',
  }),
  'output-empty': ({ outputs }) => ({
    what: `left ${outputs.length === 1 ? 'its output' : 'its outputs'} ${listed(outputs)} empty`,
    next: 'An empty result is not a result: look in the log for why nothing was written',
  }),
  'output-not-written': ({ outputs }) => ({
    what: `did not write ${outputs.length === 1 ? 'its output' : 'its outputs'} ${listed(outputs)} anew; what is there is from before`,
    next: 'Let the task write its outputs each time it runs; an old file does not count as a result',
  }),
  'output-invalid': ({ output, detail }) => ({
    what: `wrote ${output}, which does not satisfy its schema: ${detail}`,
    next: 'Correct what the task writes, or the schema file that the stage names',
  }),
  'input-missing': ({ inputs }) => ({
    what: `lacks ${inputs.length === 1 ? 'its input' : 'its inputs'} ${listed(inputs)}`,
    next: 'Create the file, or declare it as an output of the stage that makes it',
  }),
  'behaviour-failed': ({ detail }) => ({
    what: detail,
    next: 'Read the log, mend the cause and go on with autoresearch exec',
  }),
  'behaviour-crashed': ({ detail }) => ({
    what: `the behaviour crashed: ${detail}`,
    next: 'This is a mistake in the code of the behaviour, not in your config; the log has the stack',
  }),
  cancelled: ({ signal }) => ({
    what: `was stopped by ${signal}`,
    next: 'Go on with autoresearch exec; finished tasks are kept',
  }),
  'disk-full': ({ file }) => ({
    what: `the disk is full; could not write ${file}`,
    next: 'Make room, then go on with autoresearch exec; nothing that was recorded is lost',
  }),
  'not-writable': ({ file, detail }) => ({
    what: `cannot write ${file}: ${detail}`,
    next: 'Give yourself the right to write there, or work in a folder where you have it',
  }),
  'journal-corrupt': ({ file, line, detail }) => ({
    what: `the journal was changed by something else: ${file}:${line}: ${detail}`,
    next: 'Keep the file as evidence, find out who changed it, and start afresh with autoresearch exec --new',
  }),
  'run-not-found': ({ run }) =>
    run === ''
      ? { what: 'nothing has been run here yet', next: 'Start with autoresearch exec' }
      : { what: `there is no run ${run}`, next: 'List the runs with autoresearch runs' },
  'plan-mismatch': ({ expected, actual, changes }) => ({
    what:
      actual === ''
        ? `${expected} is not a plan that can be used${changesText(changes)}`
        : `the plan no longer matches: the file says ${short(expected)}, the config now gives ${short(actual)}${changesText(changes)}`,
    next: 'Look at the new plan with autoresearch plan, and save it again with --out',
  }),
  locked: ({ holder, file }) => ({
    what: `another run holds the lock: ${holder}`,
    next: `Wait for it, or stop it where it runs; only if that machine is surely gone, remove ${shellWord(file)}`,
  }),
};

const short = (digest: string): string => digest.slice(0, 12);

const changesText = (changes: readonly string[]): string => (changes.length === 0 ? '' : ` (${listed(changes)})`);

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();
