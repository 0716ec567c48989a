import type { Place } from '../history/reckoning.js';
import type { PrintedTable, ResultFile, RunFacts } from '../history/run-facts.js';
import {
  frontIn,
  type ReviewResult,
  reviewsOf,
  type TestLine,
  type Validation,
  validationsOf,
  verificationsOf,
} from '../record/checks.js';
import { endLines, publishedLines } from '../record/task-lines.js';
import { grouped } from '../words/grouped.js';
import { changedNote } from './changed.js';
import { countOf } from './count-of.js';
import { markdownTables } from './markdown-table.js';
import { type Content, html, joined, type Markup } from './markup.js';
import { alikeKey, parityFiles } from './parity/alike.js';
import { parityTable } from './parity/parity-table.js';
import type { Section, Sources } from './sources.js';
import { type BadgeKind, badge, table } from './table.js';

export const kindOf = (status: string): BadgeKind =>
  status === 'passed' || status === 'cached' || status === 'HEALTHY'
    ? 'good'
    : status === 'failed' || status === 'CRITICAL' || status === 'gaps_found'
      ? 'bad'
      : 'warn';

/** Parity, assertions and checklists. */
export const validation: Section = (facts, sources) => {
  const found = validationsOf(facts);
  if (found.length === 0) return undefined;
  const lines = { ends: endLines(facts.entries), tested: publishedLines(facts.entries, 'tests') };
  const body = (one: Validation): Markup => checkBody(one, lines, { facts, sources });
  const items = [...grouped(found, (one) => alikeKey(one, facts))].map(([, [first, ...others]]) => {
    const more = others.map(
      (one) => html`<h4>${heading(one)}</h4>
${body(one)}`,
    );
    return html`<article class="card"><h3>${heading(first!)}</h3>
${body(first!)}${more.length > 0 && html`<details><summary>${moreAlike(others, lines, sources)}</summary>${more}</details>`}</article>`;
  });
  return { id: 'validation', title: 'Validation and parity', body: joined(items) };
};

const heading = ({ task, uses, status }: Validation): Markup =>
  html`<span class="task">${task}</span> <small>${uses}</small> ${badge(kindOf(status), status)}`;

/** `4 more have the same parameters, equal or excepted`: told with its number, and each to be unfolded. */
const moreAlike = (others: readonly Validation[], { ends }: CheckLines, sources: Sources): Markup => {
  const places = others.map(({ task }) => ({ line: ends.get(task) ?? 1 }));
  return html`${countOf(sources, { what: 'more parity tables with the same parameters', places })} more with the same parameters, all of them equal or excepted`;
};

interface CheckLines {
  readonly ends: ReadonlyMap<string, number>;
  readonly tested: ReadonlyMap<string, number>;
}

function checkBody(
  { task, uses, detail, tests }: Validation,
  lines: CheckLines,
  { facts, sources }: { readonly facts: RunFacts; readonly sources: Sources },
): Markup {
  const end = { line: lines.ends.get(task) ?? 1 };
  const tested = lines.tested.get(task);
  const tables = uses === 'parity' ? parityFiles(task, facts) : [];
  return html`${detail !== '' && html`<p>${sources.words(detail, end)}</p>`}${tables.length === 0 && facts.tables.has(task) && sideBySide(facts.tables.get(task)!, sources)}${tables.map((file) => html`${changedNote(file, facts, sources)}${tablesOf(file, sources)}`)}${tests.length > 0 && testTable(tests, tested === undefined ? end : { line: tested }, sources)}`;
}

/** The arms beside each other, differences marked in words. */
function sideBySide({ path, text }: PrintedTable, sources: Sources): Markup {
  const found = parityTable(text);
  const from = html`<p class="caption">${sources.link(path)}</p>`;
  if (!found) return html`<pre class="table" tabindex="0">${text.trimEnd()}</pre>${from}`;
  const rows = table(
    ['', 'parameter', ...found.arms, 'remark'],
    found.rows.map((row, index) => parityRow(row, { path, line: index + 2 }, sources)),
  );
  return html`${rows}${from}`;
}

