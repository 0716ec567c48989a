import { type Failure, type Json, type JsonObject, olderFile, type StageContext } from 'autoresearch';
import { readCsv } from './csv.js';
import { matchedRecords } from './matched.js';
import type { Format, Source } from './options.js';

/** One line of a log, one element of a list, or a whole file. */
export interface Record {
  readonly fields: JsonObject;
  /** Where it stands, for whoever looks for it: `log.jsonl:7`. */
  readonly place: string;
  /** Text: groups that hold only a part of a number, with the whole of it. */
  readonly torn?: { readonly [field: string]: string };
  /** Text: the pattern does not fit there, only because of a NaN, a minus or the like; whoever looks for that field must see it. */
  readonly passedOver?: true;
}

/** `failure`: a command failed; `why`: what was read cannot be used; `isMissing`: there is nothing to read. */
export type Records =
  | { readonly ok: true; readonly records: readonly Record[]; readonly place: string }
  | { readonly ok: false; readonly why: string; readonly isMissing?: true }
  | { readonly ok: false; readonly failure: Failure };

/** What was read already: a command is run once, however many numbers are in what it prints. */
export type Texts = Map<string, Text>;

export interface RecordReading {
  readonly context: StageContext;
  readonly texts: Texts;
  /** The last line may be half written. */
  readonly growing?: boolean;
}

export async function readRecords(source: Source, reading: RecordReading): Promise<Records> {
  const { context, texts, growing = false } = reading;
  const key = JSON.stringify([source.from, source.run]);
  const read = texts.get(key) ?? (await textOf(source, context));
  texts.set(key, read);
  if (!read.ok) return read;
  const { text, place } = read;
  const found = await recordsIn(text, { ...source, format: formatOf(source)! }, { context, place, growing });
  if (typeof found === 'string') return { ok: false, why: `${place}: ${found}` };
  return { ok: true, records: kept(found, source), place };
}

export function formatOf({ from, run, format, pattern }: Source): Format | undefined {
  if (format !== undefined) return format;
  if (pattern !== undefined || run !== undefined) return 'text';
  const ending = /\.(\w+)$/.exec(from ?? '')?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

const endings: { readonly [ending: string]: Format } = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  log: 'text',
  txt: 'text',
  out: 'text',
};

export type Text =
  | { readonly ok: true; readonly text: string; readonly place: string }
  | Exclude<Records, { ok: true }>;

async function textOf({ from, run }: Source, context: StageContext): Promise<Text> {
  if (run !== undefined) {
    const end = await context.command(run, { capture: true });
    if (!end.ok) return { ok: false, failure: end.failure };
    return end.isCut
      ? { ok: false, why: `${run} printed more than a megabyte` }
      : { ok: true, text: end.stdout, place: run };
  }
  const facts = context.fileFacts(from!);
  if (!facts) return { ok: false, why: `${from} is missing`, isMissing: true };
  const older = olderFile(from!, facts);
  if (older !== undefined) return { ok: false, why: older };
  if (facts.sizeBytes === 0) return { ok: false, why: `${from} is empty` };
  return { ok: true, text: await context.readFile(from!), place: from! };
}

interface Reading {
  readonly context: StageContext;
  readonly place: string;
  readonly growing: boolean;
}

async function recordsIn(
  text: string,
  { format, pattern, at }: Source & { readonly format: Format },
  { context, place, growing }: Reading,
): Promise<readonly Record[] | string> {
  switch (format) {
    case 'jsonl':
      return jsonLines(text, place, growing);
    case 'csv':
    case 'tsv': {
      const rows = readCsv(growing ? wholeLines(text) : text, format === 'csv' ? ',' : '\t');
      return typeof rows === 'string' ? rows : rows.map(({ line, fields }) => ({ fields, place: `${place}:${line}` }));
    }
    case 'text': {
      const found = matchedRecords(pattern!, growing ? wholeLines(text) : text, context);
      return typeof found === 'string'
        ? found
        : found.map(({ line, ...record }) => ({ ...record, place: `${place}:${line}` }));
    }
    default: {
      const read = await context.parseData(format === 'json' ? quotedNaN(text) : text, format);
      return read.ok ? listed(read.value, at, place) : read.why;
    }
  }
}

function jsonLines(text: string, place: string, growing: boolean): readonly Record[] | string {
  const found: Record[] = [];
  for (const [index, line] of (growing ? wholeLines(text) : text).split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const fields: unknown = JSON.parse(quotedNaN(line));
      if (!isMap(fields as Json)) return `line ${index + 1} is not a JSON object`;
      found.push({ fields: fields as JsonObject, place: `${place}:${index + 1}` });
    } catch {
      return `line ${index + 1} is not JSON: ${line.trim().slice(0, 80)}`;
    }
  }
  return found;
}

/**
 * Python writes NaN and Infinity into JSON, where they are none. As text they are no number to whoever asks for them, and a
 * gradient that was NaN once does not hide a loss that never was.
 */
const quotedNaN = (text: string): string =>
  /NaN|Infinity/.test(text)
    ? text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) =>
        found.startsWith('"') ? found : `"${found}"`,
      )
    : text;

/** Whoever still writes has not finished the last line. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);

function listed(value: Json, at: string | undefined, place: string): readonly Record[] | string {
  const part = at === undefined ? value : fieldAt(value, at);
  if (part === undefined) return `it has no ${at}`;
  if (!Array.isArray(part)) return isMap(part) ? [{ fields: part, place }] : 'it is neither a map nor a list of maps';
  if (!part.every(isMap)) return 'not everything in its list is a map';
  return part.map((fields, index) => ({ fields: fields as JsonObject, place: `${place}, record ${index + 1}` }));
}

function kept(records: readonly Record[], { where = {} }: Source): readonly Record[] {
  const wanted = Object.entries(where);
  return records.filter(({ fields }) => wanted.every(([name, value]) => sameScalar(fieldAt(fields, name), value)));
}

/** What was read from text is text, also where it is a number. */
export const sameScalar = (value: Json | undefined, wanted: Json): boolean =>
  value === wanted ||
  (typeof value === 'string' && typeof wanted === 'number' && value !== '' && Number(value) === wanted);

/** By its whole name first, because a log may call a field `eval/loss` or `eval.loss`. */
export function fieldAt(value: Json, path: string): Json | undefined {
  if (isMap(value) && Object.hasOwn(value, path)) return value[path] as Json;
  let part: Json | undefined = value;
  for (const step of path.split('.')) {
    if (Array.isArray(part)) part = /^\d+$/.test(step) ? (part[Number(step)] as Json | undefined) : undefined;
    else part = isMap(part) && Object.hasOwn(part, step) ? (part[step] as Json) : undefined;
  }
  return part;
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
