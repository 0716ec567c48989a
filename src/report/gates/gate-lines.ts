import { type GateQuestion, type GateState, isOpen, wantedWords } from '../../model/gates/gate.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { checklistLines } from '../live/published-text.js';
import type { Paint } from '../words/paint.js';
import { listed, shellWord } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import type { Symbols } from '../words/symbols.js';

/** The questions of a run that wait for a person. One that passed waits for nobody: the gate was taken out of the config. */
export const openQuestions = ({
  tasks,
  outcome,
}: Pick<RunState, 'tasks' | 'outcome'>): readonly (GateQuestion & { readonly at: number })[] =>
  (outcome === 'passed' ? [] : [...tasks.values()]).flatMap(({ gate, words }) => {
    const wanted = wantedWords(words);
    return [...(gate && isWaiting(gate) ? [gate.opened!] : []), ...(wanted ? [wanted] : [])];
  });

/** It stopped for questions of people, and all of them have been answered since. */
export const isAnswered = (state: Pick<RunState, 'tasks' | 'outcome'>): boolean =>
  state.outcome === 'waiting' &&
  openQuestions(state).length === 0 &&
  [...state.tasks.values()].some(({ gate }) => gate?.decided !== undefined && gate.opened?.kind === 'human');

const isWaiting = (gate: GateState): boolean => isOpen(gate) && gate.opened!.kind === 'human';

/** What to type to answer a question. The run is named, so that it cannot answer that of another. */
export function answerCommands({ task, kind, noRevise }: GateQuestion, run: string, again = ''): readonly string[] {
  const about = `${shellWord(task)} --run ${run}`;
  if (kind === 'instructions') return [`autoresearch revise ${about} --feedback 'TEXT'${again}`];
  return [
    `autoresearch approve ${about}${again}`,
    ...(noRevise === undefined ? [`autoresearch revise ${about} --feedback 'TEXT'${again}`] : []),
    `autoresearch reject ${about} --reason 'TEXT'${again}`,
  ];
}

/** Each question that waits: what to look at, and the commands that answer it. */
export function waitingLines(
  state: Pick<RunState, 'tasks' | 'run' | 'outcome'>,
  { p, s, again }: { readonly p: Paint; readonly s: Symbols; readonly again?: string },
): string[] {
  return openQuestions(state).flatMap((question) => [
    '',
    `${p.yellow(s.gate)} ${p.bold(question.task)} ${waitsText(question)}${question.because === undefined ? '' : `: ${plainLine(question.because)}`}`,
    ...(question.evidence.length === 0
      ? []
      : [
          `  ${p.dim('look at')}  ${listed(
            question.evidence.map(({ path }) => plainLine(path)),
            6,
          )}`,
        ]),
    ...checklistLines(question.tests ?? state.tasks.get(question.task)?.tests).map((line) => `  ${line}`),
    ...(question.expiresAt === undefined
      ? []
      : [`  ${p.dim('until')}    ${new Date(question.expiresAt).toISOString()}; then it rejects`]),
    ...answerCommands(question, state.run, again).map((command) => `  ${p.cyan(command)}`),
  ]);
}

const waitsText = ({ kind, approvers }: GateQuestion): string =>
  kind === 'instructions'
    ? 'waits for the instructions of a person'
    : `waits at its gate for ${approvers ? approvers.join(' or ') : 'a person'}`;

/** How a gate stands, in a word. */
export function gateStatus({ gate, status }: TaskState): 'open' | 'passed' | 'revise' | 'rejected' | 'void' {
  if (!gate || isOpen(gate)) return 'open';
  if (status === 'running' || status === 'retrying') return 'void';
  const { verdict } = gate.decided!;
  return verdict === 'pass' ? 'passed' : verdict === 'reject' ? 'rejected' : 'revise';
}
