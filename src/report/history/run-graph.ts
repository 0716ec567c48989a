import type { Decision, Plan, TaskId } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { BoxColours } from '../graph/graph-dot.js';
import { type GraphNode, type PlanGraph, planGraph } from '../plan/plan-graph.js';
import { type Standing, standingOf, standingWords, worstStanding } from './run-counts.js';

/** The plan as a picture in which each box says how its tasks stand. */
export function runGraph(plan: Plan, state: RunState): PlanGraph {
  const nothing: Decision = { action: 'run', reasons: [] };
  const graph = planGraph(plan, new Map<TaskId, Decision>(plan.tasks.map(({ id }) => [id, nothing])));
  return {
    ...graph,
    summary: graph.summary.replace(/:[^:]*$/, ''),
    nodes: graph.nodes.map((node) => (node.kind === 'gate' ? node : { ...node, label: labelOf(node, state) })),
  };
}

export const runColours =
  (state: RunState) =>
  (node: GraphNode): BoxColours =>
    colours[worstOf(node, state)];

function labelOf(node: GraphNode, state: RunState): string[] {
  const mark = marks[worstOf(node, state)];
  if (node.tasks.length === 1) return [`${mark} ${node.label[0]}`];
  const counts = new Map<Standing, number>();
  for (const { id } of node.tasks) counts.set(standing(state, id), (counts.get(standing(state, id)) ?? 0) + 1);
  return [`${mark} ${node.label[0]}`, [...counts].map(([kind, count]) => `${count} ${standingWords[kind]}`).join(', ')];
}

const standing = (state: RunState, id: TaskId): Standing => standingOf(state.tasks.get(id), state);

function worstOf({ tasks }: GraphNode, state: RunState): Standing {
  return worstStanding(tasks.map(({ id }) => standing(state, id)));
}

const marks: Record<Standing, string> = {
  passed: '✓',
  cached: '✓',
  failed: '✗',
  skipped: '–',
  running: '▶',
  retrying: '↻',
  cancelled: '■',
  waiting: '·',
};

/** Pages give these other shades in the dark by their values, so each is used for one thing. */
const colours: Record<Standing, BoxColours> = {
  passed: { fill: '#dcfce7', line: '#15803d' },
  cached: { fill: '#ecfdf5', line: '#0f766e' },
  failed: { fill: '#fee2e2', line: '#b91c1c' },
  cancelled: { fill: '#ffedd5', line: '#c2410c' },
  retrying: { fill: '#fef9c3', line: '#a16207' },
  running: { fill: '#dbeafe', line: '#1d4ed8' },
  skipped: { fill: '#f3f4f6', line: '#6b7280' },
  waiting: { fill: '#f9fafb', line: '#9ca3af' },
};
