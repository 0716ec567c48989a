import type { Failure, FailureCode } from '../../model/failure.js';
import { logHint } from '../words/log-like.js';
import { listed } from '../words/phrase.js';
import type { FailureWords } from './failure-words.js';

type AgentCode = Extract<
  FailureCode,
  `agent-${string}` | `review-${string}` | 'gaps-found' | 'scope-violated' | 'scope-too-large' | 'protect-violated'
>;
type Words = { readonly [C in AgentCode]: (failure: Extract<Failure, { code: C }>) => FailureWords };
type Trouble = Extract<Failure, { code: 'agent-failed' }>['why'];

/** What went wrong with an agent, and what to do about it. */
export const agentWords: Words = {
  'agent-failed': ({ agent, why, detail, resetAt }) => ({
    what: `agent ${agent} ${troubles[why].what}: ${detail}${resetAt === undefined ? '' : ` (until ${new Date(resetAt).toISOString()})`}`,
    next: troubles[why].next,
  }),
  'agent-reply-unusable': ({ agent, detail }) => ({
    what: `agent ${agent} answered three times, and ${detail}`,
    next: 'Look at what it printed: autoresearch logs TASK --fix author-1; of a model, a stronger one or a shorter task may help',
  }),
  'agent-gave-up': ({ agent, summary }) => ({
    what: `agent ${agent} says that it failed: ${summary}`,
    next: 'Read what it tried in the log, then change the task or the agent and go on with autoresearch exec',
  }),
  'agent-escalated': ({ agent, reason, summary, files }) => ({
    what: `agent ${agent} will not go on (${reason === 'none' ? 'no reason given' : reason}): ${summary}${files.length > 0 && reason === 'scope' ? `; it would have to change ${listed(files)}` : ''}`,
    next: escalations[reason],
  }),
  'review-failed': ({ agent, verdict, reasons }) => ({
    what: `reviewer ${agent} says ${verdict}: ${reasons.join('; ')}`,
    next: 'Mend what the review names, then go on with autoresearch exec',
  }),
  'review-critical': ({ agent, rounds, issues }) => ({
    what: `reviewer ${agent} says CRITICAL${rounds === 0 ? '' : `, after ${rounds === 1 ? 'one round' : `${rounds} rounds`} of mending`}: ${issues.join('; ')}`,
    next: 'Mend what the review names, then go on with autoresearch exec',
  }),
  'gaps-found': ({ score, gaps }) => ({
    what: `gaps found, ${score} hold: ${listed(gaps, 4)}`,
    next: 'Close the gaps, then go on with autoresearch exec; the file that the stage writes has them all',
  }),
  'scope-violated': ({ agent, files, held = [], guarded = [], beside, problems, evidence }) => ({
    what: `agent ${agent} changed ${listed(files)}, which it may not${beside ? ` (or ${listed(beside)} did, at the same time: then declare outputs there)` : ''}${undone(problems)}`,
    next: `${evidence ? `Look at what was done: ${evidence}` : 'Look at the change and put it back'}; ${ifRight(files, { held, guarded })}${logHint(files)}`,
  }),
  'scope-too-large': ({ files, bytes, most, largest }) => ({
    what: `there is more outside of its scope than could be put back: ${files} files, ${gigabytes(bytes)} (at most ${most.files}, ${gigabytes(most.bytes)}), most of it in ${largest}; the agent was not asked`,
    next: `Move ${largest} out of the project and put a link in its place, commit it, or declare it in outputs of the stage that makes it; or use isolation: worktree, or sandbox: bwrap, which keeps agents from writing there`,
  }),
  'protect-violated': (failure) => ({
    what: `${failure.agent === undefined ? 'something' : `agent ${failure.agent}`} changed what is protected: ${listed(failure.files)}${failure.beside ? ` (or ${listed(failure.beside)} did, at the same time)` : ''}; ${failure.evidence === undefined ? 'nothing was put back' : protectedText(failure)}`,
    next:
      failure.evidence === undefined
        ? 'If you have changed it yourself, start afresh with autoresearch exec --new; if not, put it back first'
        : `Look at what was done: ${failure.evidence}`,
  }),
};

