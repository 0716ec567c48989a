import type { TaskState } from '../../model/state/run-state.js';
import { ceilingText } from '../failures/ceiling-text.js';
import { failureWords } from '../failures/failure-text.js';
import { outcomeWords } from '../history/outcome-text.js';
import { journalLines, type Place, type Reckoning } from '../history/reckoning.js';
import { standingsOf } from '../history/run-counts.js';
import { lineOf, type RunFacts } from '../history/run-facts.js';
import { plural } from '../words/phrase.js';
import { frontIn, type ReviewResult, reviewsOf, type VerificationResult, verificationsOf } from './checks.js';
import { runOutcome } from './run-outcome.js';
import { endLines, standingLines } from './task-lines.js';

export interface RunVerdict {
  readonly status: 'SUCCESS' | 'PARTIAL' | 'FAILED';
  readonly reason: string;
}

export function verdictOf(facts: RunFacts): RunVerdict {
  const { status, reason } = reasonedVerdict(facts);
  return { status, reason: reason.map(({ text }) => text).join('') };
}

/** Some words, and what the numbers in them come from. */
export interface ReasonPart {
  readonly text: string;
  readonly from?: Place | Reckoning;
}

export interface ReasonedVerdict {
  readonly status: RunVerdict['status'];
  readonly reason: readonly ReasonPart[];
}

/** Success needs everything: whatever is open, unknown, skipped or found wanting makes it less. */
export function reasonedVerdict(facts: RunFacts): ReasonedVerdict {
  const { state } = facts;
  const counts = runOutcome(facts);
  const plain = (text: string): readonly ReasonPart[] => [{ text }];
  if (state.outcome === 'violated')
    return { status: 'FAILED', reason: plain('something that is protected, or outside of the scope, was changed') };
  const done = [...state.tasks.values()].some(isPassed);
  // Whoever is stopped has not failed.
  const isStopped =
    state.outcome === 'cancelled' && [...state.tasks.values()].every(({ status }) => status !== 'failed');
  if (state.outcome !== 'passed') return { status: done || isStopped ? 'PARTIAL' : 'FAILED', reason: whyNot(facts) };
  // What was to be reached was not: the tasks that passed are none of it.
  if (counts.loop) return { status: counts.outcome === 'failed' ? 'FAILED' : 'PARTIAL', reason: counts.loop };
  const wanting = [
    ...verificationsOf(facts).flatMap((one) => gapText(one, facts)),
    ...reviewsOf(facts).flatMap(reviewText),
    ...leftOut(facts),
    ...judgedByAnother(facts),
  ];
  if (wanting.length > 0)
    return { status: 'PARTIAL', reason: wanting.flatMap((part, at) => [...(at > 0 ? plain('; ') : []), ...part]) };
  if (!done) return { status: 'FAILED', reason: plain('nothing was done') };
  if (state.tasks.size === 1) return { status: 'SUCCESS', reason: plain('its task passed') };
  const passed = [...state.tasks.values()].filter(isPassed);
  const from = counted(
    'tasks that passed',
    standingLines(facts, (standing) => standing === 'passed' || standing === 'cached'),
  );
  if (passed.length === state.tasks.size)
    return { status: 'SUCCESS', reason: [{ text: `all ${passed.length} tasks passed`, from }] };
  const all = counted(
    'all tasks',
    standingLines(facts, () => true),
  );
  const others = [...state.tasks.values()].some(isNotAsked) ? 'not all were asked for' : 'the others were left out';
  return {
    // Whoever ran a part knows of a part.
    status: others === 'the others were left out' ? 'SUCCESS' : 'PARTIAL',
    reason: [
      { text: `${passed.length}`, from },
      { text: ' of ' },
      { text: `${state.tasks.size}`, from: all },
      { text: ` tasks passed, ${others}` },
    ],
  };
}

const isPassed = ({ status, from }: TaskState): boolean =>
  from !== 'stale' && (status === 'passed' || status === 'cached');

