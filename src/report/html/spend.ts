import { journalLines } from '../history/reckoning.js';
import { lineOf } from '../history/run-facts.js';
import { type SpendGroup, spendGroups } from '../record/spend.js';
import { plural } from '../words/phrase.js';
import { callsText, costText, gpuHoursText, tokensText } from './cost.js';
import { type Content, html, joined, type Markup } from './markup.js';
import type { Section, Sources } from './sources.js';
import { named, table } from './table.js';

/** Money by role, stage and model. What is not known is said, and is never nothing. */
export const spend: Section = ({ entries }, sources) => {
  const { total, roles, stages, models } = spendGroups(entries);
  if (total.line.calls === 0) return undefined;
  return {
    id: 'spend',
    title: 'Spend',
    body: html`<p>${sumText(total, sources)}.${lowerBound(total, sources)}</p>
${spendTable('role', roles, sources)}${spendTable('stage', stages, sources)}${spendTable(
  'model',
  models.filter(({ line }) => line.calls > line.jobs),
  sources,
)}`,
  };
};

/** `1.25 USD in 3 calls; 2 jobs used 0.5 GPU-hours`. */
function sumText(total: SpendGroup, sources: Sources): Markup {
  const { calls, jobs } = total.line;
  const money = calls > jobs ? [html`${costText(total, sources)} in ${callsText(total, sources, 'call')}`] : [];
  const used =
    jobs > 0 ? [html`${callsText(total, sources, 'job')} used ${gpuHoursText(total, sources)} GPU-hours`] : [];
  return joined([...money, ...used], '; ');
}

function lowerBound({ line, calls }: SpendGroup, sources: Sources): Markup | undefined {
  const unknown = calls.filter((call) => call.type === 'agent-invoked' || call.usd === undefined);
  if (line.unpriced + line.open === 0) return undefined;
  const count = sources.follows(plural(unknown.length, 'call'), {
    what: 'calls of which nobody knows the cost',
    how: 'count of the lines',
    places: journalLines(unknown.map(lineOf)),
  });
  return html` <strong>The sums are a lower bound: of ${count} nobody knows the cost.</strong>`;
}

function spendTable(what: string, groups: readonly SpendGroup[], sources: Sources): Markup | undefined {
  if (groups.length === 0) return undefined;
  const hasGpus = groups.some(({ line }) => line.gpuHours > 0);
  const gpuHours = (group: SpendGroup): Content => (group.line.gpuHours > 0 ? gpuHoursText(group, sources) : '');
  return table(
    [what, '#cost', '#calls or jobs', '#tokens', ...(hasGpus ? ['#GPU-hours'] : [])],
    groups.map((group) => [
      named(group.line.name),
      costText(group, sources),
      callsText(group, sources, 'call or job'),
      tokensText(group, sources),
      ...(hasGpus ? [gpuHours(group)] : []),
    ]),
  );
}
