import type { Place } from '../history/reckoning.js';
import type { PrintedTable, ResultFile, RunFacts } from '../history/run-facts.js';
import {
  frontIn,
  type ReviewResult,
  reviewsOf,
  type TestLine,
  validationsOf,
  verificationsOf,
} from '../record/checks.js';
import { endLines, publishedLines } from '../record/task-lines.js';
import { changedNote } from './changed.js';
import { markdownTables } from './markdown-table.js';
import { type Content, html, joined, type Markup } from './markup.js';
import { parityTable } from './parity-table.js';
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
  const [ends, tested] = [endLines(facts.entries), publishedLines(facts.entries, 'tests')];
  const items = found.map(({ task, uses, status, detail, tests }) => {
    const tables = [...facts.files.values()].filter(
      (file) => file.task === task && uses === 'parity' && file.path.endsWith('.md'),
    );
    return html`<article class="card"><h3><span class="task">${task}</span> <small>${uses}</small> ${badge(kindOf(status), status)}</h3>
${detail !== '' && html`<p>${sources.words(detail, { line: ends.get(task) ?? 1 })}</p>`}${tables.length === 0 && facts.tables.has(task) && sideBySide(facts.tables.get(task)!, sources)}${tables.map((file) => html`${changedNote(file, facts, sources)}${tablesOf(file, sources)}`)}${tests.length > 0 && testTable(tests, { line: tested.get(task) ?? ends.get(task) ?? 1 }, sources)}</article>`;
  });
  return { id: 'validation', title: 'Validation and parity', body: joined(items) };
};

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
