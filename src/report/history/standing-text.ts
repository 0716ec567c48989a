import type { StandingFacts } from '../../model/files/standing-note.js';
import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { symbols } from '../words/symbols.js';
import { timeAgo } from '../words/time-ago.js';
import { resultLines, resultsOf } from './result-lines.js';

export interface StandingInput {
  /** Absolute. */
  readonly runDir: string;
  readonly cwd: string;
  readonly now: number;
  readonly color: boolean;
  readonly unicode?: boolean;
}

export const standingFacts = (plan: Plan, state: RunState): StandingFacts => ({
  name: plan.name,
  tasks: plan.tasks.length,
  run: state.run,
  startedAt: state.startedAt,
  ...resultsOf({ plan, state }),
});

/** What `exec` says when an earlier run did everything already. */
export function standingText(facts: StandingFacts, input: StandingInput): string {
  const style = { p: paint(input.color), s: symbols(input.unicode ?? true) };
  const since = `run ${facts.run}, ${timeAgo(facts.startedAt, input.now)}`;
  const tasks = facts.tasks === 1 ? 'its task' : `all ${plural(facts.tasks, 'task')}`;
  const head = `${style.p.green(style.s.cached)} ${style.p.bold(`${facts.name}: nothing to do`)}, ${tasks} still hold${facts.tasks === 1 ? 's' : ''} (${since})`;
  return `${[head, ...resultLines(facts, input, style)].join('\n')}\n`;
}
