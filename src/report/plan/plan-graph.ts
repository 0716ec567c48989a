import { withoutShortcuts } from '../../graph/shortcuts.js';
import type { Action, Plan, Task } from '../../model/plan.js';
import { gateKind } from '../gates/gate-text.js';
import { plural } from '../words/phrase.js';
import { countsText } from './plan-footer.js';
import { countActions, type Decisions, groupTasks, type TaskGroup } from './task-group.js';

/** A plan as a picture: boxes, diamonds for gates, arrows. The forms (mermaid, dot, svg) only write it down. */
export interface PlanGraph {
  readonly title: string;
  readonly summary: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  /** A plain name such as `n12`, safe in every form. */
  readonly name: string;
  /** One or two lines. */
  readonly label: readonly string[];
  readonly kind: 'task' | 'gate';
  readonly action: Action;
  /** What the box stands for. */
  readonly tasks: readonly Task[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Follows from inputs and outputs rather than from words. */
  readonly inferred: boolean;
}

/** Beyond this many boxes nobody reads a picture: tasks are folded to stages, and stages to waves. */
const mostBoxes = 200;

export function planGraph(plan: Plan, decisions: Decisions): PlanGraph {
  const boxes = boxesOf(plan, decisions);
  const nameOf = new Map(boxes.flatMap(({ tasks }, index) => tasks.map(({ id }) => [id, `n${index}`] as const)));
  const gateOf = new Map<string, string>();
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const [index, box] of boxes.entries()) {
    const name = `n${index}`;
    const action = boxAction(box);
    nodes.push({ name, label: box.label, kind: 'task', action, tasks: box.tasks });
    const gate = box.tasks.find((task) => task.gate !== undefined)?.gate;
    if (gate === undefined) continue;
    gateOf.set(name, `g${index}`);
    nodes.push({ name: `g${index}`, label: [gateKind(gate)], kind: 'gate', action, tasks: box.tasks });
    edges.push({ from: name, to: `g${index}`, inferred: false });
  }
  edges.push(...edgesBetween(plan, nameOf, gateOf));
  const folded = boxes.length < plan.tasks.length ? `, shown as ${plural(boxes.length, 'box', 'boxes')}` : '';
  const summary = `${plural(plan.tasks.length, 'task')} in ${plural(plan.waves.length, 'wave')}${folded}: ${countsText(countActions(plan.tasks, decisions))}`;
  return { title: plan.name, summary, nodes, edges };
}

interface Box extends TaskGroup {
  readonly label: readonly string[];
}

function boxesOf(plan: Plan, decisions: Decisions): Box[] {
  if (plan.tasks.length <= mostBoxes) {
    return plan.tasks.flatMap((task) => groupTasks([task], decisions).map((group) => ({ ...group, label: [task.id] })));
  }
  const stages = groupTasks(plan.tasks, decisions);
  if (stages.length <= mostBoxes) return stages.map((group) => ({ ...group, label: stageLabel(group) }));
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const size = Math.ceil(plan.waves.length / mostBoxes);
  return Array.from({ length: Math.ceil(plan.waves.length / size) }, (_, index) => {
    const waves = plan.waves.slice(index * size, (index + 1) * size);
    const first = index * size + 1;
    const heading = waves.length === 1 ? `wave ${first}` : `waves ${first} to ${first + waves.length - 1}`;
    return waveBox(
      heading,
      waves.flat().map((id) => byId.get(id)!),
      decisions,
    );
  });
}

const stageLabel = ({ stage, tasks, counts }: TaskGroup): string[] =>
  tasks.length === 1 ? [tasks[0]!.id] : [`${stage} × ${tasks.length}`, countsText(counts)];

function waveBox(heading: string, tasks: readonly Task[], decisions: Decisions): Box {
  const counts = countActions(tasks, decisions);
  return { stage: heading, tasks, counts, label: [heading, `${plural(tasks.length, 'task')}: ${countsText(counts)}`] };
}

const boxAction = ({ counts }: TaskGroup): Action => (counts.run > 0 ? 'run' : counts.cached > 0 ? 'cached' : 'skip');

/**
 * Folded edges are one; it counts as inferred only when nobody wrote any of them down. What follows from other arrows is not
 * drawn: `plan` in words tells of every need.
 */
function edgesBetween(
  plan: Plan,
  nameOf: ReadonlyMap<string, string>,
  gateOf: ReadonlyMap<string, string>,
): GraphEdge[] {
  const found = new Map<string, GraphEdge>();
  for (const { id, needs, inferred } of plan.tasks) {
    const to = nameOf.get(id)!;
    const inferredNeeds = new Set(inferred.map(({ task }) => task));
    for (const need of needs) {
      const box = nameOf.get(need)!;
      if (box === to) continue;
      const from = gateOf.get(box) ?? box;
      const key = `${from} ${to}`;
      const soFar = found.get(key)?.inferred ?? true;
      found.set(key, { from, to, inferred: soFar && inferredNeeds.has(need) });
    }
  }
  return withoutShortcuts([...found.values()]);
}