const isNotAsked = ({ status, reasons, from }: TaskState): boolean =>
  from === 'stale' || (status === 'skipped' && reasons.some(({ code }) => code === 'not-selected'));

const counted = (what: string, lines: readonly number[]): Reckoning => ({
  what,
  how: 'count of the lines',
  places: journalLines(lines),
});

function whyNot({ state, plan, entries }: RunFacts): readonly ReasonPart[] {
  const lines = endLines(entries);
  const failed = standingsOf(state, plan).filter(({ standing }) => standing === 'failed');
  const first = failed[0]?.task;
  if (first?.failure) {
    const others = failed.slice(1).flatMap(({ id }) => lines.get(id) ?? []);
    const text = `${first.id} ${failureWords(first.failure).what}`;
    const more = { text: ` (and ${failed.length - 1} more)`, from: counted('more tasks that failed', others) };
    return [{ text, from: { line: lines.get(first.id) ?? entries.length } }, ...(failed.length > 1 ? [more] : [])];
  }
  const spent = entries.findLast(({ type }) => type === 'budget-spent');
  if (state.outcome === 'over-budget' && state.budgetSpent)
    return [{ text: ceilingText(state.budgetSpent), from: { line: spent ? lineOf(spent) : entries.length } }];
  return [{ text: `the run ${outcomeWords(state.outcome, state.signal)}`, from: { line: entries.length } }];
}

function gapText({ task, gaps, status }: VerificationResult, facts: RunFacts): ReasonPart[][] {
  if (gaps.length === 0) return status === 'passed' || status === 'cached' ? [] : [[{ text: `${task}: ${status}` }]];
  const found = frontIn(facts, task, 'score');
  const items = found?.front.get('gaps')?.itemLines ?? [];
  const places = found ? items.map((line) => ({ path: found.file.path, line })) : [];
  const end = journalLines([endLines(facts.entries).get(task) ?? facts.entries.length]);
  const from = { what: `gaps that ${task} found`, how: 'count of the lines', places: found ? places : end } as const;
  return [[{ text: `${task} leaves ` }, { text: plural(gaps.length, 'gap'), from }]];
}

const reviewText = ({ task, verdict }: ReviewResult): ReasonPart[][] =>
  verdict === 'CRITICAL' || verdict === 'WARNING' || verdict === 'SKIPPED' ? [[{ text: `${task}: ${verdict}` }]] : [];

/** A verification or review whose file was written over since tells nothing of this run. */
const judgedByAnother = (facts: RunFacts): ReasonPart[][] =>
  [...verificationsOf(facts), ...reviewsOf(facts)].flatMap(({ task, file }) =>
    file !== undefined && facts.files.get(file)?.isChanged
      ? [[{ text: `${file} is no longer what ${task} left` }]]
      : [],
  );

/** What `when` left out was decided beforehand; what could not be asked was not. */
function leftOut({ state, entries }: RunFacts): ReasonPart[][] {
  const lines = endLines(entries);
  const unreachable = [...state.tasks.values()]
    .filter(({ status, reasons }) => status === 'skipped' && reasons.some(({ code }) => code === 'agent-unreachable'))
    .map(({ id }) => ({ text: id, from: { line: lines.get(id) ?? entries.length } }));
  if (unreachable.length === 0) return [];
  const shown = unreachable.length > 3 ? unreachable.slice(0, 2) : unreachable;
  const others = unreachable.slice(shown.length).map(({ from }) => from.line);
  const more = {
    text: ` and ${others.length} more`,
    from: counted('more tasks for which nobody could be asked', others),
  };
  const between = (at: number): string =>
    at === 0 ? '' : others.length === 0 && at === shown.length - 1 ? ' and ' : ', ';
  const names = shown.flatMap((name, at) => [{ text: between(at) }, name]);
  return [[{ text: 'nobody could be asked for ' }, ...names, ...(others.length > 0 ? [more] : [])]];
}
