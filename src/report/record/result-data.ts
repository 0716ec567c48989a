import type { Json, JsonObject } from '../../model/json.js';
import type { ResultFile } from '../history/run-facts.js';

/** A JSON file's content; undefined for what is none. */
export function jsonOf({ text }: Pick<ResultFile, 'text'>): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface LogRecord {
  /** Of the file, from 1. */
  readonly line: number;
  readonly fields: JsonObject;
}

/** The objects of a file with one JSON object a line. A line that is none makes the whole file unusable: undefined. */
export function recordsOf({ text }: Pick<ResultFile, 'text'>): readonly LogRecord[] | undefined {
  const records: LogRecord[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = jsonOf({ text: line });
    if (!isObject(fields)) return undefined;
    records.push({ line: index + 1, fields });
  }
  return records;
}

/** The lines between two `---` at the top of a Markdown file, as `key: value`; lists are the lines `- item` below a key. */
export function frontOf({ text }: Pick<ResultFile, 'text'>): ReadonlyMap<string, FrontValue> | undefined {
  const lines = text.split('\n');
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end === -1) return undefined;
  const front = new Map<string, { text: string; items: string[]; itemLines: number[]; line: number }>();
  let last: { items: string[]; itemLines: number[] } | undefined;
  for (const [index, line] of lines.slice(1, end).entries()) {
    const item = /^\s+- (.*)$/.exec(line);
    if (item) {
      last?.items.push(unquoted(item[1]!));
      last?.itemLines.push(index + 2);
    }
    const pair = /^([A-Za-z_]\w*):\s*(.*)$/.exec(line);
    if (!pair) continue;
    const value = { text: unquoted(pair[2]!), items: [] as string[], itemLines: [] as number[], line: index + 2 };
    front.set(pair[1]!, value);
    last = value;
  }
  return front;
}

export interface FrontValue {
  readonly text: string;
  readonly items: readonly string[];
  /** Of each item. */
  readonly itemLines: readonly number[];
  /** Of the file, from 1. */
  readonly line: number;
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text.trim();
  const value = jsonOf({ text });
  return typeof value === 'string' ? value : text;
}
