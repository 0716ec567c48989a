import { formatDuration } from '../../model/duration.js';
import { journalLines } from '../history/reckoning.js';
import { type GateLine, gatesOf } from '../record/gates.js';
import { plural } from '../words/phrase.js';
import { html, joined, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { type BadgeKind, badge, digest, named } from './table.js';

const kinds: Readonly<Record<string, BadgeKind>> = { pass: 'good', revise: 'warn', reject: 'bad' };

/** Each question, what was shown, who answered and why. */
export const gates: Section = ({ entries }, sources) => {
  const all = gatesOf(entries);
  if (all.length === 0) return undefined;
  const items = all.map((gate) => {
    const { decision } = gate;
    return html`<article class="card">
<h3><span class="task">${gate.task}</span> ${decision ? badge(decision.failed ? 'bad' : (kinds[decision.verdict] ?? 'warn'), decision.failed ? 'no usable answer' : decision.verdict) : badge('busy', 'waits for an answer')}</h3>
<p>${gate.from === undefined ? asked(gate, sources) : earlier(gate, sources)}.</p>
${decision && decision.reasons.length > 0 && html`<ul>${decision.reasons.map((reason) => html`<li>${sources.words(reason, decision)}</li>`)}</ul>`}
${decision && decision.votes.length > 0 && html`<p>Votes: ${sources.words(decision.votes.join(', '), decision)}</p>`}
${evidence(gate, sources)}
</article>`;
  });
  return { id: 'gates', title: 'Gates', body: joined(items) };
};

const asked = (gate: GateLine, sources: Sources): Markup => {
  const { decision, because } = gate;
  return html`${gate.kind}, asked ${sources.time(gate.openedAt, gate.line)}${because !== undefined && html`, because ${sources.words(because, gate)}`}${decision && html`; ${named(decision.by)} answered ${sources.time(decision.at, decision.line)}, after ${waited(gate, decision, sources)}`}`;
};

/** Nobody was asked in this run. */
const earlier = ({ kind, from, decision, line }: GateLine, sources: Sources): Markup =>
  html`${kind}, not asked again: ${named(decision!.by)} answered ${sources.time(decision!.at, line)} in run ${named(from!)}, and what was shown then is the very same`;

const waited = ({ task, openedMs, line }: GateLine, decision: NonNullable<GateLine['decision']>, sources: Sources) =>
  sources.follows(formatDuration(decision.atMs - openedMs), {
    what: `the gate of ${task} waited`,
    how: 'time from the first to the last line',
    places: journalLines([line, decision.line]),
  });

const evidence = ({ evidence: shown, task, line, from }: GateLine, sources: Sources) => {
  if (shown.length === 0) return undefined;
  const count = () =>
    sources.follows(plural(shown.length, 'file'), {
      what: `files shown at the gate of ${task}`,
      how: 'count of evidence on the line',
      places: journalLines([line]),
    });
  // The line of an earlier decision holds them deep inside.
  return html`<details><summary>Evidence${from === undefined && html`: ${count()}`}</summary><ul>${shown.map(({ path, digest: sum }) => html`<li>${sources.link(path)} ${digest(sum)}</li>`)}</ul></details>`;
};
