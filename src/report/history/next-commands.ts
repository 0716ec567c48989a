import type { Outcome } from '../../model/events/event.js';
import type { Plan, StaleTask } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { LoopStanding, LoopUnknown } from '../iterations/loop-standing.js';
import { tellsNothing } from '../live/failed-task-text.js';
import { shellWord } from '../words/phrase.js';
import { standingsOf } from './run-counts.js';

export interface NextInput {
  readonly state: RunState;
  readonly plan?: Plan;
  /** Options that the next command needs too, with a space before them. */
  readonly again?: string;
  readonly stale?: readonly StaleTask[];
  readonly loop?: LoopStanding | LoopUnknown;
}

/** What `exec` goes on with. */
const goesOn: ReadonlySet<string> = new Set<Outcome>(['failed', 'cancelled', 'waiting', 'over-budget']);

/** A loop that is over is not gone on with, whatever became of its last run, before a rule of it was changed. */
const isOver = (loop: NextInput['loop']): boolean =>
  loop !== undefined && 'ended' in loop && loop.ended !== null && loop.ended.because !== 'failures';

/** Between two iterations the next one is what comes. */
const isBetween = ({ state, loop }: NextInput): boolean =>
  state.outcome === 'passed' && loop !== undefined && 'ended' in loop && loop.ended === null;

/** The same question has the same answer: after a rejection only another result helps. */
function goingOn({ state, plan, again = '' }: NextInput): string[] {
  const failed = standingsOf(state, plan).filter(({ standing }) => standing === 'failed');
  const [first] = failed;
  const isRejected = failed.every(({ task }) => task?.failure?.code === 'gate-rejected' && !task.failure.failed);
  if (state.outcome !== 'failed' || !first || !isRejected) return [`autoresearch exec${again}`];
  const stage = plan?.tasks.find(({ id }) => id === first.id)?.stage ?? first.id;
  return [`autoresearch exec --force ${shellWord(stage)}${again}`];
}

/** What to type next, the likeliest first. */
export function nextCommands(input: NextInput): readonly string[] {
  const { state, plan, stale, loop, again = '' } = input;
  const isOn = (goesOn.has(state.outcome) && !isOver(loop)) || isBetween(input) || (stale?.length ?? 0) > 0;
  const failed = standingsOf(state, plan).find(
    ({ standing, task }) => standing === 'failed' && !(task && tellsNothing(task)),
  );
  return [
    ...(failed ? [`autoresearch logs ${shellWord(failed.id)}${again}`] : []),
    ...(state.outcome === 'over-budget' ? [`autoresearch cost${again}`] : []),
    ...(isOn ? goingOn(input) : []),
    ...(state.outcome === 'running' ? [`autoresearch logs --follow${again}`] : []),
    ...((state.outcome === 'passed' && !isOn) || isOver(loop) ? [`autoresearch plan${again}`] : []),
  ];
}
