import type { Diagnostic, TextRange } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { type Pointer, pointerOf, pointerPath, valueAt } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import { type JsonMistake, scanJson } from './json-scan.js';
import { maxDepth } from './plain-data.js';

export interface ReadJsonOptions {
  /** Only this part of the file is meant, such as `/autoresearch` in a package.json. */
  readonly part?: Pointer;
  /** Keys that are written twice are told beside the data. */
  readonly goOn?: boolean;
}

export const readJson = async (
  file: string,
  text: string,
  options: ReadJsonOptions = {},
): Promise<Result<Document, Diagnostic[]>> => parseJson(file, text, options);

/** Reads JSON with the engine's own parser; our scanner only looks for doubled keys and, when asked, for places. */
export function parseJson(
  file: string,
  text: string,
  { part = '', goOn = false }: ReadJsonOptions = {},
): Result<Document, Diagnostic[]> {
  const value = parse(text);
  const mistakes = isFaithful(value, text) ? [] : mistakesIn(text, pointerPath(part));
  const diagnostics = mistakes.map((mistake) => diagnosticOf(file, mistake));
  if (!mistakes.every(({ code }) => goOn && code === 'AR108')) return err(diagnostics);

  let places: ReadonlyMap<string, TextRange> | undefined;
  return ok({
    file,
    text,
    value: valueAt(value, part),
    ...(diagnostics.length > 0 ? { mistakes: diagnostics } : {}),
    locate(pointer, what) {
      places ??= placesIn(text);
      return places.get(`${what} ${part}${pointer}`);
    },
  });
}

/** Undefined when it is not JSON. A byte order mark is not either, but editors write it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/**
 * True when the value has as many keys as are written in the text, so that none is doubled, and no number that may have
 * been another one. Many times faster than the scanner, which is then only needed to say what is wrong.
 */
const isFaithful = (value: unknown, text: string): boolean =>
  value !== undefined && countKeys(value, 0) === writtenKeys(text);

/** NaN for a key with an escape in it: the JSON.parse of Node 24 may read a doubled one as two different keys. */
function writtenKeys(text: string): number {
  let keys = 0;
  let slash = text.indexOf('\\');
  for (let start = text.indexOf('"'); start !== -1; ) {
    let end = text.indexOf('"', start + 1);
    // What is escaped may be a quotation mark.
    const isEscaped = slash !== -1 && slash < end;
    while (slash !== -1 && slash < end) {
      if (slash + 1 === end) end = text.indexOf('"', end + 1);
      slash = text.indexOf('\\', slash + 2);
    }
    if (end === -1) return Number.NaN;
    let after = end + 1;
    while (isSpace(text.charCodeAt(after))) after += 1;
    if (text.charCodeAt(after) === colon) {
      if (isEscaped) return Number.NaN;
      keys += 1;
    }
    start = text.indexOf('"', after);
  }
  return keys;
}

const colon = 0x3a;
/** To JSON nothing else is. */
const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** NaN where the scanner has to have a look. */
function countKeys(value: unknown, depth: number): number {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxDepth) return Number.NaN;
  let keys = 0;
  if (Array.isArray(value)) for (let at = 0; at < value.length; at += 1) keys += countKeys(value[at], depth + 1);
  else for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key], depth + 1);
  return keys;
}

const mistakesIn = (text: string, prefix: readonly string[]): JsonMistake[] =>
  scanJson(text).filter(({ path }) => path === undefined || prefix.every((name, index) => path[index] === name));

/** Every key and value by its pointer; made once, because where one place is asked for there may be thousands. */
function placesIn(text: string): Map<string, TextRange> {
  const places = new Map<string, TextRange>();
  scanJson(text, (kind, path, range) => places.set(`${kind} ${pointerOf(...path)}`, range));
  return places;
}

function diagnosticOf(file: string, { code, message, hint, range, path, first }: JsonMistake): Diagnostic {
  const pointer = path && pointerOf(...path);
  const at = (place: TextRange) =>
    ({ kind: 'file', file, ...(pointer === undefined ? {} : { pointer }), range: place }) as const;
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    at: at(range),
    ...(first ? { related: [{ message: 'first written here', at: at(first) }] } : {}),
  };
}
