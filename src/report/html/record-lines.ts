import { type LoopFacts, lineOf } from '../history/run-facts.js';
import { html, joined, type Markup } from './markup.js';
import { cutLine } from './raw-text.js';
import type { Sources } from './sources.js';

/** Lines of the record of a loop, like those of the journal: without their chain. */
export function recordLines(
  lines: ReadonlySet<number>,
  { loop: { path, entries }, sources }: { readonly loop: LoopFacts; readonly sources: Sources },
): Markup {
  const number = sources.numberOf(path);
  const rows = entries
    .filter((entry) => lines.has(lineOf(entry)))
    .map(({ prev: _prev, hash: _hash, ...event }) => {
      const { seq: _seq, at, type, ...rest } = event;
      const line = lineOf(event);
      return html`<tr id="f${number}-${line}"><td class="num">${line}</td><td>${at.slice(0, 10)} ${at.slice(11, 23)}</td><td>${type}</td><td><code class="raw">${cutLine(JSON.stringify(rest))}</code></td></tr>
`;
    });
  return html`<details open><summary>${path}</summary><p class="caption">${sources.link(path)}</p>
<div class="scroll" tabindex="0"><table class="lines"><thead><tr><th scope="col" class="num">line</th><th scope="col">UTC</th><th scope="col">event</th><th scope="col">what it says</th></tr></thead><tbody>
${joined(rows)}</tbody></table></div></details>`;
}
