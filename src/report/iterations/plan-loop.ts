import { formatDuration } from '../../model/duration.js';
import type { Plan } from '../../model/plan.js';
import { shownNumber } from '../../model/shown-number.js';
import type { Decisions } from '../plan/task-group.js';
import { listed, plural } from '../words/phrase.js';
import { numberWords } from './iteration-words.js';

/** What `plan` says of a loop. */
export interface PlanLoop {
  /** Of the iteration that the plan is for; 0 is the baseline. */
  readonly number: number;
  /** Why the loop is over, when it is. */
  readonly over?: string;
  readonly repeats: number;
  readonly max: number;
  readonly until?: string;
  readonly patience?: number;
  readonly plateau?: { readonly over: number; readonly gain: number };
  readonly failures: number;
  readonly keep: 'best' | 'all';
  readonly usd?: number;
  readonly timeMs?: number;
}

/** What each iteration does, as long as there is none. */
export interface EachIteration {
  readonly plan: Plan;
  readonly decisions: Decisions;
}

/** Which iteration is next, what each does, what ends the loop, and what all that is left can cost at worst. */
export function planLoopLines(
  plan: Plan,
  loop: PlanLoop,
  each = plan,
): readonly (readonly [label: string, text: string])[] {
  const { number, max } = loop;
  const again = new Set(each.iterate?.again);
  const stages = [...new Set(each.tasks.filter(({ id }) => again.has(id)).map(({ stage }) => stage))];
  const which = number === 0 ? `the baseline, ${plural(loop.repeats, 'time')},` : numberWords(number, max);
  if (loop.over !== undefined) return [['Iterations: ', `the loop is over: ${loop.over}.`]];
  const kept = plan.iterate?.files ? ` Kept or put back: ${listed(plan.iterate.files, 5)}.` : '';
  return [
    [
      'Iterations: ',
      `${which} is next; ${each === plan ? 'it' : 'each iteration'} does ${listed(stages, 6)} again.${kept}`,
    ],
    ['Ends:       ', `${endsOf(loop).join(', ')}.`],
    ['At worst:   ', `${worstOf(each, loop)}.`],
  ];
}

function endsOf({ max, until, patience, plateau, failures, usd, timeMs }: PlanLoop): string[] {
  return [
    ...(until === undefined ? [] : [`when ${until}`]),
    `after ${plural(max, 'iteration')}`,
    ...(patience === undefined ? [] : [`${patience} in a row without progress`]),
    ...(plateau ? [`${plateau.over} that together win less than ${shownNumber(plateau.gain)}`] : []),
    `${failures} failed in a row`,
    ...(usd === undefined ? [] : [`$${shownNumber(usd)} in all`]),
    ...(timeMs === undefined ? [] : [`${formatDuration(timeMs)} in all`]),
  ];
}

function worstOf({ worstCase: { attempts, agentCalls, usd } }: Plan, { number, max, usd: ceiling }: PlanLoop): string {
  const left = Math.max(0, number === 0 ? max : max - number + 1);
  const money = usd === null ? 'money not bounded' : `at most $${shownNumber(usd * left)}`;
  const stopped =
    ceiling !== undefined && (usd === null || usd * left > ceiling) ? `, stopped at $${shownNumber(ceiling)}` : '';
  return `${plural(left, 'iteration')} with ${plural(attempts * left, 'attempt')}, ${plural(agentCalls * left, 'agent call')}, ${money}${stopped}`;
}
