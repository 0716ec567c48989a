import { type PlaceRange, placeRanges } from '../history/reckoning.js';
import type { RunFacts } from '../history/run-facts.js';
import { eventSummary } from '../live/event-summary.js';
import { type Content, html, joined, type Markup } from './markup.js';
import { cutLine } from './raw-text.js';
import { recordLines } from './record-lines.js';
import type { Reckoned, Sources } from './sources.js';
import { badge, digest } from './table.js';

/** The lines that the page refers to, so that it can be checked without anything else. Comes last: by then they are known. */
export function originLines(facts: RunFacts, sources: Sources): Markup {
  // First, because it refers to lines itself.
  const reckoned = reckonings(sources);
  const wanted =
    facts.entries.length <= mostLines ? facts.entries : facts.entries.filter(({ seq }) => sources.lines.has(seq + 1));
  const rows = wanted.map(({ prev: _prev, hash, ...event }) => {
    const said = eventSummary({ ...event, prev: '', hash } as (typeof wanted)[number], { name: '', run: '' }).replace(
      /^\s*:\s*/,
      '',
    );
    const { seq, at, type, ...rest } = event;
    return html`<tr id="j${seq + 1}"><td class="num">${seq + 1}</td><td>${at.slice(11, 23)}</td><td>${type}</td><td>${said === type ? '' : said} <code class="raw">${cutLine(rawText(rest))}</code></td></tr>
`;
  });
  const left = facts.entries.length - wanted.length;
  return html`<section id="origins"><h2>Where the numbers come from</h2>
${reckoned}<details open><summary>journal.jsonl: ${wanted.length} lines${left > 0 && html` (${left} to which nothing here refers are left out)`}</summary>
<div class="scroll" tabindex="0"><table class="lines"><thead><tr><th scope="col" class="num">line</th><th scope="col">UTC</th><th scope="col">event</th><th scope="col">what it says</th></tr></thead><tbody>
${joined(rows)}</tbody></table></div></details>
${[...sources.fileLines].map(([path, lines]) => fileLines(path, lines, { facts, sources }))}</section>`;
}

const mostLines = 1500;

/** What files a task read and what they held fills a line, and nothing on the page refers to it: it comes behind the rest. */
function rawText({ fingerprint, outputs, ...rest }: { readonly [key: string]: unknown }): string {
  return JSON.stringify({ ...rest, outputs, fingerprint });
}

/** What stands on no line, with how it follows from which. */
function reckonings(sources: Sources): Markup | undefined {
  const all = [...sources.reckonings.values()];
  if (all.length === 0) return undefined;
  const rows = all.map(
    ({
      number,
      text,
      what,
      how,
      places,
    }) => html`<tr id="n${number}" data-how="${how}"><td class="num">${text}</td><td>${what}</td><td>${how}</td><td>${placesText({ places }, sources)}</td></tr>
`,
  );
  return html`<details open><summary>What follows from several lines</summary>
<div class="scroll" tabindex="0"><table class="reckoned"><thead><tr><th scope="col" class="num">number</th><th scope="col">of what</th><th scope="col">how</th><th scope="col">from</th></tr></thead><tbody>
${joined(rows)}</tbody></table></div></details>
`;
}

/** Every line, those that follow each other as one range; the first few lead there. */
function placesText({ places }: Pick<Reckoned, 'places'>, sources: Sources): Content {
  if (places.length === 0) return 'there is no such line';
  const ranges = placeRanges(places);
  const shown = ranges.slice(0, mostRanges).map((range, index) => {
    const isOther = range.path !== ranges[index - 1]?.path || index === 0;
    const name = isOther && html`${range.path ?? 'journal.jsonl'}: `;
    return html`${index > 0 && (isOther ? '; ' : ', ')}${name}${index < mostLinked ? linked(range, sources) : rangeText(range)}`;
  });
  const left = places.length - ranges.slice(0, mostRanges).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return html`${shown}${left > 0 && html` and ${left} more`}`;
}

const mostRanges = 500;
const mostLinked = 12;

const rangeText = ({ first, last }: PlaceRange): string => (first === last ? `${first}` : `${first}–${last}`);

function linked({ path, first, last }: PlaceRange, sources: Sources): Content {
  const link = (line: number): Markup => sources.at(String(line), { ...(path === undefined ? {} : { path }), line });
  return first === last ? link(first) : html`${link(first)}–${link(last)}`;
}

function fileLines(
  path: string,
  lines: ReadonlySet<number>,
  { facts, sources }: { readonly facts: RunFacts; readonly sources: Sources },
): Markup {
  if (path === facts.loop?.path) return recordLines(lines, { loop: facts.loop, sources });
  const file = facts.files.get(path);
  const printed = [...facts.tables.values()].find((found) => found.path === path);
  const texts = (file ?? printed)?.text.split('\n') ?? [];
  const number = sources.numberOf(path);
  const rows = [...lines]
    .sort((a, b) => a - b)
    .map(
      (
        line,
      ) => html`<tr id="f${number}-${line}"><td class="num">${line}</td><td><code class="raw">${cutLine(texts[line - 1] ?? '')}</code></td></tr>
`,
    );
  return html`<details open><summary>${path}</summary><p class="caption">${sources.link(path)}${file && html` ${digest(file.digest)}`}${file?.isChanged && html` ${badge('bad', 'not what the run made')}${file.recorded !== undefined && html`, recorded ${digest(file.recorded)}`}`}</p>
<div class="scroll" tabindex="0"><table class="lines"><tbody>${joined(rows)}</tbody></table></div></details>`;
}
