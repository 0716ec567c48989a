import type { JournalEntry } from '../../model/event.js';
import { lineOf, told } from '../run-facts.js';

/** A question at a gate, and what came of it. */
export interface GateLine {
  readonly task: string;
  readonly kind: string;
  /** The name of the question, which an answer has to bear. */
  readonly question: string;
  readonly openedAt: string;
  readonly openedMs: number;
  readonly line: number;
  readonly because?: string;
  readonly evidence: readonly { readonly path: string; readonly digest: string }[];
  /** Absent: it waits for its answer. */
  readonly decision?: GateAnswerLine;
}

export interface GateAnswerLine {
  readonly verdict: string;
  readonly by: string;
  readonly reasons: readonly string[];
  readonly at: string;
  readonly atMs: number;
  readonly line: number;
  /** `pass 0.9`, `revise`, one for each vote of a judge. */
  readonly votes: readonly string[];
  /** No usable answer came, which is never an approval. */
  readonly failed: boolean;
}

interface Opened {
  readonly task: string;
  readonly kind: string;
  readonly question: string;
  readonly because?: string;
  readonly evidence?: GateLine['evidence'];
}

interface Decided {
  readonly question: string;
  readonly verdict: string;
  readonly by: { readonly name: string; readonly kind: string; readonly model?: string };
  readonly reasons?: readonly string[];
  readonly votes?: readonly { readonly verdict: string; readonly score?: number }[];
  readonly failed?: true;
}

/** In order; one that was rejected and then sent back has two lines, because what was answered first stays told. */
export function gatesOf(entries: readonly JournalEntry[]): readonly GateLine[] {
  const decisions = new Map<string, (Decided & Told)[]>();
  for (const event of told<Decided>(entries, 'gate-decided'))
    decisions.set(event.question, [...(decisions.get(event.question) ?? []), event]);
  return told<Opened>(entries, 'gate-opened').flatMap((opened): GateLine[] => {
    const line = openedLine(opened);
    const decided = decisions.get(opened.question);
    return decided ? decided.map((one) => ({ ...line, decision: answerLine(one) })) : [line];
  });
}

type Told = ReturnType<typeof told<object>>[number];

const openedLine = (opened: Opened & Told): GateLine => ({
  task: opened.task,
  kind: opened.kind,
  question: opened.question,
  openedAt: opened.at,
  openedMs: Date.parse(opened.at),
  line: lineOf(opened),
  ...(opened.because === undefined ? {} : { because: opened.because }),
  evidence: opened.evidence ?? [],
});

const answerLine = (decided: Decided & Told): GateAnswerLine => ({
  verdict: decided.verdict,
  by: `${decided.by.name}${decided.by.model === undefined ? '' : ` (${decided.by.model})`}`,
  reasons: decided.reasons ?? [],
  at: decided.at,
  atMs: Date.parse(decided.at),
  line: lineOf(decided),
  votes: (decided.votes ?? []).map(({ verdict, score }) => `${verdict}${score === undefined ? '' : ` ${score}`}`),
  failed: decided.failed ?? false,
});
