import type { TestResult } from '../../model/agents/published.js';
import type { EvidenceFile, GateQuestion } from '../../model/gates/gate.js';
import { checklistLines } from '../live/published-text.js';
import type { Paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import type { Symbols } from '../words/symbols.js';

export interface QuestionInput {
  readonly question: GateQuestion;
  /** What was asked or decided before, to tell what is new. */
  readonly before?: readonly EvidenceFile[] | undefined;
  /** Lines that differ from the commit, by path; absent outside of a repository. */
  readonly diff?: readonly { readonly path: string; readonly added?: number; readonly removed?: number }[] | undefined;
  /** What the task has published, where the question itself says nothing. */
  readonly tests?: readonly TestResult[] | undefined;
  readonly now: number;
  readonly p: Paint;
  readonly s: Symbols;
}

const mostFiles = 12;

/** The question at the terminal: what to look at, what is new in it, and which keys answer. */
export function questionText({ question, before, diff, tests, now, p, s }: QuestionInput): string {
  const { task, evidence, because, expiresAt, noRevise } = question;
  const shown = evidence.slice(0, mostFiles);
  const width = Math.max(0, ...shown.map(({ path }) => path.length));
  const more = evidence.length - shown.length;
  const isOnlyWords = question.kind === 'instructions';
  const keys = [
    ...(isOnlyWords ? [] : [`${p.bold('a')} approve`]),
    ...(noRevise === undefined ? [`${p.bold('r')} ${isOnlyWords ? 'give instructions' : 'revise'}`] : []),
    ...(isOnlyWords ? [] : [`${p.bold('x')} reject`]),
    `${p.bold('l')} later`,
  ];
  const lines = [
    `${p.yellow(s.gate)} ${p.bold(`${task} waits ${isOnlyWords ? 'for your instructions' : 'at its gate'}`)}${because === undefined ? '' : `: ${plainLine(because)}`}`,
    ...(shown.length === 0 && !isOnlyWords ? ['  It leaves no files; look at its log.'] : []),
    ...shown.map(({ path, digest }) =>
      `  ${plainLine(path).padEnd(width)}  ${p.dim(changeText(path, digest, { before, diff }))}`.trimEnd(),
    ),
    ...(more > 0 ? [`  and ${plural(more, 'more file')}`] : []),
    ...checklistLines(question.tests ?? tests).map((line) => `  ${line}`),
    ...(expiresAt === undefined ? [] : [`  ${p.dim(`It rejects by itself ${inText(expiresAt - now)}.`)}`]),
    ...(noRevise === undefined ? [] : [`  ${p.dim(`It cannot be sent back: ${noRevise}.`)}`]),
    `  ${keys.join('   ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

function changeText(path: string, digest: string, { before, diff }: Pick<QuestionInput, 'before' | 'diff'>): string {
  const then = before?.find((file) => file.path === path);
  const since = !before
    ? undefined
    : !then
      ? 'new since the last decision'
      : then.digest === digest
        ? 'as at the last decision'
        : 'changed since the last decision';
  return [since, fromCommit(path, diff)].filter((part) => part !== undefined).join(', ');
}

function fromCommit(path: string, diff: QuestionInput['diff']): string | undefined {
  if (!diff) return undefined;
  const found = diff.find((line) => line.path === path);
  if (!found) return undefined;
  return found.added === undefined
    ? 'differs from the commit'
    : `+${found.added} −${found.removed} lines from the commit`;
}

const inText = (ms: number): string => {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  return minutes < 120 ? `in ${plural(minutes, 'minute')}` : `in ${Math.round(minutes / 60)} hours`;
};

/** What is asked for after a key. Without words nothing is sent back and nothing rejected. */
export const wordsWanted = { revise: '  What has to change? ', reject: '  Why? ' } as const;

export const answeredText = {
  pass: '  approved',
  revise: '  sent back',
  reject: '  rejected',
  later: '  later: it waits',
} as const;

/** Why a question is over that nobody answered at the terminal. */
export function overText(why: string, again: string): string {
  if (why === 'answered') return '  answered elsewhere';
  if (why === 'expired') return '  nobody answered in time: it is rejected';
  if (why === 'withdrawn') return '  not asked any more: the work is done again';
  return `  nothing was answered: autoresearch exec${again} asks again, autoresearch gates${again} shows how to answer from a shell`;
}
