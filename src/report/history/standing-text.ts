import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { symbols } from '../words/symbols.js';
import { timeAgo } from '../words/time-ago.js';
import { resultLines } from './summary.js';

export interface StandingInput {
  readonly plan: Plan;
  readonly state: RunState;
  /** Absolute. */
  readonly runDir: string;
  readonly cwd: string;
  readonly now: number;
  readonly color: boolean;
  readonly unicode?: boolean;
}

/** What `exec` says when an earlier run did everything already. */
export function standingText(input: StandingInput): string {
  const { plan, state } = input;
  const style = { p: paint(input.color), s: symbols(input.unicode ?? true) };
  const since = `run ${state.run}, ${timeAgo(state.startedAt, input.now)}`;
  const tasks = plan.tasks.length === 1 ? 'its task' : `all ${plural(plan.tasks.length, 'task')}`;
  const head = `${style.p.green(style.s.cached)} ${style.p.bold(`${plan.name}: nothing to do`)}, ${tasks} still hold${plan.tasks.length === 1 ? 's' : ''} (${since})`;
  return `${[head, ...resultLines(input, style)].join('\n')}\n`;
}
