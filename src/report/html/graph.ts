import { svgRunGraph } from '../graph/graph-svg.js';
import { journalLines } from '../history/reckoning.js';
import { endLines } from '../record/task-lines.js';
import { html, Markup } from './markup.js';
import type { Section } from './sources.js';

/** The plan as a picture, with how each task stands. A box leads to the line that says so, and one of many tasks to all of theirs. */
export const graph: Section = async ({ plan, state, entries }, sources) => {
  if (!plan || plan.tasks.length === 0) return undefined;
  const ends = endLines(entries);
  const svg = await svgRunGraph(plan, state, ({ tasks, label }) => {
    const lines = tasks.flatMap(({ id }) => ends.get(id) ?? []).sort((a, b) => a - b);
    const [line] = lines;
    if (tasks.length === 1) return line === undefined ? undefined : sources.href({ line });
    const what = `tasks of ${label[0]?.replace(/^\S /, '')} that were begun or skipped`;
    return sources.href({ what, how: 'count of the lines', places: journalLines(lines) }, String(lines.length));
  });
  return {
    id: 'graph',
    title: 'Graph',
    body: html`<figure class="graph"><div class="scroll" tabindex="0">${new Markup(svg)}</div><figcaption>✓ passed, ✗ failed, – skipped, ▶ running, ↻ trying again, ■ stopped, · not started. A dashed arrow follows from files rather than from words; what follows from other arrows is not drawn.</figcaption></figure>`,
  };
};
