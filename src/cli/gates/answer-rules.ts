import type { RunStore } from '../../adapters/journal/run-store.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type GateQuestion, isOpen, type Verdict } from '../../model/gates/gate.js';
import type { AnswerProblem } from '../../model/gates/gate-answer.js';
import type { RunState } from '../../model/state/run-state.js';
import { answerCommands, openQuestions } from '../../report/gates/gate-lines.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { CliContext } from '../context.js';

export interface Answering {
  readonly context: CliContext;
  readonly store: RunStore;
  readonly run: string;
  readonly verdict: Verdict;
  readonly by: string;
  readonly text?: string;
}

/** The one question that is meant: of that name, of that run, open now. A rejection can still be turned into a revision. */
export function askedAbout(state: RunState | undefined, answering: Answering): GateQuestion | readonly Diagnostic[] {
  const [name = ''] = answering.context.positionals;
  const open = state ? openQuestions(state) : [];
  const named = open.filter(({ task }) => isNamed(task, name));
  const exact = named.find(({ task }) => task === name) ?? (named.length === 1 ? named[0] : undefined);
  if (exact) return exact;
  if (named.length > 1) {
    const tasks = named.map(({ task }) => task);
    return [
      diagnostic(
        'AR606',
        `${tasks.length} tasks of ${name} wait at their gates`,
        answering,
        `Name one of ${tasks.join(', ')}`,
      ),
    ];
  }
  const rejected = state && answering.verdict === 'revise' ? rejectedQuestion(state, name) : undefined;
  return rejected ?? [noQuestion(state, name, answering)];
}

/** By its own name, or by that of its stage. */
const isNamed = (task: string, name: string): boolean => task === name || task.startsWith(`${name}:`);

function rejectedQuestion({ tasks }: RunState, name: string): GateQuestion | undefined {
  const found = [...tasks.values()].filter(
    ({ id, gate }) => isNamed(id, name) && gate?.decided?.verdict === 'reject' && gate.opened && !isOpen(gate),
  );
  const opened = found.length === 1 ? found[0]!.gate!.opened! : undefined;
  if (!opened) return undefined;
  // The time to answer was over; to have it done again is another matter.
  const { expiresAt: _, ...question } = opened;
  return question;
}

function noQuestion(state: RunState | undefined, name: string, answering: Answering): Diagnostic {
  const known = [...(state?.tasks.values() ?? [])].find(({ id }) => isNamed(id, name));
  const decided = known?.gate?.decided;
  const tasks = answering.store.readPlan(answering.run)?.tasks.map(({ id }) => id) ?? [];
  if (!known && tasks.length > 0 && !tasks.some((id) => isNamed(id, name))) {
    const waiting = (state ? openQuestions(state) : []).map(({ task }) => task);
    const near = didYouMean(name, namesOf(waiting)) ?? didYouMean(name, namesOf(tasks));
    return diagnostic(
      'AR605',
      `there is no task or stage "${name}" in run ${answering.run}`,
      answering,
      near ?? 'autoresearch gates lists what waits',
    );
  }
  const what =
    decided === undefined
      ? 'does not wait at a gate'
      : `does not wait at its gate: it was ${{ pass: 'approved', revise: 'sent back', reject: 'rejected' }[decided.verdict]} by ${decided.by.name}`;
  return diagnostic(
    'AR605',
    `${name} ${what} in run ${answering.run}`,
    answering,
    'autoresearch gates lists what waits',
  );
}

/** Tasks, and the stages that they are of. */
const namesOf = (tasks: readonly string[]): readonly string[] => [
  ...new Set(tasks.flatMap((id) => [id, id.split(':')[0]!])),
];

export const noWords = (context: CliContext, option: string): Diagnostic => ({
  code: 'AR603',
  message: `--${option} is needed: nobody could do anything with silence`,
  at: { kind: 'argument', argument: context.positionals[0] ?? '' },
  hint: `Write: --${option} 'TEXT'`,
});

export function answerRefusal(problem: AnswerProblem, question: GateQuestion, answering: Answering): Diagnostic {
  const { task, approvers = [], noRevise, expiresAt } = question;
  switch (problem) {
    case 'not-an-approver':
      return diagnostic(
        'AR607',
        `${answering.by} may not answer the gate of ${task}`,
        answering,
        `${approvers.join(' or ')} may`,
      );
    case 'expired':
      return diagnostic(
        'AR608',
        `the gate of ${task} could be answered until ${new Date(expiresAt!).toISOString()}`,
        answering,
        'Go on with autoresearch exec: the gate then rejects, and exec --force asks anew',
      );
    case 'only-words':
      return diagnostic(
        'AR608',
        `${task} has failed: there is nothing to approve or to reject, it waits for instructions`,
        answering,
        `Give them: ${answerCommands(question, answering.run)[0]}`,
      );
    case 'no-revise':
      return diagnostic('AR608', `${task} cannot be sent back: ${noRevise}`, answering, 'Approve or reject it');
  }
}

export function refusalOf(why: 'inside' | 'changed', answering: Answering, question?: GateQuestion): Diagnostic {
  const [name = ''] = answering.context.positionals;
  if (why === 'inside')
    return diagnostic(
      'AR609',
      `${name} cannot be answered from inside a task of this project`,
      answering,
      'Answer from a shell of your own',
    );
  return diagnostic(
    'AR608',
    `what ${question?.task ?? name} was to be looked at for has changed since it was asked`,
    answering,
    'Go on with autoresearch exec: it is then asked about as it is now',
  );
}

const diagnostic = (code: Diagnostic['code'], message: string, { context }: Answering, hint: string): Diagnostic => ({
  code,
  message,
  at: { kind: 'argument', argument: context.positionals[0] ?? '' },
  hint,
});