/** A scope helps with nothing that is protected, or says what the study is; only what a stage makes is not held. */
function ifRight(files: readonly string[], { held, guarded }: NoScopeHelps): string {
  const others = files.filter((file) => !held.includes(file) && !guarded.includes(file));
  const protectedOnes = guarded.filter((file) => !held.includes(file));
  const isAll = others.length === files.length;
  return [
    ...(held.length > 0 ? [ofStudy(held)] : []),
    ...(protectedOnes.length > 0 ? [ofProtect(protectedOnes)] : []),
    ...(isAll ? ['if it was right, add the files to scope of the stage'] : []),
    ...(!isAll && others.length > 0 ? [`if the rest was right, add ${listed(others)} to scope of the stage`] : []),
  ].join('; ');
}

interface NoScopeHelps {
  readonly held: readonly string[];
  readonly guarded: readonly string[];
}

function ofStudy(held: readonly string[]): string {
  const isOne = held.length === 1;
  return `${listed(held)} ${isOne ? 'says' : 'say'} what the study is or how it is judged, so no scope covers ${isOne ? 'it' : 'them'}: if it was right, make the change yourself and go on with autoresearch exec, or name ${isOne ? 'it' : 'them'} in outputs of the stage that makes ${isOne ? 'it' : 'them'}`;
}

function ofProtect(files: readonly string[]): string {
  const isOne = files.length === 1;
  return `${listed(files)} ${isOne ? 'is' : 'are'} protected, so no scope covers ${isOne ? 'it' : 'them'}: if it was right, make the change yourself and start afresh with autoresearch exec --new`;
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

const undone = (problems: readonly string[] | undefined): string => {
  if (!problems) return '; nothing was put back';
  return problems.length === 0 ? '; it was put back' : `; not all could be put back: ${problems[0]}`;
};

const protectedText = ({ files, problems }: Extract<Failure, { code: 'protect-violated' }>): string =>
  problems && problems.length > 0
    ? `${listed(files)} could not be put back: ${problems[0]}`
    : `${files.length === 1 ? 'it has' : 'they have'} been put back`;

const escalations: Record<Extract<Failure, { code: 'agent-escalated' }>['reason'], string> = {
  design: 'Decide about the design: change the plan of the study, then go on with autoresearch exec',
  scope: 'Add these files to scope of the stage if it is right, then go on with autoresearch exec',
  environment: 'Give it what is missing on this machine, then go on with autoresearch exec',
  none: 'Read what it says in the log, then go on with autoresearch exec',
};

const retry = 'Go on with autoresearch exec; finished tasks are kept';

/** Total on purpose: a trouble without words does not compile. */
const troubles: Record<Trouble, FailureWords> = {
  'not-installed': { what: 'is not there', next: 'Install it, or correct where it is: path (or run) of the agent' },
  'not-logged-in': {
    what: 'is not logged in',
    next: 'Log in once by hand, or set its key: passEnv, or apiKeyEnv of an endpoint, names the variable',
  },
  quota: { what: 'has used up its quota', next: 'Wait until it is full again, then go on with autoresearch exec' },
  overloaded: { what: 'could not be reached', next: retry },
  refused: { what: 'was refused', next: 'Check model, address and options of the agent in the config' },
  'max-turns': {
    what: 'ran out of turns',
    next: 'Raise limits.turns of the agent, or give it a smaller task',
  },
  'timed-out': { what: 'took too long', next: 'Raise limits.timeout of the agent, or give it a smaller task' },
  idle: { what: 'fell silent', next: 'Raise limits.idle of the agent, or find out in its log where it hangs' },
  'over-cap': { what: 'reached its cap', next: 'Raise limits.usd of the agent, or give it a smaller task' },
  looping: { what: 'went round in circles', next: 'Give it a clearer task or a stronger model' },
  'too-many-files': { what: 'changed too much', next: 'Raise limits.files of the agent, or give it a smaller task' },
  'too-many-helpers': {
    what: 'started too many helpers',
    next: 'Raise helpers of the stage, or give it a smaller task',
  },
  'session-lost': { what: 'has lost its session', next: retry },
  'no-recording': {
    what: 'has no recording of this',
    next: 'Record it with autoresearch exec --record and a real backend, or make the prompt what it was',
  },
  crashed: { what: 'crashed', next: 'Look at what it printed: autoresearch logs TASK --fix author-1' },
};
