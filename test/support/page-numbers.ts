import type { Page } from 'playwright-core';
import { replay } from '../../src/journal/apply.js';
import { formatDuration } from '../../src/model/duration.js';
import type { JournalEntry } from '../../src/model/events/event.js';

/** What may hold a digit without leading anywhere, and why it is no number that comes from something. */
const withoutSource: Readonly<Record<string, string>> = {
  h1: 'the name of the study',
  '.task, .name': 'names that somebody gave: tasks, arms, seeds, models, jobs, branches, the run',
  'th, dt': 'what a column or a field is called',
  'a.file': 'the path of a file, which leads to that file',
  '.digest': 'the address of a content, which is its own proof',
  '.chart svg [class*="role-axis"], .chart svg [class*="role-legend"]': 'the scale of a chart and names beside it',
};

export interface Cited {
  readonly text: string;
  readonly href: string;
}

export interface PageNumbers {
  /** Texts with a digit that lead nowhere. */
  readonly bare: readonly string[];
  readonly cited: readonly Cited[];
  /** Lines that the page shows, by their name on it. */
  readonly lines: Readonly<Record<string, { readonly path: string; readonly line: number; readonly raw: string }>>;
  readonly reckoned: Readonly<Record<string, Reckoned>>;
}

interface Reckoned {
  readonly text: string;
  readonly what: string;
  readonly how: string;
  readonly from: string;
}

/** Walks all that a reader sees of a report, but for the lines at its end. */
export async function pageNumbers(page: Page): Promise<PageNumbers> {
  const allowed = JSON.stringify(Object.keys(withoutSource).join(', '));
  return (await page.evaluate(`(() => {
    const bare = [], cited = [], lines = {}, reckoned = {};
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement: at } = walker.currentNode;
      if (!/\\d/.test(data) || at.closest('#origins') || at.closest('title, desc')) continue;
      const link = at.closest('a.from, .graph svg a');
      const href = link && (link.getAttribute('href') ?? link.getAttribute('xlink:href'));
      if (href) cited.push({ text: link.matches('a.from') ? link.textContent : data, href });
      else if (!at.closest(${allowed})) bare.push((at.closest('section')?.id ?? 'top') + ': ' + data.trim());
    }
    for (const row of document.querySelectorAll('#origins tr[id]')) {
      const cells = [...row.cells].map((cell) => cell.textContent);
      if (row.id.startsWith('n')) reckoned[row.id] = { text: cells[0], what: cells[1], how: row.dataset.how, from: cells[3] };
      else {
        const path = row.closest('details').querySelector('summary').textContent;
        const raw = row.querySelector('code.raw').textContent;
        lines[row.id] = { path: row.id.startsWith('j') ? 'journal.jsonl' : path, line: Number(cells[0]), raw };
      }
    }
    return { bare, cited, lines, reckoned };
  })()`)) as PageNumbers;
}

/** The text of a line of a file of the run, as it is on the disk. */
export type LineText = (path: string, line: number) => string;

/** What the page says and its sources do not, in words. */
export function wrongNumbers({ cited, lines, reckoned }: PageNumbers, lineText: LineText): string[] {
  const followed = cited.flatMap(({ text, href }) => {
    const id = href.slice(1);
    if (reckoned[id]) return isNode(text, reckoned[id]) ? [] : [`${text}: ${href} is of ${reckoned[id].text}`];
    const line = lines[id];
    if (!line) return [`${text}: there is no ${href}`];
    return text === `line ${line.line}` || holds(lineText(line.path, line.line), text)
      ? []
      : [`${text}: is not on ${line.path}:${line.line}`];
  });
  const shown = Object.values(lines).flatMap(({ path, line, raw }) =>
    isPartOf(raw, lineText(path, line)) ? [] : [`${path}:${line} is shown as ${raw}`],
  );
  return [...followed, ...shown, ...Object.values(reckoned).flatMap((row) => wrongReckoning(row, lineText))];
}

/** A box of the graph stands for several tasks: its link is of all of them, and its words say them by kind. */
const isNode = (text: string, row: Reckoned): boolean =>
  text === row.text || row.what.startsWith('tasks of ') || row.text === text.trim();

/** A line of the journal is shown without its chain and with long parts behind; any other as it begins. */
function isPartOf(raw: string, line: string): boolean {
  const cut = raw.replace(/…$/, '');
  if (!line.startsWith('{"seq":')) return line.startsWith(cut);
  const { seq: _seq, at: _at, type: _type, prev: _prev, hash: _hash, outputs, fingerprint, ...rest } = JSON.parse(line);
  return JSON.stringify({ ...rest, outputs, fingerprint }).startsWith(cut);
}

