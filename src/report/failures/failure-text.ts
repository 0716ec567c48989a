import { formatDuration } from '../../model/duration.js';
import type { CheckedBare, Failure, FailureCode } from '../../model/failure.js';
import type { CeilingName } from '../../model/money/spend.js';
import { listed, shellWord } from '../words/phrase.js';
import { agentWords } from './agent-failure-text.js';
import { ceilingText } from './ceiling-text.js';
import type { FailureWords } from './failure-words.js';
import { gateWords } from './gate-failure-text.js';
import { jobWords } from './job-failure-text.js';
import { treeWords } from './tree-failure-text.js';

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
  'command-failed': ({ exitCode, ...bare }) => ({
    what: `exited with code ${exitCode}${lacking(bare)}`,
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
  'behaviour-failed': ({ detail, ...bare }) => ({
    what: `${detail}${lacking(bare)}`,
    next: 'Read the log, mend the cause and go on with autoresearch exec',
  }),
  'checks-failed': ({ checked, lines }) => ({
    what: `${lines.length} of ${checked} checks failed: ${lines[0] ?? ''}${more(lines)}`,
    next: 'Mend what the log names, then go on with autoresearch exec',
  }),
  'metrics-unusable': ({ lines }) => ({
    what: `there are numbers that cannot be used: ${lines[0] ?? ''}${more(lines)}`,
    next: 'A number that is missing is no zero: mend the run that should have written it, then go on with autoresearch exec',
  }),
  'baseline-not-reproduced': ({ arm, metric, reported, found, tolerance, decision, missing = 0 }) => ({
    what: `${arm} is not reproduced: its ${metric} is ${shortNumber(found)}, reported is ${shortNumber(reported)}, and ${shortNumber(100 * tolerance)} % off is the most${missing === 0 ? '' : `; ${missing} ${missing === 1 ? 'run is' : 'runs are'} missing`}`,
    next:
      decision === 'debug'
        ? 'Find out why the baseline gives other numbers; nothing that is compared with it means anything before'
        : 'Decide: mend the baseline, or write otherwise: flag or replace in the stage, then go on with autoresearch exec',
  }),
  'parity-broken': ({ check, checked, lines }) => ({
    what: `the arms of ${check} are not alike in ${lines.length} of ${checked} parameters: ${lines[0] ?? ''}${more(lines)}`,
    next: 'Make them equal, or declare the difference under except with its reason; the log has the whole table',
  }),
  'behaviour-crashed': ({ detail }) => ({
    what: `the behaviour crashed: ${detail}`,
    next: 'This is a mistake in the code of the behaviour, not in your config; the log has the stack',
  }),
  ...gateWords,
  ...agentWords,
  ...jobWords,
  ...treeWords,
  'name-unreadable': ({ detail }) => ({
    what: detail,
    next: 'Nobody could be told of such a file, or look at it: rename it, or let the pattern leave it out',
  }),
  'cannot-protect': ({ detail }) => ({
    what: `what is to be protected cannot be read: ${detail}`,
    next: 'Give yourself the right to read it, or take it out of protect',
  }),
  'plan-invalid': ({ problems }) => ({
    what: `its tasks cannot be planned: ${problems[0] ?? ''}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`,
    next: 'Mend the stage that makes the file and run it anew with autoresearch exec --force STAGE; a file that no stage makes can be mended itself',
  }),
  'mirror-differs': ({ count, lines }) => ({
    what: `left ${count === 1 ? 'a difference' : `${count} differences`} between a source and its copy: ${lines[0] ?? ''}`,
    next: 'Let the task change both, or make the copy like the source with autoresearch sync',
  }),
  'budget-spent': ({ spent }) => ({
    what: `could not go on: ${ceilingText(spent)}`,
    next: spent.unpricedCalls ? untoldText(spent.ceiling) : raiseText(spent.ceiling),
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
    next: /\bEIO\b/.test(detail)
      ? 'The disk has a fault: look at the system log, and move the project to another disk before you go on'
      : 'Give yourself the right to write there, or work in a folder where you have it',
  }),
  'journal-corrupt': ({ file, line, detail }) => {
    const isLedger = file.endsWith('ledger.jsonl');
    if (file.endsWith('.spent.json')) return forgottenWords(file, detail);
    return {
      what: `the ${isLedger ? 'ledger' : 'journal'} was changed by something else: ${file}:${line}: ${detail}`,
      next: isLedger
        ? 'Move the file away as evidence and find out who changed it; it is then made anew from the journals of the runs'
        : 'Keep the file as evidence, find out who changed it, and start afresh with autoresearch exec --new',
    };
  },
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
  locked: ({ holder }) => ({
    what: `another run holds the lock: ${holder}`,
    next: 'Wait for it, or stop it with autoresearch cancel; only if that process is surely gone: autoresearch unlock --force',
  }),
  'lock-lost': ({ file }) => ({
    what: `the lock of this run was taken away while it ran: ${shellWord(file)}`,
    next: 'Someone unlocked it by force, or another host took this one for dead; autoresearch status shows what became of the run',
  }),
};

/** A higher ceiling would not help: nobody knows how far it is used up. */
const untoldText = (ceiling: CeilingName): string =>
  ceiling.includes('tokens')
    ? 'Let the agent tell its tokens, or take this ceiling out; what went before cannot be counted'
    : 'Give the agent limits.usd, or its model a price; autoresearch cost shows which calls nobody knows the price of';

function raiseText(ceiling: CeilingName): string {
  if (ceiling === 'budget.time')
    return 'Raise budget.time in the config, then go on with autoresearch exec; what it counts is the time at work of this run, all resumptions together';
  if (ceiling === 'iterate.budget.time')
    return 'Raise iterate.budget.time in the config, then go on with autoresearch exec; what it counts is the time at work of all iterations of the loop';
  if (ceiling === 'iterate.budget.usd')
    return 'Raise iterate.budget.usd in the config, then go on with autoresearch exec; what it counts is the money of all iterations of the loop, and iterations.jsonl holds each of them';
  const later = ceiling === 'budget.usdPerDay' ? ', or go on after 00:00 UTC' : '';
  return `Raise the ceiling in the config, then go on with autoresearch exec${later}; autoresearch cost shows what was spent on what`;
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(5)));

const more = (lines: readonly string[]): string => (lines.length > 1 ? ` (and ${lines.length - 1} more)` : '');

const short = (digest: string): string => digest.slice(0, 12);

const changesText = (changes: readonly string[]): string => (changes.length === 0 ? '' : ` (${listed(changes)})`);

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

/** Who reads it has to know what the checks could not use. */
const lacking = ({ without = [], otherwise = [] }: CheckedBare): string =>
  [
    ...(without.length === 0 ? [] : [` (it was checked without ${listed(without)}, which no commit would keep)`]),
    ...(otherwise.length === 0 ? [] : [` (it was checked with ${listed(otherwise)} as a checkout gives it)`]),
  ].join('');

/** What is noted outside of the project about money. */
const forgottenWords = (file: string, detail: string): FailureWords => ({
  what: `what was spent today cannot be told (${file}): ${detail}`,
  next: 'Find out who did it and bring the state back if you can; if it was you, remove that file, too, or wait until the day is over (UTC)',
});
