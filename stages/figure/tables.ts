import type { Json, JsonObject, Reading, StageContext } from 'autoresearch';
import { readCsv } from './csv.js';

export type Row = JsonObject;

/** `runs/{arm}/log.jsonl` → `runs/*\/log.jsonl`. */
export const globOf = (source: string): string => source.replace(/\{\w+\}/g, '*');

/** The rows of all files that a source stands for. Nothing to draw is no drawing. */
export async function readTable(source: string, context: StageContext): Promise<Reading<readonly Row[]>> {
  const files = globOf(source) === source ? [source] : context.listFiles([globOf(source)]);
  if (files.length === 0) return wrong(`no file matches ${source}`);
  const rows: Row[] = [];
  for (const file of files) {
    const columns = columnsOf(source, file);
    const read = await rowsOf(file, context);
    if (!read.ok) return read;
    for (const row of read.value) {
      const twice = Object.keys(columns).find(
        (name) => Object.hasOwn(row, name) && String(row[name]) !== String(columns[name]),
      );
      if (twice !== undefined)
        return wrong(
          `${file}: its name says ${twice}=${columns[twice]}, and a row of it ${JSON.stringify(row[twice])}`,
        );
      rows.push({ ...columns, ...row });
    }
  }
  return rows.length === 0 ? wrong(`${source} holds no rows`) : { ok: true, value: rows };
}

async function rowsOf(file: string, context: StageContext): Promise<Reading<readonly Row[]>> {
  const form = /\.(jsonl|ndjson|json|ya?ml|csv)$/i.exec(file)?.[1]?.toLowerCase();
  if (form === undefined) return wrong(`the ending of ${file} does not say what it is: json, jsonl, yaml or csv`);
  const text = await context.readFile(file);
  if (form === 'csv') return readCsv(text, file);
  if (form === 'jsonl' || form === 'ndjson') return linesOf(text, file, context);
  const data = await context.parseData(text, form === 'json' ? 'json' : 'yaml');
  if (!data.ok) return wrong(`${file}: ${data.why}`);
  const list = Array.isArray(data.value) ? data.value : [data.value];
  return list.every(isRow) ? { ok: true, value: list } : wrong(`${file} is neither a map nor a list of maps`);
}

async function linesOf(text: string, file: string, context: StageContext): Promise<Reading<readonly Row[]>> {
  const rows: Row[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = await context.parseData(line, 'json');
    if (!read.ok) return wrong(`${file}:${index + 1}: ${read.why}`);
    if (!isRow(read.value)) return wrong(`${file}:${index + 1} is no JSON object`);
    rows.push(read.value);
  }
  return { ok: true, value: rows };
}

/** What stands in the place of the names in braces. */
function columnsOf(source: string, file: string): { readonly [name: string]: string } {
  const names = [...source.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const pattern = source
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/]*?)');
  const found = new RegExp(`^${pattern}$`).exec(file);
  return Object.fromEntries(names.map((name, index) => [name, found?.[index + 1] ?? '']));
}

const isRow = (value: Json): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const wrong = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });
