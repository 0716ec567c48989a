import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import { runColours, runGraph } from '../history/run-graph.js';
import { type GraphNode, type PlanGraph, planGraph } from '../plan/plan-graph.js';
import type { Decisions } from '../plan/task-group.js';
import { dotText } from './graph-dot.js';

/** The plan as a picture that browsers show. The one door to Graphviz, which is loaded only here. */
export async function svgGraph(plan: Plan, decisions: Decisions): Promise<string> {
  const graph = planGraph(plan, decisions);
  return readable(await drawn(dotText(graph)), graph);
}

/** The same with how each task of a run stands. */
export async function svgRunGraph(
  plan: Plan,
  state: RunState,
  hrefOf?: (node: GraphNode) => string | undefined,
): Promise<string> {
  const graph = runGraph(plan, state);
  return readable(await drawn(dotText(graph, { coloursOf: runColours(state), hrefOf })), graph);
}

async function drawn(dot: string): Promise<string> {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
  return (await Graphviz.load()).dot(dot);
}

/**
 * Graphviz names boxes n0, n1 … in the titles that browsers show and screen readers say; here they get their real names,
 * and the picture as a whole gets a title and a description. Comments go: they hold the version of Graphviz.
 */
function readable(svg: string, { title, summary, nodes }: PlanGraph): string {
  const labels = new Map(
    nodes.map(({ name, label, kind }) => [name, kind === 'gate' ? `gate: ${label.join(' ')}` : label.join(', ')]),
  );
  const spoken = (name: string): string => escaped(labels.get(name) ?? name);
  return (
    svg
      .slice(svg.indexOf('<svg'))
      .replace(/<!--[\s\S]*?-->\n?/g, '')
      .replace(/<title>([ng]\d+)<\/title>/g, (_, name: string) => `<title>${spoken(name)}</title>`)
      .replace(
        /<title>([ng]\d+)&#45;&gt;([ng]\d+)<\/title>/g,
        (_, from: string, to: string) => `<title>${spoken(from)} → ${spoken(to)}</title>`,
      )
      // The graph's own title would be shown twice.
      .replace(/(<g id="graph0"[^>]*>\n?)<title>[\s\S]*?<\/title>\n?/, '$1')
      .replace(
        /<svg ([^>]*)>/,
        (_, attributes: string) =>
          `<svg role="img" aria-labelledby="plan-title plan-desc" ${attributes}>\n<title id="plan-title">${escaped(title)}</title>\n<desc id="plan-desc">${escaped(summary)}</desc>`,
      )
  );
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
