import type { RunFacts } from '../history/run-facts.js';
import { foundParts } from '../record/answers.js';
import { type Comparison, comparisonsOf } from '../record/comparisons.js';
import { endLines } from '../record/task-lines.js';
import { verdictKind } from './comparison.js';
import { html, joined, type Markup } from './markup.js';
import type { Sources } from './sources.js';
import { badge, named } from './table.js';

/** What was asked and what was found, for each comparison of the run: coloured by the answer, whatever became of the run. */
export function answers(facts: RunFacts, sources: Sources): Markup | undefined {
  const all = comparisonsOf(facts);
  return all.length === 0 ? undefined : joined(all.map((one) => answer(one, { facts, sources })));
}

function answer(one: Comparison, { facts, sources }: { readonly facts: RunFacts; readonly sources: Sources }): Markup {
  const { asked, sentence, verdict, file, lines } = one;
  const isChanged = facts.files.get(file)?.isChanged ?? false;
  const found = foundParts(one).map(({ text, from }) => (from ? sources.words(text, from) : text));
  // Names of arms hold digits too; only a claim can hold a number, and it stands on the line of the sentence.
  const question =
    sentence === undefined
      ? html`<small>Compared:</small> ${named(asked)}`
      : html`<small>Claim:</small> “${sources.words(asked, { path: file, line: lines.sentence })}”`;
  const said = isChanged
    ? html`${badge('bad', 'not what the run made')} <small>the file now says ${named(verdict)}</small>`
    : html`${badge(verdictKind(verdict), verdict)} ${joined(found)}.`;
  return html`<div class="answer ${isChanged ? 'bad' : verdictKind(verdict)}"><p class="asked">${question}</p>
<p>${said} <small><a href="#comparison">how it was compared</a></small></p></div>
`;
}

/**
 * Where nothing was compared: what the tasks at the end of the study say themselves, in quotes and with their names. What an agent says of
 * its own work is no finding, and nothing is made of numbers whose meaning nobody has stated.
 */
export function lastWords({ state, plan, entries, loop }: RunFacts, sources: Sources): Markup | undefined {
  if (!plan || loop) return undefined;
  const needed = new Set(plan.tasks.flatMap(({ needs }) => needs));
  const ends = endLines(entries);
  const said = plan.tasks.flatMap(({ id, agent }) => {
    const { status, summary = '' } = state.tasks.get(id) ?? {};
    const isDone = status === 'passed' || status === 'cached';
    if (!isDone || agent || needed.has(id) || summary === '') return [];
    return [
      html`<p><span class="task">${id}</span>, at the end of the study: “${sources.words(summary, { line: ends.get(id) ?? 1 })}”</p>
`,
    ];
  });
  return said.length === 0 || said.length > mostLast
    ? undefined
    : html`<div class="answer">${said}</div>
`;
}

const mostLast = 3;
