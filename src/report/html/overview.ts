import { formatDuration } from '../../model/duration.js';
import { outcomeNames } from '../history/outcome-text.js';
import { journalLines } from '../history/reckoning.js';
import { runCounts } from '../history/run-counts.js';
import type { RunFacts } from '../history/run-facts.js';
import type { ExecutionRecord } from '../record/execution.js';
import { runOutcome } from '../record/run-outcome.js';
import { reasonedVerdict } from '../record/status.js';
import { plannedLine } from '../record/task-lines.js';
import { plural } from '../words/phrase.js';
import { answers, lastWords } from './answers.js';
import { changedResults } from './changed.js';
import { costOf } from './cost.js';
import { countsOf } from './counts.js';
import { bestOfLoop, ownIteration } from './loop-page.js';
import { type Content, html, joined, type Markup } from './markup.js';
import type { Sources } from './sources.js';
import { type BadgeKind, badge, named } from './table.js';
import { timeAtWork } from './time-at-work.js';

const kinds: Record<ExecutionRecord['status'], BadgeKind> = { SUCCESS: 'good', PARTIAL: 'warn', FAILED: 'bad' };

/**
 * The top of the page: what was asked and found, then how the run ended and why. That all tasks passed is no answer: where something was
 * found, nothing else is coloured as good.
 */
export function overview(facts: RunFacts, record: ExecutionRecord, sources: Sources): Markup {
  const { state, plan, entries } = facts;
  const { total } = runCounts(state, plan);
  const last = entries.length;
  const workspace = entries.find(({ type }) => type === 'workspace-recorded');
  const { status, reason } = reasonedVerdict(facts);
  const counts = runOutcome(facts);
  const said = reason.map(({ text, from }) => (from ? sources.words(text, from) : text));
  const spent = costOf(entries, sources);
  const answered = answers(facts, sources) ?? lastWords(facts, sources);
  return html`<header>
<p class="kicker">autoresearch · run ${named(state.run)}${record.iteration !== null && html` · ${sources.journal(record.iteration, 1)}`}</p>
<h1>${state.name}</h1>
${answered}<p class="verdict">${answered && status === 'SUCCESS' ? html`The run finished:` : badge(kinds[status], status)} ${joined(said)}.</p>
${changedResults(facts, sources)}${facts.loop && ownIteration(facts.loop, state.run, sources)}
<div class="tiles">
${facts.loop && tile('Best of the loop', html`${bestOfLoop(facts.loop, sources)}<small><a href="#loop">all iterations</a></small>`)}
${tile('Outcome', sources.at(outcomeNames[counts.outcome], counts.from))}
${tile('Tasks', html`${sources.journal(String(total), plannedLine(entries))}<small>${countsOf(facts, sources)}</small>`)}
${tile('At work', sources.follows(formatDuration(state.workedMs), timeAtWork(facts)))}
${tile('Failed attempts', failedAttempts(record, sources))}
${tile('Agents', spent ?? 'none asked')}
${tile('Made from', workspace ? sources.journal(madeFrom(record), workspace.seq + 1) : madeFrom(record))}
</div>
<p class="when">Started ${sources.time(record.startedAt, 1)}${record.finishedAt !== null && html`, ended ${sources.time(record.finishedAt, last)}`}.</p>
</header>`;
}

const tile = (name: string, value: Content): Markup =>
  html`<div class="tile"><span>${name}</span><strong>${value}</strong></div>`;

/** The number leads to its lines; what was done about them is a part of the page. */
function failedAttempts({ fixes }: ExecutionRecord, sources: Sources): Markup {
  const failed = fixes.filter(({ counted }) => counted);
  const places = journalLines(failed.map(({ line }) => line));
  const number = sources.follows(String(failed.length), {
    what: 'attempts and jobs that failed',
    how: 'count of the lines',
    places,
  });
  return html`${number}${failed.length > 0 && html`<small><a href="#trouble">what came of them</a></small>`}`;
}

function madeFrom({ commit, branch, changedFiles }: ExecutionRecord): string {
  const from = commit === null ? 'no commit' : `${commit.slice(0, 10)}${branch === null ? '' : ` on ${branch}`}`;
  return `${from}${changedFiles ? ` and ${plural(changedFiles, 'changed file')}` : ''}`;
}
