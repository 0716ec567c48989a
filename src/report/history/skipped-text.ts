import type { Plan } from '../../model/plan.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import { gateStatus, openQuestions } from '../gates/gate-lines.js';
import { blameText } from '../words/blame-text.js';
import type { Paint } from '../words/paint.js';
import { listed } from '../words/phrase.js';
import { reasonText } from '../words/reason-text.js';
import type { Symbols } from '../words/symbols.js';
import { standingsOf } from './run-counts.js';

/** Skipped tasks by their cause: whom to blame, or which words in the config. */
export function skippedLines(
  state: RunState,
  plan: Plan | undefined,
  { p, s }: { readonly p: Paint; readonly s: Symbols },
): string[] {
  const waiting = new Set(openQuestions(state).map(({ task }) => task));
  const byCause = new Map<string, string[]>();
  for (const { id, standing, task } of standingsOf(state, plan)) {
    if (standing !== 'skipped' || !task) continue;
    const { because = [] } = task;
    const answered = because.length > 0 && because.every((id) => isThrough(state.tasks.get(id)));
    const cause = answered
      ? `, to be tried by the next exec: ${listed(because)} ${because.length === 1 ? 'was' : 'were'} approved`
      : because.length > 0
        ? ` because ${blameText(
            because,
            because.every((id) => waiting.has(id)),
          )}`
        : ` (${task.reasons.map(reasonText).join('; ')})`;
    const ids = byCause.get(cause);
    if (ids) ids.push(id);
    else byCause.set(cause, [id]);
  }
  const causes = [...byCause].map(
    ([cause, ids]) => `${p.dim(s.skipped)} ${ids.length} skipped${cause}: ${listed(ids, 5)}`,
  );
  const shown = causes.slice(0, mostCauses);
  if (causes.length > mostCauses) shown.push(`${s.more} and ${causes.length - mostCauses} more causes`);
  return shown.length === 0 ? [] : ['', ...shown];
}

const isThrough = (task: TaskState | undefined): boolean =>
  task?.gate !== undefined && task.status === 'passed' && gateStatus(task) === 'passed';

const mostCauses = 10;