/** Every number of a text is on the line: as it is, rounded, as a share, or as a time. */
export function holds(line: string, text: string): boolean {
  const there = (line.match(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi) ?? []).map(Number);
  const times = there.filter((value) => value >= 0).map(formatDuration);
  if (text.length >= 4 && line.includes(text)) return true;
  // What stands there letter by letter, such as the front of a commit, is no sum of digits.
  const others = text.replace(/\S{4,}/g, (word) => (line.includes(word) ? '' : word));
  return (others.match(/\d+(?:[.,:T-]*\d+)*(?:e[-+]?\d+)?/g) ?? []).every((written) => {
    if (written.length >= 4 && line.includes(written)) return true;
    const value = Number(written.replaceAll(',', ''));
    const [, fraction = '', power = '0'] = /\.(\d+)(?:e([-+]?\d+))?$/.exec(written) ?? [];
    const decimals = fraction === '' ? 0 : fraction.length - Number(power);
    const near = (one: number): boolean =>
      Math.abs(Math.abs(one) - value) <= (decimals > 0 ? 0.5001 : 1e-9) * 10 ** -decimals;
    return there.some((one) => near(one) || near(one * 100)) || times.some((time) => time === text);
  });
}

function wrongReckoning(row: Reckoned, lineText: LineText): string[] {
  const places = placesOf(row.from);
  const texts = places.map(({ path, line }) => lineText(path, line));
  const wrong = (why: string): string[] => [`${row.text} (${row.what}, ${row.how}): ${why}`];
  if (texts.some((text) => text === '')) return wrong('a line is empty');
  const types = typesOf.find(([what]) => what.test(row.what))?.[1];
  const others = texts.filter((text) => types && text.startsWith('{"seq"') && !types.test(JSON.parse(text).type));
  if (others.length > 0) return wrong(`other events: ${others[0]}`);
  const value = valueFrom(row.how, texts);
  if (value === undefined) return wrong('nobody knows how to do that');
  const said = row.text.replaceAll(',', '');
  const isRight =
    typeof value === 'string' ? value === row.text : holds(String(value), said.match(/[\d.]+/)?.[0] ?? 'none');
  return isRight ? [] : wrong(`the lines make ${value}`);
}

/** What is counted decides which events can be meant. */
const typesOf: readonly (readonly [RegExp, RegExp])[] = [
  [/^iterations of series/, /^iteration-decided$/],
  [/^series \d+: /, /^iteration-measured$/],
  [/^tasks: passed/, /^task-finished$/],
  [/^tasks: failed/, /^task-failed$/],
  [/^tasks: (cached|skipped)/, /^task-skipped$/],
  [/failed attempts|that failed$/, /^(task-failed|job-finished)$/],
  [/^cost|^tokens|^GPU-hours/, /^spend-recorded$/],
  [/^(calls|jobs)/, /^(spend-recorded|agent-invoked)$/],
  [/^the gate of/, /^gate-(opened|decided)$/],
];

function valueFrom(how: string, texts: readonly string[]): number | string | undefined {
  const fields = (): readonly { readonly [field: string]: unknown }[] => texts.map((text) => JSON.parse(text));
  const sum = (field: string): number => fields().reduce((total, one) => total + Number(one[field] ?? 0), 0);
  const [, kind, field = ''] = /^(count|sum|mean) of (.+?)(?: on the line)?$/.exec(how) ?? [];
  if (how === 'count of the lines') return texts.length;
  if (kind === 'count') return Object.keys(fields()[0]![field] as object).length;
  if (kind === 'sum') return field.endsWith('Ms') ? formatDuration(sum(field)) : sum(field);
  if (kind === 'mean') return sum(field) / texts.length;
  if (how === 'time from the first to the last line') {
    const [first, last] = [fields()[0]!, fields().at(-1)!].map(({ at }) => Date.parse(String(at)));
    return formatDuration(last! - first!);
  }
  if (how.startsWith('time from line to line'))
    return formatDuration(replay(fields() as unknown as JournalEntry[])!.workedMs);
  if (how === 'tasks on the first line, less one for each other line')
    return Number(fields()[0]!.tasks) - (texts.length - 1);
  return undefined;
}

/** `journal.jsonl: 3–5, 8; runs/1.jsonl: 3`. */
function placesOf(from: string): { readonly path: string; readonly line: number }[] {
  if (from === 'there is no such line') return [];
  return from.split('; ').flatMap((part) => {
    const at = part.lastIndexOf(': ');
    return part
      .slice(at + 2)
      .split(', ')
      .flatMap((range) => {
        const [first = 0, last = first] = range.split('–').map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => ({
          path: part.slice(0, at),
          line: first + index,
        }));
      });
  });
}
