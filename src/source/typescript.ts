import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { formatDuration } from '../model/duration.js';
import { type Pointer, pointerLabel, pointerOf, pointerPath } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import { anotherTimeMs, ChanceWatch } from './chance.js';
import { LiteralFinder } from './literal-finder.js';
import { loadLimitMs, NeverEnded } from './load-limit.js';
import { type Door, ModuleLoader, NeedsImport } from './module-loader.js';
import { isModuleFile } from './module-path.js';
import { evaluationProblem, ModuleProblem } from './module-problem.js';
import { findNotData } from './plain-data.js';
import { loadSucrase, type SourceFile, type Sucrase, tokensOf } from './sucrase.js';
import { writtenTwice } from './written-twice.js';

export interface LoadOptions {
  /** What `import … from 'autoresearch'` gives, in this process and without looking for an installed package. */
  readonly door: Door;
  /** How long evaluating may take. */
  readonly limitMs?: number;
}

export interface LoadedModule {
  readonly exports: Record<string, unknown>;
  readonly text: string;
  /** Every local file that was evaluated or read for it, the module itself first; absolute paths. */
  readonly files: readonly string[];
  /** Their texts. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Evaluates a TypeScript or JavaScript module and what it imports, without writing anything. */
export async function loadModule(file: string, options: LoadOptions): Promise<Result<LoadedModule, Diagnostic[]>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `cannot read the file: ${(error as Error).message.split(',')[0]}`;
    return err([{ code: 'AR104', message, at: { kind: 'file', file } }]);
  }
  return evaluate(await loadSucrase(), { file, text }, options);
}

/** Reads a config that is a module: its default export must be plain data. */
export async function readTypescript(
  file: string,
  text: string,
  options: LoadOptions,
): Promise<Result<Document, Diagnostic[]>> {
  const sucrase = await loadSucrase();
  const env = { ...process.env };
  const read = await watched(0, () => evaluate(sucrase, { file, text }, options));
  const loaded = read.result;
  if (!loaded.ok) return loaded;
  const set = changedNames(env, process.env);
  if (set.length > 0) return err(set.map((name) => setsVariable(name, { file, text })));
  const twice = ownModules(loaded.value.sources).flatMap((source) => writtenTwice(sucrase, source));
  const { exports } = loaded.value;
  if (!Object.hasOwn(exports, 'default')) {
    const hint = 'Write "export default defineConfig({ … })"';
    return err([
      ...twice,
      { code: 'AR104', message: 'the file has no default export', hint, at: { kind: 'file', file } },
    ]);
  }

  let finder: LiteralFinder | undefined;
  const document: Document = {
    file,
    text,
    value: exports.default,
    imports: loaded.value.files.filter((one) => one !== file),
    locate(pointer, what) {
      finder ??= new LiteralFinder(tokensOf(sucrase, { file, text }));
      return finder.find(pointerPath(pointer), what);
    },
  };
  const notData = findNotData(document.value).map(({ pointer, what, hint }): Diagnostic => {
    const range = document.locate(pointer, 'value');
    return {
      code: 'AR105',
      message: `${pointerLabel(pointer) || 'the default export'} is ${what}, not plain data`,
      ...(hint === undefined ? {} : { hint }),
      at: { kind: 'file', file, pointer, ...(range ? { range } : {}) },
    };
  });
  if (notData.length > 0) return err([...twice, ...notData]);
  const other = read.isAsked
    ? await watched(anotherTimeMs, () => evaluate(sucrase, { file, text }, options))
    : undefined;
  const changed = other?.result.ok ? firstChange(document.value, other.result.value.exports.default) : undefined;
  const mistakes = [...twice, ...(changed === undefined ? [] : [changesEachTime(document, changed)])];
  return ok(mistakes.length === 0 ? document : { ...document, mistakes });
}

async function watched<T>(shiftMs: number, work: () => Promise<T>): Promise<{ result: T; isAsked: boolean }> {
  const watch = new ChanceWatch(shiftMs);
  try {
    const result = await work();
    return { result, isAsked: watch.isAsked };
  } finally {
    watch.end();
  }
}

