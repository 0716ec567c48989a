import type { Diagnostic, TextRange } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { type Pointer, pointerOf, pointerPath, valueAt } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import { type JsonMistake, scanJson } from './json-scan.js';

export interface ReadJsonOptions {
  /** Only this part of the file is meant, such as `/autoresearch` in a package.json. */
  readonly part?: Pointer;
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
  { part = '' }: ReadJsonOptions = {},
): Result<Document, Diagnostic[]> {
  const prefix = pointerPath(part);
  const mistakes = scanJson(text)
    .filter(({ path }) => path === undefined || prefix.every((name, index) => path[index] === name))
    .map((mistake) => diagnosticOf(file, mistake));
  if (mistakes.length > 0) return err(mistakes);

  let places: ReadonlyMap<string, TextRange> | undefined;
  return ok({
    file,
    text,
    value: valueAt(parse(text), part),
    locate(pointer, what) {
      places ??= placesIn(text);
      return places.get(`${what} ${part}${pointer}`);
    },
  });
}

/** Every key and value by its pointer; made once, because where one place is asked for there may be thousands. */
function placesIn(text: string): Map<string, TextRange> {
  const places = new Map<string, TextRange>();
  scanJson(text, (kind, path, range) => places.set(`${kind} ${pointerOf(...path)}`, range));
  return places;
}

/** A byte order mark is not JSON, but editors write it. */
const parse = (text: string): unknown => JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);

function diagnosticOf(file: string, { message, range, path, first }: JsonMistake): Diagnostic {
  if (path === undefined) return { code: 'AR103', message, at: { kind: 'file', file, range } };
  const pointer = pointerOf(...path);
  return {
    code: 'AR108',
    message,
    hint: 'Keep one of the two',
    at: { kind: 'file', file, pointer, range },
    related: first ? [{ message: 'first written here', at: { kind: 'file', file, pointer, range: first } }] : [],
  };
}