/** A mark, a parameter, a value for each arm and a remark. */
function parityRow(
  [mark = '', param = '', ...cells]: readonly string[],
  from: Place & { readonly path: string },
  sources: Sources,
): readonly Content[] {
  return [
    mark === '=' ? badge('good', 'equal') : mark === '~' ? badge('idle', 'excepted') : badge('bad', 'different'),
    html`<code>${param}</code>`,
    ...cells.map((cell, at) =>
      at < cells.length - 1
        ? sources.at(html`<code class="value">${cell}</code>`, from)
        : sources.words(cell.replace(/^excepted: /, ''), from),
    ),
  ];
}

const tablesOf = (file: ResultFile, sources: Sources): Markup =>
  html`${markdownTables(file.text).map(({ head, rows, line }) => {
    const at = (index: number) => ({ path: file.path, line: line + 2 + index });
    const isParity = rows.every(([mark]) => mark === '=' || mark === '≠' || mark === '~');
    return table(
      head,
      rows.map((row, index) =>
        isParity ? parityRow(row, at(index), sources) : row.map((cell) => sources.words(cell, at(index))),
      ),
    );
  })}<p class="caption">${sources.link(file.path)}</p>`;

const testTable = (tests: readonly TestLine[], from: Place, sources: Sources): Markup =>
  table(
    ['', 'check', 'seen'],
    tests.map(({ name, status, detail = '' }) => [
      badge(kindOf(status), status),
      sources.words(name, from),
      sources.words(detail, from),
    ]),
  );

/** Verification and review. */
export const verification: Section = (facts, sources) => {
  const [verified, reviewed] = [verificationsOf(facts), reviewsOf(facts)];
  if (verified.length === 0 && reviewed.length === 0) return undefined;
  const ends = endLines(facts.entries);
  const items = verified.map(({ task, status, score, gaps, file }) => {
    const front = frontIn(facts, task, 'score')?.front;
    const at = (line: number | undefined): Place =>
      file === undefined || line === undefined ? { line: ends.get(task) ?? 1 } : { path: file, line };
    const items = gaps.map(
      (gap, index) => html`<li>${sources.words(gap, at(front?.get('gaps')?.itemLines[index]))}</li>`,
    );
    return html`<article class="card"><h3><span class="task">${task}</span> ${badge(kindOf(status), status)}</h3>
${changedNote(file === undefined ? undefined : facts.files.get(file), facts, sources)}<p>Score ${sources.words(score, at(front?.get('score')?.line))}${file !== undefined && html`, ${sources.link(file)}`}.</p>${gaps.length > 0 && html`<ul>${items}</ul>`}</article>`;
  });
  return {
    id: 'verification',
    title: 'Verification and review',
    body: html`${items}${reviewed.map((review) => reviewCard(review, { facts, sources, ended: ends.get(review.task) ?? 1 }))}`,
  };
};

interface ReviewPlace {
  readonly facts: RunFacts;
  readonly sources: Sources;
  /** The line that tells of the task's end. */
  readonly ended: number;
}

function reviewCard(review: ReviewResult, { facts, sources, ended }: ReviewPlace): Markup {
  const { task, verdict, fidelity, confidence, detail, file } = review;
  const front = frontIn(facts, task, 'verdict')?.front;
  const told = (text: string, key: string): Markup => {
    const line = front?.get(key)?.line;
    return sources.words(text, file === undefined || line === undefined ? { line: ended } : { path: file, line });
  };
  return html`<article class="card"><h3><span class="task">${task}</span> ${badge(kindOf(verdict), verdict)}</h3>
${changedNote(file === undefined ? undefined : facts.files.get(file), facts, sources)}<p>Fidelity ${told(fidelity, 'fidelity')}, confidence ${told(confidence, 'confidence')}${file !== undefined && html`, ${sources.link(file)}`}.</p>${detail !== '' && html`<p>${sources.words(detail, { line: ended })}</p>`}</article>`;
}