/** The place where two readings of the same data begin to differ. */
function firstChange(one: unknown, other: unknown, path: readonly string[] = []): Pointer | undefined {
  const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isMap(one) || !isMap(other)) return Object.is(one, other) ? undefined : pointerOf(...path);
  if (Object.keys(one).join('\0') !== Object.keys(other).join('\0')) return pointerOf(...path);
  for (const key of Object.keys(one)) {
    const changed = firstChange(Reflect.get(one, key), Reflect.get(other, key), [...path, key]);
    if (changed !== undefined) return changed;
  }
  return undefined;
}

function changesEachTime({ file, locate }: Document, pointer: Pointer): Diagnostic {
  const range = locate(pointer, 'value');
  return {
    code: 'AR119',
    message: `${pointerLabel(pointer) || 'the config'} is different each time: it depends on the time or on chance`,
    hint: 'Write the value itself, or make it a variable and set it with --set',
    at: { kind: 'file', file, pointer, ...(range ? { range } : {}) },
  };
}

/** JSON has been looked at when it was read, and what is installed is not the person's to mend. */
const ownModules = (sources: ReadonlyMap<string, string>): readonly SourceFile[] =>
  [...sources]
    .map(([file, text]) => ({ file, text }))
    .filter(({ file }) => isModuleFile(file) && !/[\\/]node_modules[\\/]/.test(file));

const changedNames = (before: NodeJS.ProcessEnv, after: NodeJS.ProcessEnv): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]).sort();

/** Commands would get it, and nobody could tell from the plan, nor would a result know that it has changed. */
function setsVariable(name: string, { file, text }: { readonly file: string; readonly text: string }): Diagnostic {
  const start = text.indexOf(`process.env.${name}`);
  const range = start < 0 ? {} : { range: { start, end: start + `process.env.${name}`.length } };
  return {
    code: 'AR110',
    message: `the config changes the environment variable ${name}`,
    hint: `Write it under "env" of the stages that need it, or set it before autoresearch starts`,
    at: { kind: 'file', file, ...range },
  };
}

async function evaluate(
  sucrase: Sucrase,
  { file, text }: SourceFile,
  { door, limitMs = loadLimitMs }: LoadOptions,
): Promise<Result<LoadedModule, Diagnostic[]>> {
  const imported = new Map<string, unknown>();
  for (;;) {
    const loader = new ModuleLoader(sucrase, { door, imported, limitMs });
    try {
      const exports = asNamespace(await loader.entry(file, text));
      return ok({ exports, text, files: [...loader.files.keys()], sources: loader.files });
    } catch (error) {
      const next = await recover(error, imported);
      if (next === 'again') continue;
      if (next instanceof ModuleProblem) return err([next.diagnostic]);
      if (next instanceof NeverEnded) return err([neverEnded(file, next)]);
      return err([evaluationProblem(sucrase, next, { entry: file, files: loader.files })]);
    }
  }
}

function neverEnded(file: string, { how, limitMs }: NeverEnded): Diagnostic {
  const isLoop = how === 'loops';
  return {
    code: 'AR104',
    message: isLoop
      ? `evaluation was ended: it did not come to its end within ${formatDuration(limitMs)}`
      : `evaluation was ended: it waits for something that did not come within ${formatDuration(limitMs)}, or that cannot come any more`,
    hint: isLoop
      ? 'Look for a loop that never ends, also in the files that it imports'
      : 'Look at what it awaits: a config is data, so let a script fetch what it needs, and write it into a file',
    at: { kind: 'file', file },
  };
}

async function recover(error: unknown, imported: Map<string, unknown>): Promise<unknown> {
  if (!(error instanceof NeedsImport)) return error;
  try {
    await error.addTo(imported);
    return 'again';
  } catch (failure) {
    return failure;
  }
}

/** A CommonJS module is its own default export. */
function asNamespace(exports: unknown): Record<string, unknown> {
  const isObject = typeof exports === 'object' && exports !== null;
  if (isObject && Object.hasOwn(exports, '__esModule')) return exports as Record<string, unknown>;
  if (isObject && Object.keys(exports).length === 0) return {};
  return { ...(isObject ? exports : {}), default: exports };
}
