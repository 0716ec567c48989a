import type { Param } from '../../model/generated/params.js';
import type { PresetFacts } from '../../model/preset-facts.js';
import { describeSchema } from '../../source/schema/schema-words.js';
import { paint } from '../words/paint.js';
import { displayWidth, padEnd } from '../words/text-width.js';
import { wrapText } from '../words/wrap-text.js';

export interface PresetTextOptions {
  readonly color: boolean;
  readonly width: number;
}

/** What a preset does, what can be set, and what it brings along. */
export function presetText(facts: PresetFacts, { color, width }: PresetTextOptions): string {
  const p = paint(color);
  const { entry, summary, comment, params, stages, agents } = facts;
  const told = comment.startsWith(summary) ? comment : [summary, comment].filter(Boolean).join('\n\n');
  const table = (head: string, rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', p.bold(head), ...tableLines(rows, width)];
  return `${[
    `${p.bold(entry)}`,
    '',
    ...(told === '' ? [] : [told]),
    ...table('Parameters, with their defaults (set under vars, or with --set NAME=VALUE)', paramRows(params)),
    ...table('Stages', Object.entries(stages).map(stageRow)),
    ...table('Agents', Object.entries(agents).map(agentRow)),
  ].join('\n')}\n`;
}

/** The last cell has two paragraphs: what it is for, and what may be written. */
const paramRows = (params: PresetFacts['params']): string[][] =>
  Object.entries(params).map(([name, param]) => [
    name,
    valueText(param),
    `${oneLine(param.description)}\n${formText(param)}`,
  ]);

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

const valueText = ({ default: value }: Param): string => (value === undefined ? 'required' : shown(value));

function formText(param: Param): string {
  const kind = kindText(param);
  const words = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return param.example === undefined ? words : `${words}, such as ${shown(param.example)}`;
}

/** `text`, `a whole number of at least 1`, `"human", "auto-judge" or "auto"`. */
function kindText({ format, items, ...param }: Param): string {
  if (format === 'duration') return 'a duration';
  if (format === 'shell') return 'a command';
  if (param.type === 'boolean') return 'true or false';
  if (param.type === 'string' && param.enum === undefined) return 'text';
  const { description, default: _, example, ...bounds } = param;
  return describeSchema({ ...bounds, ...(items ? { items } : {}) } as never, {}) ?? param.type;
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? (value === '' ? '""' : value) : JSON.stringify(value).replaceAll(',', ', ');

function stageRow([name, stage]: readonly [string, Readonly<Record<string, unknown>>]): string[] {
  const { uses, agent, matrix, needs, gate, isolation } = stage;
  const facts = [
    typeof agent === 'string' ? `by ${agent}` : '',
    isMap(matrix) ? `for each ${Object.keys(matrix).join(' × ')}` : '',
    Array.isArray(needs) && needs.length > 0 ? `after ${needs.join(', ')}` : '',
    isolation === 'worktree' ? 'in a worktree' : '',
    gate === undefined ? '' : `gate: ${isMap(gate) ? String(gate.kind) : String(gate)}`,
  ];
  return [name, typeof uses === 'string' ? uses : '', facts.filter(Boolean).join('; ')];
}

function agentRow([name, agent]: readonly [string, Readonly<Record<string, unknown>>]): string[] {
  const { backend, model, lifecycle, family } = agent;
  const facts = [
    model === undefined ? '' : `model ${String(model)}`,
    family === undefined ? '' : `family ${String(family)}`,
    lifecycle === undefined ? 'fresh' : String(lifecycle),
  ];
  return [name, String(backend ?? ''), facts.filter(Boolean).join(', ')];
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Columns as wide as they need to be, but not much; what is longer goes on in the next line of its column. */
function tableLines(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = rows[0]!.length;
  const most = Math.max(12, Math.floor((width - 2) / columns));
  const widths = rows[0]!.map((_, column) => {
    const longest = Math.max(...rows.map((row) => displayWidth(row[column]!)));
    return column === 0 ? longest : Math.min(longest, most);
  });
  const taken = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 2);
  widths[columns - 1] = Math.max(24, width - taken);
  return rows.flatMap((row) => {
    const cells = row.map((cell, column) => cell.split('\n').flatMap((part) => wrapText(part, widths[column]!)));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      `  ${cells.map((lines, column) => padEnd(lines[line] ?? '', widths[column]!)).join('  ')}`.trimEnd(),
    );
  });
}
