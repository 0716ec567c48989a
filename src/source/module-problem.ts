import { SourceMap } from 'node:module';
import type { Diagnostic, TextRange } from '../model/diagnostic.js';
import { isLocalSpecifier, similarLocal } from './module-path.js';
import { type SourceFile, type Sucrase, sourceMapOf } from './sucrase.js';

/** Carries a diagnostic out through the code that is being evaluated. */
export class ModuleProblem extends Error {
  constructor(readonly diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.name = 'ModuleProblem';
  }
}

/** A syntax error, found by sucrase or, where that is lenient, by the engine. */
export function compileProblem(sucrase: Sucrase, source: SourceFile, error: unknown): ModuleProblem {
  const { message, pos, stack } = error as { message: string; pos?: unknown; stack?: unknown };
  const { file, text } = source;
  if (typeof pos === 'number') {
    const plain = message.replace(/ \([0-9]+:[0-9]+\)$/, '').replace(/^Unexpected token$/, 'unexpected token');
    return new ModuleProblem(syntaxError(file, lowerFirst(plain), { start: pos, end: wordEnd(text, pos) }));
  }
  const [place = '', line = '', caret = ''] = String(stack).split('\n');
  const number = /:([0-9]+)$/.exec(place)?.[1];
  const isCaret = /^ *\^+ *$/.test(caret);
  const start = isCaret
    ? originalOffset(sucrase, source, { line: Number(number), column: caret.indexOf('^') + 1 - shiftOf(line) })
    : undefined;
  const range = start === undefined ? undefined : { start, end: wordEnd(text, start) };
  const awaits = message.startsWith('await is only valid');
  const diagnostic = syntaxError(file, awaits ? 'await stands outside an async function' : lowerFirst(message), range);
  const hint = 'Only the config file itself may use await at its top level, not a file that it imports';
  return new ModuleProblem(awaits ? { ...diagnostic, hint } : diagnostic);
}

export function missingImport(specifier: string, importer: SourceFile): ModuleProblem {
  const similar = isLocalSpecifier(specifier) ? similarLocal(specifier, importer.file) : undefined;
  const range = quotedRange(importer.text, specifier);
  const install = isLocalSpecifier(specifier) ? undefined : `Install it: npm install ${specifier}`;
  const hint = similar === undefined ? install : `Did you mean "${similar}"?`;
  return new ModuleProblem({
    code: 'AR104',
    message: `cannot find "${specifier}", which is imported here`,
    ...(hint === undefined ? {} : { hint }),
    at: { kind: 'file', file: importer.file, ...(range ? { range } : {}) },
  });
}

/** Something was thrown while the files were evaluated; `files` are those whose frames count as the user's. */
export function evaluationProblem(
  sucrase: Sucrase,
  error: unknown,
  { entry, files }: { readonly entry: string; readonly files: ReadonlyMap<string, string> },
): Diagnostic {
  const frame = error instanceof Error ? userFrame(String(error.stack), files) : undefined;
  const file = frame?.file ?? entry;
  const text = files.get(file) ?? '';
  const start = frame ? originalOffset(sucrase, { file, text }, frame) : undefined;
  const range = start === undefined ? undefined : { start, end: wordEnd(text, start) };
  const name = range ? text.slice(range.start, range.end) : '';
  return {
    code: 'AR104',
    message: `evaluation failed: ${firstLine(error, name)}`,
    at: { kind: 'file', file, ...(range ? { range } : {}) },
  };
}

export function wordRange(text: string, word: string): TextRange | undefined {
  const start = new RegExp(`(?<![\\w$])${escaped(word)}(?![\\w$])`).exec(text)?.index;
  return start === undefined ? undefined : { start, end: start + word.length };
}

/** Where a specifier stands in quotes, preferably in an import. */
function quotedRange(text: string, specifier: string): TextRange | undefined {
  const quoted = `(['"\`])${escaped(specifier)}\\1`;
  const match =
    new RegExp(`(?:from|import|require)\\s*\\(?\\s*(?=${quoted})`).exec(text) ?? new RegExp(`(?=${quoted})`).exec(text);
  if (!match) return undefined;
  const start = match.index + match[0].length;
  return { start, end: start + specifier.length + 2 };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const syntaxError = (file: string, message: string, range: TextRange | undefined): Diagnostic => ({
  code: 'AR103',
  message,
  at: { kind: 'file', file, ...(range ? { range } : {}) },
});

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

function userFrame(stack: string, files: ReadonlyMap<string, string>): Frame | undefined {
  for (const line of stack.split('\n')) {
    for (const file of files.keys()) {
      const index = line.lastIndexOf(`${file}:`);
      if (index < 0) continue;
      const place = /^([0-9]+):([0-9]+)/.exec(line.slice(index + file.length + 1));
      if (place) return { file, line: Number(place[1]), column: Number(place[2]) };
    }
  }
  return undefined;
}

/** Back from the compiled line and column, which count from 1, to an offset in the source. */
function originalOffset(
  sucrase: Sucrase,
  source: SourceFile,
  { line, column }: { line: number; column: number },
): number | undefined {
  const payload = sourceMapOf(sucrase, source);
  if (!payload) return undefined;
  const entry = new SourceMap(payload as ConstructorParameters<typeof SourceMap>[0]).findEntry(line - 1, column - 1);
  if (!('originalLine' in entry)) return undefined;
  const lines = source.text.split('\n');
  const before = lines.slice(0, entry.originalLine).reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(before + entry.originalColumn, source.text.length);
}

function firstLine(error: unknown, nameThere: string): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.split('\n')[0] ?? '';
  // Imported functions are called as `_module.name.call(…)`, so a name that is not exported shows as this.
  if (message === "Cannot read properties of undefined (reading 'call')" && /^[\w$]+$/.test(nameThere)) {
    return `${nameThere} is not a function; is it exported by the file it is imported from?`;
  }
  return error.name === 'Error' ? message : `${error.name}: ${message}`;
}

const wordEnd = (text: string, start: number): number =>
  start + (/^(?:[\w$]+|[^\n]|)/.exec(text.slice(start, start + 200))?.[0].length ?? 0);

/** The engine quotes the compiled line, in which the wrapper of the entry is the head of line 1. */
const shiftOf = (line: string): number =>
  line.startsWith('return (async () => {') ? 'return (async () => {'.length : 0;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
