import type { Plan } from '../../model/plan.js';
import { type GraphNode, type PlanGraph, planGraph } from '../plan/plan-graph.js';
import type { Decisions } from '../plan/task-group.js';
import { graphColours } from './graph-colours.js';

/** The plan in Graphviz' language. */
export const dotGraph = (plan: Plan, decisions: Decisions): string => dotText(planGraph(plan, decisions));

export interface BoxColours {
  readonly fill: string;
  readonly line: string;
}

/** Boxes have the colours of what would happen unless stated. */
export function dotText(
  { title, nodes, edges }: PlanGraph,
  {
    coloursOf = ({ action }) => graphColours[action],
    hrefOf,
  }: {
    readonly coloursOf?: (node: GraphNode) => BoxColours;
    /** Where a box leads to. */
    readonly hrefOf?: ((node: GraphNode) => string | undefined) | undefined;
  } = {},
): string {
  return `${[
    `digraph ${quoted(title)} {`,
    '  graph [rankdir=LR, bgcolor="transparent", nodesep=0.2, ranksep=0.5];',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=11, fontcolor="#111827", margin="0.2,0.06"];',
    '  edge [color="#4b5563", arrowsize=0.7];',
    ...nodes.map((node) => nodeLine(node, coloursOf(node), hrefOf?.(node))),
    ...edges.map(({ from, to, inferred }) => `  ${from} -> ${to}${inferred ? ' [style=dashed]' : ''};`),
    '}',
  ].join('\n')}\n`;
}

function nodeLine({ name, label, kind }: GraphNode, { fill, line }: BoxColours, href?: string): string {
  const shape = kind === 'gate' ? ', shape=diamond, style=filled' : '';
  // Graphviz decodes entities inside labels.
  const text = quoted(label.join('\n').replaceAll('&', '&amp;'));
  return `  ${name} [label=${text}, fillcolor="${fill}", color="${line}"${shape}${href === undefined ? '' : `, URL=${quoted(href)}`}];`;
}

/** Labels read `\\` as one backslash and `\n` as a new line; nothing else needs care between quotes. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/[\r\0]/g, '')
    .replaceAll('\n', '\\n')}"`;
