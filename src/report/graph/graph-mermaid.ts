import type { Action, Plan } from '../../model/plan.js';
import { type GraphNode, planGraph } from '../plan/plan-graph.js';
import type { Decisions } from '../plan/task-group.js';
import { graphColours } from './graph-colours.js';

/** A Mermaid flowchart, for READMEs and merge requests. */
export function mermaidGraph(plan: Plan, decisions: Decisions): string {
  const { title, summary, nodes, edges } = planGraph(plan, decisions);
  const actions = [...new Set(nodes.map(({ action }) => action))];
  return `${[
    'flowchart LR',
    `  accTitle: ${plainText(title)}`,
    `  accDescr: ${plainText(summary)}`,
    ...nodes.map(nodeLine),
    ...edges.map(({ from, to, inferred }) => `  ${from} ${inferred ? '-.->' : '-->'} ${to}`),
    ...actions.map(classLine),
  ].join('\n')}\n`;
}

function nodeLine({ name, label, kind, action }: GraphNode): string {
  const text = label.map(escaped).join('<br/>');
  return `  ${name}${kind === 'gate' ? `{"${text}"}` : `["${text}"]`}:::${action}`;
}

function classLine(action: Action): string {
  const { fill, line } = graphColours[action];
  return `  classDef ${action} fill:${fill},stroke:${line},color:#111827`;
}

/** Mermaid reads entities as `#code;`. Everything that is not surely harmless becomes one. */
const escaped = (text: string): string =>
  text.replace(/\s/g, ' ').replace(/[^\p{L}\p{N} _.,:=/+×()-]/gu, (char) => `#${char.codePointAt(0)};`);

/** These lines know no entities: what could end them or start something is left out. */
const plainText = (text: string): string => text.replace(/[^\p{L}\p{N} _.,:=/+×()-]/gu, ' ');
