import { journalLines } from '../history/reckoning.js';
import { type Standing, standingOrder, standingsOf, standingWords } from '../history/run-counts.js';
import type { RunFacts } from '../history/run-facts.js';
import { plannedLine, standingLines } from '../record/task-lines.js';
import { html, joined, type Markup } from './markup.js';
import type { Sources } from './sources.js';

/** `18 passed, 1 failed`, each number with the lines that it counts. */
export function countsOf(facts: RunFacts, sources: Sources): Markup {
  const counts = new Map<Standing, number>();
  for (const { standing } of standingsOf(facts.state, facts.plan))
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
  const said = standingOrder.flatMap((standing) =>
    counts.has(standing)
      ? [html`${countOf(facts, standing, { count: counts.get(standing)!, sources })} ${standingWords[standing]}`]
      : [],
  );
  return said.length === 0 ? html`none` : joined(said, ', ');
}

function countOf(
  facts: RunFacts,
  standing: Standing,
  { count, sources }: { readonly count: number; readonly sources: Sources },
): Markup {
  const what = `tasks: ${standingWords[standing]}`;
  if (standing !== 'waiting')
    return sources.follows(String(count), {
      what,
      how: 'count of the lines',
      places: journalLines(standingLines(facts, (one) => one === standing)),
    });
  // Of what was not begun there is no line: it is what remains of the plan.
  return sources.follows(String(count), {
    what,
    how: 'tasks on the first line, less one for each other line',
    places: journalLines([plannedLine(facts.entries), ...standingLines(facts, () => true)]),
  });
}
