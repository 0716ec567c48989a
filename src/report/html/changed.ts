import type { ResultFile, RunFacts } from '../history/run-facts.js';
import { endLines, publishedLines } from '../record/task-lines.js';
import { html, joined, type Markup } from './markup.js';
import type { Sources } from './sources.js';
import { badge, digest, named } from './table.js';

/** At the top of a page: results that are not those of the run, each with the digest that the journal has and the one of now. */
export function changedResults({ files, lost = [] }: RunFacts, sources: Sources): Markup | undefined {
  const changed = [...files.values()].filter(({ isChanged }) => isChanged);
  if (changed.length + lost.length === 0) return undefined;
  const items = [
    ...changed.map((file) => html`<li>${sources.link(file.path)}, made by ${named(file.task)}: ${digests(file)}</li>`),
    ...lost.map(
      ({ path, task, recorded }) =>
        html`<li>${named(path)}, made by ${named(task)}: recorded ${digest(recorded)}, now gone; nothing of it is shown</li>`,
    ),
  ];
  return html`<div class="changed" role="note"><p>${badge('bad', 'not what the run made')} <strong>Results were changed, made anew or taken away since.</strong> What this page shows of them is of the files as they are now, not of this run:</p><ul>${joined(items)}</ul></div>`;
}

/** Beside what is shown of a file: that it is another one now, and what the journal has in its place. */
export function changedNote(file: ResultFile | undefined, facts: RunFacts, sources: Sources): Markup | undefined {
  if (!file?.isChanged) return undefined;
  return html`<div class="changed" role="note"><p>${badge('bad', 'not what the run made')} ${sources.link(file.path)} was changed or made anew since: ${digests(file)}. What is shown of it here is not of this run.${recorded(file.task, facts, sources)}</p></div>`;
}

/** For several files at once, such as those of one chart. */
export const changedNotes = (paths: readonly string[], facts: RunFacts, sources: Sources): Markup =>
  joined([...new Set(paths)].map((path) => changedNote(facts.files.get(path), facts, sources)));

const digests = ({ recorded: then, digest: now }: ResultFile): Markup =>
  html`recorded ${then === undefined ? 'nothing' : digest(then)}, now ${digest(now)}`;

/** The journal was written when the task ended, and nobody can edit it unnoticed. */
function recorded(task: string, { state, entries }: RunFacts, sources: Sources): Markup | undefined {
  const { metrics = {}, summary } = state.tasks.get(task) ?? {};
  const line = publishedLines(entries, 'metrics').get(task);
  const numbers = Object.entries(metrics).slice(0, mostNumbers);
  const told =
    line === undefined
      ? []
      : numbers.map(([name, value]) => html`${named(name)} ${sources.journal(shown(value), line)}`);
  const said = summary === undefined ? undefined : sources.words(summary, { line: endLines(entries).get(task) ?? 1 });
  if (told.length === 0 && said === undefined) return undefined;
  const words = [...(told.length > 0 ? [joined(told, ', ')] : []), ...(said ? [html`“${said}”`] : [])];
  return html` The journal has: ${joined(words, '; ')}.`;
}

const shown = (value: number): string => String(Number(value.toPrecision(5)));
const mostNumbers = 10;
