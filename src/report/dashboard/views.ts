import { wantedWords } from '../../model/gates/gate.js';
import { standingsOf, standingWords } from '../history/run-counts.js';
import type { RunFacts } from '../history/run-facts.js';
import { validation, verification } from '../html/checks.js';
import { comparison } from '../html/comparison.js';
import { curves } from '../html/curves.js';
import { gates } from '../html/gates.js';
import { graph } from '../html/graph.js';
import { jobs } from '../html/jobs.js';
import { loop } from '../html/loop.js';
import { html, type Markup } from '../html/markup.js';
import { monitoring } from '../html/monitoring.js';
import { environment, protection } from '../html/origins.js';
import { overview } from '../html/overview.js';
import { NamedSources, type Section } from '../html/sources.js';
import { spend } from '../html/spend.js';
import { badge } from '../html/table.js';
import { taskTable } from '../html/tasks.js';
import { timeline } from '../html/timeline.js';
import { trouble } from '../html/trouble.js';
import { executionRecord } from '../record/execution.js';
import { type GateLine, gatesOf } from '../record/gates.js';
import { plural } from '../words/phrase.js';

/** What a view is made of; the same parts as in a report, from the same facts. */
const views: Readonly<Record<string, readonly Section[]>> = {
  graph: [graph],
  timeline: [timeline],
  loop: [loop],
  curves: [curves, monitoring],
  comparison: [comparison],
  trouble: [trouble],
  spend: [spend],
  checks: [validation, verification, gates, jobs],
  environment: [protection, environment],
};

/** One view as HTML; undefined for a name that is none. */
export async function dashboardView(name: string, facts: RunFacts, wish: TaskWish): Promise<string | undefined> {
  if (name === 'top') return overview(facts, executionRecord(facts), new NamedSources(facts)).text;
  if (name === 'tasks') return taskView(facts, wish).text;
  if (name === 'logs') return logView(facts).text;
  const sections = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!sections) return undefined;
  const sources = new NamedSources(facts);
  let found = '';
  for (const section of sections) {
    const body = await section(facts, sources);
    if (body) found += html`<section><h2>${body.title}</h2>${body.body}</section>`.text;
  }
  const isOver = facts.state.outcome !== 'running';
  return found === '' ? html`<p>There is nothing to show here${!isOver && ' yet'}.</p>`.text : found;
}

export interface TaskWish {
  /** A part of the task's name. */
  readonly filter: string;
  readonly page: number;
}

const pageSize = 200;

/** Ten thousand rows help nobody: one page at a time, and a filter. */
function taskView(facts: RunFacts, { filter, page }: TaskWish): Markup {
  const all = standingsOf(facts.state, facts.plan).filter(({ id, standing }) =>
    `${id} ${standingWords[standing]}`.includes(filter),
  );
  const pages = Math.max(1, Math.ceil(all.length / pageSize));
  const at = Math.min(Math.max(0, page), pages - 1);
  const shown = new Set(all.slice(at * pageSize, (at + 1) * pageSize).map(({ id }) => id));
  const part: RunFacts = facts.plan
    ? { ...facts, plan: { ...facts.plan, tasks: facts.plan.tasks.filter(({ id }) => shown.has(id)) } }
    : facts;
  return html`<section><h2>Tasks</h2>
<form class="filter" data-filter><label>Filter <input name="filter" value="${filter}" placeholder="a name or a status"></label> <label>Page <input name="page" type="number" min="1" max="${pages}" value="${at + 1}"></label> <button>Show</button> <span>${plural(all.length, 'task')}, page ${at + 1} of ${pages}</span></form>
${shown.size > 0 ? taskTable(part, new NamedSources(facts)) : html`<p>None.</p>`}</section>`;
}

const logView = (facts: RunFacts): Markup => {
  const known = standingsOf(facts.state, facts.plan).filter(({ task }) => (task?.attempts ?? 0) > 0);
  const listed = [...known].sort((a, b) => (b.task?.startedAt ?? 0) - (a.task?.startedAt ?? 0)).slice(0, mostLogs);
  return html`<section><h2>Logs</h2><form class="filter"><label>Task <select id="log-task">${listed.map(
    ({ id, standing }) => html`<option value="${id}">${id} (${standingWords[standing]})</option>`,
  )}</select></label></form><pre class="log" id="log" tabindex="0" aria-label="Output"></pre></section>`;
};

const mostLogs = 500;

const allAnswers = html`<button class="good" name="verdict" value="pass">Approve</button> <button name="verdict" value="revise">Revise</button> <button class="bad" name="verdict" value="reject">Reject</button>`;
const onlyWords = html`<button name="verdict" value="revise">Give instructions</button>`;

/** Questions that wait for a person, each with the buttons that answer it. */
export function openGates(facts: RunFacts, readOnly: boolean): string {
  // An older question of the same task is no longer asked.
  const newest = new Map(gatesOf(facts.entries).map((gate) => [gate.task, gate]));
  const isWithdrawn = ({ kind, task, question }: GateLine): boolean =>
    kind === 'instructions' && wantedWords(facts.state.tasks.get(task)?.words)?.question !== question;
  const open = [...newest.values()].filter((gate) => !gate.decision && !isWithdrawn(gate));
  return html`${open.map(
    ({
      task,
      kind,
      question,
      openedAt,
      evidence,
      because,
    }) => html`<article class="card" aria-label="Gate of ${task}"><h3><span class="task">${task}</span> ${badge('busy', 'waits for an answer')}</h3>
<p>${kind}, asked ${openedAt}${because !== undefined && html`, because ${because}`}. Shown: ${evidence.length === 0 ? 'nothing' : evidence.map(({ path }, index) => html`${index > 0 && ', '}<code>${path}</code>`)}.</p>
${
  !readOnly &&
  html`<form class="answer" data-task="${task}" data-question="${question}"><textarea name="text" aria-label="Note, feedback or reason" placeholder="a note; feedback to revise; a reason to reject"></textarea>
${kind === 'instructions' ? onlyWords : allAnswers} <span role="status" class="said"></span></form>`
}</article>`,
  )}`.text;
}
