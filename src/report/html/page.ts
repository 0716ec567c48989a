import { createHash } from 'node:crypto';
import type { Progress } from '../../model/ports.js';
import type { RunFacts } from '../history/run-facts.js';
import { executionRecord } from '../record/execution.js';
import { validation, verification } from './checks.js';
import { comparison } from './comparison.js';
import { curves } from './curves.js';
import { gates } from './gates.js';
import { graph } from './graph.js';
import { jobs } from './jobs.js';
import { loop } from './loop.js';
import { html, Markup } from './markup.js';
import { monitoring } from './monitoring.js';
import { originLines } from './origin-lines.js';
import { environment, protection } from './origins.js';
import { overview } from './overview.js';
import { type Section, type SectionBody, Sources } from './sources.js';
import { spend } from './spend.js';
import { style } from './style.js';
import { tasks } from './tasks.js';
import { timeline } from './timeline.js';
import { trouble } from './trouble.js';

/** In the order in which people ask: does the claim hold, what happened, what did it cost, can it be believed. */
const sections: readonly Section[] = [
  loop,
  comparison,
  curves,
  validation,
  verification,
  gates,
  graph,
  timeline,
  trouble,
  tasks,
  jobs,
  monitoring,
  spend,
  protection,
  environment,
];

/** A run as one page that needs nothing else: no script, no network, nothing beside it. The same run gives the same bytes. */
export async function reportPage(facts: RunFacts, progress?: Progress): Promise<string> {
  const sources = new Sources(facts);
  const top = overview(facts, executionRecord(facts), sources);
  const bodies: SectionBody[] = [];
  for (const [done, section] of sections.entries()) {
    progress?.at({ what: 'drawing the report', done, total: sections.length });
    const body = await section(facts, sources);
    if (body) bodies.push(body);
  }
  const links = [...bodies, { id: 'origins', title: 'Where the numbers come from' }];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="autoresearch">
<title>${facts.state.name}, run ${facts.state.run}</title>
${styleElement}
</head>
<body>
${top}
<p class="when">What is underlined with dots leads to the line that it comes from.</p>
<nav aria-label="Sections"><ul>${links.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main>
${bodies.map(
  ({ id, title, body }) => html`<section id="${id}"><h2>${title}</h2>
${body}</section>
`,
)}${originLines(facts, sources)}
</main>
</body>
</html>
`;
  return page.text;
}

/** A style element is allowed by its digest; style attributes are what charts are made with. Nothing else is. */
const policy = `default-src 'none'; style-src-elem 'sha256-${createHash('sha256').update(style).digest('base64')}'; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'`;

const styleElement = new Markup(`<style>${style}</style>`);
