import type { ChangedFile, Failure } from '../../model/failure.js';
import { decidedByText } from '../gates/gate-words.js';
import { listed } from '../words/phrase.js';
import type { FailureWords } from './failure-words.js';

type GateFailure = Extract<Failure, { code: 'gate-rejected' | 'judge-uncalibrated' | 'result-changed' }>;
type Words = { readonly [C in GateFailure['code']]: (failure: Extract<GateFailure, { code: C }>) => FailureWords };

/** Words for what gates say no to; `failure-text` holds these among the others. */
export const gateWords: Words = {
  'gate-rejected': ({ by, reasons, failed }) => ({
    what: `${failed ? 'no verdict at its gate' : `rejected at its gate by ${decidedByText(by)}`}: ${reasons.join('; ')}`,
    next: failed
      ? 'Mend why no answer came, then go on with autoresearch exec: the gate is asked again'
      : 'Its result is kept, and stays rejected. Send it back with autoresearch revise STAGE --feedback TEXT, or change the work, or redo it with autoresearch exec --force STAGE',
  }),
  'judge-uncalibrated': ({ agent, wrong }) => ({
    what: `judge ${agent} may not judge: it got ${listed([...wrong], 5)} wrong`,
    next: 'Correct the criteria, take a stronger judge, or correct the samples under calibrate',
  }),
  'result-changed': ({ files, gate }) => ({
    what: gate
      ? `what ${decidedByText(gate.by)} passed at its gate is not what is there now: ${files.length > 0 ? changedText(files) : gate.why}`
      : `what it made is not what is there now, and nobody known to the run has changed it: ${changedText(files)}`,
    next: gate
      ? 'The verdict is void. Put the files back, or go on with autoresearch exec: what has to be is made anew, and the gate is asked again'
      : 'Find out who wrote there: a task declares what it makes under outputs. Put the files back, or go on with autoresearch exec, which makes them anew',
  }),
};

/** `out/x (was 1a2b3c4d5e6f, is 6f5e4d3c2b1a)`. */
const changedText = (files: readonly ChangedFile[]): string =>
  listed(
    files.map(({ path, was, is }) => {
      if (was === undefined) return `${path} (is new)`;
      return `${path} (was ${shortDigest(was)}, ${is === undefined ? 'is gone' : `is ${shortDigest(is)}`})`;
    }),
    5,
  );

const shortDigest = (digest: string): string => digest.slice(0, 12);
