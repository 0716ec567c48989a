import type { JournalEntry } from '../../model/events/event.js';
import { gateKindOf } from '../gates/gate-words.js';
import { lineOf, told } from '../history/run-facts.js';

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
  /** The run that decided about the very same, where nobody was asked in this one; the times are those of then. */
  readonly from?: string;
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

/**
 * In order; one that was rejected and then sent back has two lines, because what was answered first stays told. A gate that was
 * passed in an earlier run is told with the decision that this one rests on.
 */
export function gatesOf(entries: readonly JournalEntry[]): readonly GateLine[] {
  return [...earlierOf(entries), ...askedIn(entries)].sort((a, b) => a.line - b.line);
}

function askedIn(entries: readonly JournalEntry[]): readonly GateLine[] {
  const decisions = new Map<string, (Decided & Told)[]>();
  for (const event of told<Decided>(entries, 'gate-decided'))
    decisions.set(event.question, [...(decisions.get(event.question) ?? []), event]);
  return told<Opened>(entries, 'gate-opened').flatMap((opened): GateLine[] => {
    const line = openedLine(opened);
    const decided = decisions.get(opened.question);
    return decided ? decided.map((one) => ({ ...line, decision: answerLine(one) })) : [line];
  });
}

/** What was asked again later in the same run does not rest on it any more. */
function earlierOf(entries: readonly JournalEntry[]): readonly GateLine[] {
  const asked = new Map(told<Opened>(entries, 'gate-opened').map(({ task, seq }) => [task, seq]));
  return entries.flatMap((entry): GateLine[] => {
    const line = earlierLine(entry);
    return line && (asked.get(line.task) ?? -1) < entry.seq ? [line] : [];
  });
}

function earlierLine(entry: JournalEntry): GateLine | undefined {
  const carried = entry.type === 'task-skipped' ? entry.gate : undefined;
  const decided = entry.type === 'gate-decided' ? entry : carried?.decided;
  if (!decided?.from) return undefined;
  const { run, at } = decided.from;
  const atMs = Date.parse(at);
  return {
    task: decided.task,
    kind: decided.kind ?? carried?.opened?.kind ?? gateKindOf(decided.by),
    question: decided.question,
    openedAt: at,
    openedMs: atMs,
    line: lineOf(entry),
    evidence: decided.evidence ?? carried?.opened?.evidence ?? [],
    from: run,
    decision: { ...answerLine({ ...decided, at, seq: entry.seq }), atMs },
  };
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
