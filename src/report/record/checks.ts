import type { TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../failures/failure-text.js';
import { type Standing, standingWords } from '../history/run-counts.js';
import type { ResultFile, RunFacts } from '../history/run-facts.js';
import { type FrontValue, frontOf } from './result-data.js';

/** One line of a checklist that a task has published. */
export interface TestLine {
  readonly name: string;
  readonly status: string;
  readonly detail?: string;
}

/** A task that looks at what others did: parity, assertions, tests. */
export interface Validation {
  readonly task: string;
  readonly uses: string;
  readonly status: string;
  readonly detail: string;
  readonly tests: readonly TestLine[];
}

export interface VerificationResult {
  readonly task: string;
  readonly status: string;
  readonly score: string;
  readonly gaps: readonly string[];
  readonly file?: string;
}

export interface ReviewResult {
  readonly task: string;
  readonly verdict: string;
  readonly fidelity: string;
  readonly confidence: string;
  readonly detail: string;
  readonly file?: string;
}

const validating: ReadonlySet<string> = new Set(['parity', 'assert', 'baseline', 'checks']);

/** Tasks that check something, and whatever else has published tests. */
export function validationsOf(facts: RunFacts): readonly Validation[] {
  return tasksOf(facts).flatMap(({ id, uses, task }) => {
    const tests = (task as { readonly tests?: readonly TestLine[] } | undefined)?.tests ?? [];
    if (!validating.has(uses) && tests.length === 0) return [];
    return [{ task: id, uses, status: statusOf(task), detail: detailOf(task), tests }];
  });
}

export function verificationsOf(facts: RunFacts): readonly VerificationResult[] {
  return tasksOf(facts).flatMap(({ id, uses, task }) => {
    if (uses !== 'verify') return [];
    const found = frontIn(facts, id, 'score');
    const told = (key: string, missing: string): string => found?.front.get(key)?.text ?? missing;
    return [
      {
        task: id,
        status: told('status', statusOf(task)),
        score: told('score', 'not told'),
        gaps: found?.front.get('gaps')?.items ?? (task?.failure ? [detailOf(task)] : []),
        ...(found ? { file: found.file.path } : {}),
      },
    ];
  });
}

export function reviewsOf(facts: RunFacts): readonly ReviewResult[] {
  return tasksOf(facts).flatMap(({ id, uses, task }) => {
    if (uses !== 'review') return [];
    const found = frontIn(facts, id, 'verdict');
    const told = (key: string): string => found?.front.get(key)?.text ?? 'not told';
    const skipped = task?.status === 'skipped' ? 'SKIPPED' : statusOf(task);
    return [
      {
        task: id,
        verdict: found ? told('verdict') : skipped,
        fidelity: told('fidelity'),
        confidence: told('confidence'),
        detail: detailOf(task),
        ...(found ? { file: found.file.path } : {}),
      },
    ];
  });
}

interface PlannedTask {
  readonly id: string;
  readonly uses: string;
  readonly task: TaskState | undefined;
}

const tasksOf = ({ plan, state }: RunFacts): readonly PlannedTask[] =>
  plan?.tasks.map(({ id, uses }) => ({ id, uses, task: state.tasks.get(id) })) ?? [];

/** The head of the Markdown file that a task left, if it has a key. */
export function frontIn(
  { files }: RunFacts,
  task: string,
  key: string,
): { readonly front: ReadonlyMap<string, FrontValue>; readonly file: ResultFile } | undefined {
  for (const file of files.values()) {
    const front = file.task === task && file.path.endsWith('.md') ? frontOf(file) : undefined;
    if (front?.has(key)) return { front, file };
  }
  return undefined;
}

export const statusOf = (task: TaskState | undefined): string =>
  standingWords[task?.from === 'stale' ? 'waiting' : ((task?.status ?? 'waiting') as Standing)];

/** What it says itself, or why it failed. */
export const detailOf = (task: TaskState | undefined): string =>
  task?.failure ? failureWords(task.failure).what : (task?.summary ?? '');
