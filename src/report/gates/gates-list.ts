import type { RunState } from '../../model/state/run-state.js';
import { paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { symbols } from '../words/symbols.js';
import { timeAgo } from '../words/time-ago.js';
import { openQuestions, waitingLines } from './gate-lines.js';
import { type GateJson, gatesJson } from './gates-json.js';

export interface RunOfAgent {
  readonly agentId: string;
  readonly state: RunState;
}

/** `gates --json`: what waits, with the run that it waits in. */
export const gatesListJson = (
  runs: readonly RunOfAgent[],
): { readonly gates: readonly (GateJson & { readonly run: string; readonly agentId: string })[] } => ({
  gates: runs.flatMap(({ agentId, state }) => {
    const open = new Set(openQuestions(state).map(({ task }) => task));
    return gatesJson(state)
      .filter(({ task }) => open.has(task))
      .map((gate) => ({ run: state.run, agentId, ...gate }));
  }),
});

/** Everything that waits for a person, newest runs first, with the commands that answer it. */
export function gatesListText(
  runs: readonly RunOfAgent[],
  { color, again, now }: { readonly color: boolean; readonly again: string; readonly now: number },
): string {
  const style = { p: paint(color), s: symbols(true) };
  const waiting = runs.filter(({ state }) => openQuestions(state).length > 0);
  if (waiting.length === 0) return 'No gate waits for a person.\n';
  const blocks = waiting.map(({ agentId, state }) => {
    const questions = openQuestions(state);
    const own = agentId === 'default' ? '' : `, agent id ${agentId}`;
    const since = timeAgo(Math.min(...questions.map(({ at }) => at)), now);
    const head = `${style.p.bold(state.name)} run ${state.run}${own}: ${plural(questions.length, questions.some(({ kind }) => kind === 'instructions') ? 'question' : 'gate')}, asked ${since}`;
    const options = agentId === 'default' || again.includes('--agent-id') ? again : ` --agent-id ${agentId}${again}`;
    return [head, ...waitingLines(state, { ...style, again: options })].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}
