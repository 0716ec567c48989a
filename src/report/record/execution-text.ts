import { formatDuration } from '../../model/duration.js';
import type { Json, JsonObject } from '../../model/json.js';
import { err, ok, type Result } from '../../model/result.js';
import type { TextProblem } from '../../model/text-problem.js';
import { loadTemplates, renderParsed } from '../../source/template/template.js';
import { nodes } from '../generated/execution-nodes.js';
import { plainLine } from '../words/plain-line.js';
import type { ExecutionRecord } from './execution.js';
import { usdText } from './spend.js';
import { returnText, structuredReturn } from './structured-return.js';

/** `execution.md`, from the template of a lab or from ours. */
export async function executionText(
  record: ExecutionRecord,
  template?: string,
): Promise<Result<string, readonly TextProblem[]>> {
  const names = templateNames(record) as { [name: string]: Json };
  const text =
    template === undefined ? renderParsed(nodes, names) : (await loadTemplates()).renderText(template, names);
  return text.ok ? ok(text.value.replace(/\n{3,}/g, '\n\n')) : err(text.error);
}

/** What a template may name. Nothing in it can begin a heading, end a cell or be markup: agents and programs wrote some of it. */
export function templateNames(record: ExecutionRecord): JsonObject {
  const given = structuredReturn(record);
  const { gates, jobs, ...rest } = record;
  return {
    ...topNames(rest as unknown as JsonObject),
    jobs: named(jobs as unknown as Json),
    gates: gates.map(({ task, kind, line, decision, from }) =>
      named({
        task,
        kind,
        line: decision?.line ?? line,
        verdict: decision?.verdict ?? 'waits for an answer',
        by: decision?.by ?? '',
        from: from ?? '',
        at: decision?.at ?? '',
        reasons: decision?.reasons.join('; ') ?? '',
      }),
    ),
    worked: formatDuration(record.workedMs),
    spent: record.spend.calls === 0 ? 'none were asked' : usdText(record.spend),
    returned: returnText(given).replaceAll('`', "'"),
    return: given as unknown as Json,
  };
}

/** Names that are only there sometimes, so that a template can ask for them. */
const sometimes: JsonObject = Object.fromEntries(
  ['why', 'by', 'did', 'escalatedTo', 'fixLine', 'detail', 'file', 'because', 'branch', 'task'].map((name) => [
    name,
    '',
  ]),
);
/** Lists that are read as one text. */
const asText: ReadonlySet<string> = new Set(['files', 'commits', 'lines']);

/** In one go, because a run of a thousand stages waits for it at its end. */
function named(value: Json): Json {
  if (typeof value === 'string') return markdownLine(value);
  if (Array.isArray(value)) return value.map(named);
  if (value === null) return 'not known';
  if (typeof value !== 'object') return value;
  // Without a shape of its own, because no two kinds of items have the same names.
  const names: { [name: string]: Json } = Object.assign(Object.create(null), sometimes);
  for (const [key, item] of Object.entries(value)) {
    // A name like any other, but to be set it has to be defined.
    if (key === '__proto__')
      Object.defineProperty(names, key, { value: namedField(key, item as Json), enumerable: true });
    else names[key] = namedField(key, item as Json);
  }
  return names;
}

/** Of an item: its lists of words are one text, and what may be absent is empty. */
function namedField(key: string, value: Json): Json {
  if (asText.has(key) && Array.isArray(value)) return markdownLine(shortList(value.map(String)));
  return value === null && (key === 'branch' || key === 'task' || key === 'lossLine') ? '' : named(value);
}

/** At the top, lists stay lists, and what is false in a template is so. */
const topNames = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, named((value ?? atTop[key] ?? null) as Json)]));

const atTop: { readonly [key: string]: Json } = { changedFiles: 0, iteration: '', loop: '' };

function shortList(items: readonly string[]): string {
  const shown = items.slice(0, mostItems).join(', ');
  return items.length > mostItems ? `${shown} and ${items.length - mostItems} more` : shown;
}

const mostItems = 10;

/** One line in which nothing is markup. */
export const markdownLine = (text: string): string =>
  // Nearly all of it is words.
  /^[\w.,:;()/+=@%-]*$/.test(text) ? text : escapedLine(text);

const escapedLine = (text: string): string =>
  plainLine(text.replace(/[\r\n\u2028\u2029]+/g, ' '))
    .replaceAll('`', "'")
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[[|]/g, '\\$&')
    .trim();
