import { formatDuration } from '../../model/duration.js';
import { listed, plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { answerText } from './answers.js';
import type { ExecutionRecord } from './execution.js';
import { usdText } from './spend.js';

/** What a run gives back to whoever started it, in a few words that a program can read. */
export interface StructuredReturn {
  /** One for each comparison, first of all: the rest is how the run went. Absent where nothing was compared. */
  readonly ANSWER?: readonly string[];
  readonly STATUS: ExecutionRecord['status'];
  readonly REASON: string;
  readonly JOB_IDS: readonly string[];
  readonly PLANS_EXECUTED: string;
  readonly VALIDATION: string;
  readonly VERIFICATION: string;
  readonly REVIEW: string;
  readonly EXECUTE_BRANCH: string | null;
  readonly EXECUTE_WORKTREE_PATH: string | null;
  readonly SUMMARY: readonly string[];
}

/** What did not take place is said to be so: `NONE` is not `PASSED`. */
export function structuredReturn(record: ExecutionRecord): StructuredReturn {
  const { validations, verifications, reviews, worktrees, plans, jobs } = record;
  // Where the work is: in a worktree that is still there, else all of it in the branch that is checked out.
  const open = worktrees.findLast(({ state }) => state === 'open' || state === 'kept');
  const written = plans.filter(({ file }) => file !== undefined);
  const asked = written.length > 0 ? written : plans;
  return {
    ...(record.answers.length === 0 ? {} : { ANSWER: record.answers.map((one) => plainLine(answerText(one))) }),
    STATUS: record.status,
    REASON: plainLine(record.reason),
    JOB_IDS: jobs.flatMap(({ id }) => id ?? []),
    PLANS_EXECUTED: `${asked.filter(({ passed, tasks }) => passed === tasks).length} of ${asked.length}`,
    VALIDATION: validationWord(validations),
    VERIFICATION:
      verifications.length === 0 ? 'NONE' : verifications.map(({ status, score }) => `${status} ${score}`).join(', '),
    REVIEW:
      reviews.length === 0
        ? 'NONE'
        : reviews.map(({ verdict, fidelity }) => `${verdict} (fidelity ${fidelity})`).join(', '),
    EXECUTE_BRANCH: open?.branch ?? record.branch,
    EXECUTE_WORKTREE_PATH: open?.path ?? (record.branch === null ? null : '.'),
    SUMMARY: summaryOf(record).map(plainLine),
  };
}

function validationWord(validations: ExecutionRecord['validations']): string {
  if (validations.length === 0) return 'NONE';
  const failed = validations.filter(({ status }) => status !== 'passed' && status !== 'cached');
  return failed.length === 0 ? `PASSED (${validations.length})` : `FAILED (${listed(failed.map(({ task }) => task))})`;
}

/** Five to ten lines, and those of the loop that it belongs to. */
function summaryOf(record: ExecutionRecord): string[] {
  const { plans, stops, spend, gates, jobs, loop } = record;
  // What costs no try, such as a wait for a quota, is no failure; the page counts the same.
  const fixes = record.fixes.filter(({ counted }) => counted);
  const tasks = plans.reduce((sum, { tasks: count }) => sum + count, 0);
  const passed = plans.reduce((sum, { passed: count }) => sum + count, 0);
  const mended = fixes.filter(({ afterwards }) => afterwards === 'passed').length;
  return [
    `${record.name}, run ${record.run}: ${record.status}, because ${record.reason}`,
    `${passed} of ${plural(tasks, 'task')} passed in ${formatDuration(record.workedMs)} of work`,
    fixes.length === 0
      ? 'no attempt failed'
      : `${plural(fixes.length, 'failed attempt')}, ${mended} followed by one that passed`,
    ...(stops.length === 0 ? [] : [`${plural(stops.length, 'attempt')} stopped, which is no failure`]),
    spend.calls === 0 ? 'no agent was asked' : `${plural(spend.calls, 'call')} of agents: ${usdText(spend)}`,
    record.commits.length === 0
      ? 'nothing was committed'
      : `${plural(record.commits.length, 'commit')}: ${listed(record.commits.map(({ commit }) => commit.slice(0, 10)))}`,
    ...(jobs.length === 0
      ? []
      : [`${plural(jobs.length, 'job')}: ${listed(jobs.map(({ id, state }) => `${id ?? 'not submitted'} ${state}`))}`]),
    ...(gates.length === 0
      ? []
      : [
          `gates: ${listed(
            gates.map(({ task, decision }) => `${task} ${decision?.verdict ?? 'waits'}`),
            5,
          )}`,
        ]),
    ...(record.violations.length === 0
      ? []
      : [`protected files were changed ${plural(record.violations.length, 'time')}`]),
    ...(loop?.words ?? []),
  ];
}

/** `STATUS: SUCCESS`, a line each, for whoever reads text. */
export function returnText(given: StructuredReturn): string {
  const { ANSWER = [], SUMMARY, ...fields } = given;
  const answers = ANSWER.map((one) => `ANSWER: ${one}`);
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') || 'NONE' : (value ?? 'NONE')}`,
  );
  return `${[...answers, ...lines, 'SUMMARY:', ...SUMMARY.map((line) => `  ${line}`)].join('\n')}\n`;
}
