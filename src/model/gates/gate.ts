import type { TestResult } from '../agents/test-result.js';
import type { TaskId } from '../plan.js';

/**
 * What decides. A gate of another kind asks a person when work may not be sent back any more. `instructions` decides
 * nothing: the tries of a task are spent, and a person is asked for new words.
 */
export type GateKind = 'human' | 'auto' | 'auto-judge' | 'instructions';

export type Verdict = 'pass' | 'revise' | 'reject';

export interface EvidenceFile {
  readonly path: string;
  readonly digest: string;
}

/** What a verdict is about. When any of it changes, the verdict is void. */
export interface Shown {
  /** One digest for all that follows. */
  readonly shown: string;
  readonly product: string;
  readonly evidence: readonly EvidenceFile[];
  /** Of the gate's own words, and of the judge. */
  readonly gate: string;
  /** Of the part of the plan that led here: the task, all that it needs, and what is protected. */
  readonly covers: string;
}

/** A question that was asked and not answered yet, or was. */
export interface GateQuestion extends Shown {
  readonly task: TaskId;
  readonly attempt: number;
  readonly kind: GateKind;
  /** Never the same twice: an answer names it, so that none can be given ahead of the question. */
  readonly question: string;
  readonly planDigest: string;
  /** The patterns that the evidence was found by. */
  readonly patterns: readonly string[];
  /** Who may answer; absent: everybody who may write here. */
  readonly approvers?: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** What keeps a person from sending the work back; absent: nothing does. */
  readonly noRevise?: string;
  /** Why it is asked although it was decided before, or why a person is asked instead of a judge. */
  readonly because?: string;
  /** The checklist of the task, or of what it waited for. */
  readonly tests?: readonly TestResult[];
}

/** Who decided: a person by the name of the operating system's user, an agent, the checks, or time that ran out. */
export interface DecidedBy {
  readonly kind: 'person' | 'agent' | 'checks' | 'time' | 'runner';
  readonly name: string;
  readonly model?: string;
  readonly family?: string;
}

export interface GateVote {
  readonly verdict: Verdict | 'failed';
  readonly score?: number;
  readonly reasons: readonly string[];
}

export interface GateDecision extends Pick<Shown, 'shown' | 'gate' | 'covers'> {
  readonly task: TaskId;
  readonly attempt: number;
  readonly question: string;
  readonly verdict: Verdict;
  readonly by: DecidedBy;
  /** The feedback of a revision, the reason of a rejection, the note of an approval, the findings of a judge. */
  readonly reasons: readonly string[];
  readonly planDigest: string;
  /** The file that the answer came in, so that whoever left it knows that it was theirs. */
  readonly answer?: string;
  /** Of the criteria, votes and threshold that a judge went by. */
  readonly rubric?: string;
  readonly votes?: readonly GateVote[];
  /** Nobody decided against it: no usable answer came. It is asked again when the run goes on. */
  readonly failed?: true;
  /** The samples that the judge got wrong: it may not judge. */
  readonly uncalibrated?: readonly string[];
  /** The run in which it was decided about the very same, and when; absent: in this one. */
  readonly from?: DecidedIn;
  /** Where nobody was asked in this run: what it is about. */
  readonly kind?: GateKind;
  readonly evidence?: readonly EvidenceFile[];
}

export interface DecidedIn {
  readonly run: string;
  /** As a journal tells times. */
  readonly at: string;
}

/** What a task's gate has come to. */
export interface GateState {
  /** The newest question. */
  readonly opened?: GateQuestion & { readonly at: number };
  /** What the question before it was about. */
  readonly before?: readonly EvidenceFile[];
  /** The newest decision. */
  readonly decided?: GateDecision & { readonly at: number };
  /** How often the work was sent back in this run. */
  readonly rounds: number;
  /** What it was sent back with, one after the other. */
  readonly feedback?: readonly string[];
  /** A revision was decided, and nothing has come of it yet. */
  readonly owed?: true;
  /** The work was done anew since: what was rejected may be asked about again. */
  readonly redone?: true;
}

/** Whether a question waits for its answer. */
export const isOpen = ({ opened, decided }: GateState): boolean =>
  opened !== undefined && opened.question !== decided?.question;

/** What a person was asked for when the tries were spent, and what they said. */
export interface WordsState {
  /** The newest question; absent when the task was tried although nobody had answered. */
  readonly asked?: GateQuestion & { readonly at: number };
  /** The answer to it. */
  readonly given?: GateDecision & { readonly at: number };
  /** All that was said, one after the other. */
  readonly said: readonly string[];
}

/** The question that waits for words. */
export const wantedWords = (words: WordsState | undefined): WordsState['asked'] =>
  words?.given ? undefined : words?.asked;

/** Words that a task is sent back with, until it passes again. */
export interface SentBack {
  /** The task whose gate sent it back. */
  readonly by: TaskId;
  readonly round: number;
  /** Absent for what only has to be done again because something before it is. */
  readonly feedback?: string;
  /** What earlier rounds said. */
  readonly earlier?: readonly string[];
  /** It was no gate: a parameter was changed that holds for every arm. In words. */
  readonly changed?: string;
}
