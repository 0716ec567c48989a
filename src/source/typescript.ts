import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { pointerLabel, pointerPath } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import { LiteralFinder } from './literal-finder.js';
import { type Door, ModuleLoader, NeedsImport } from './module-loader.js';
import { evaluationProblem, ModuleProblem } from './module-problem.js';
import { findNotData } from './plain-data.js';
import { loadSucrase, type Sucrase, tokensOf } from './sucrase.js';

export interface LoadOptions {
  /** What `import … from 'autoresearch'` gives, in this process and without looking for an installed package. */
  readonly door: Door;
}

export interface LoadedModule {
  readonly exports: Record<string, unknown>;
  readonly text: string;
  /** Every local file that was evaluated or read for it, the module itself first; absolute paths. */
  readonly files: readonly string[];
}

/** Evaluates a TypeScript or JavaScript module and what it imports, without writing anything. */
export async function loadModule(file: string, { door }: LoadOptions): Promise<Result<LoadedModule, Diagnostic[]>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const message = `cannot read the file: ${(error as Error).message.split(',')[0]}`;
    return err([{ code: 'AR104', message, at: { kind: 'file', file } }]);
  }
  return evaluate(await loadSucrase(), { file, text, door });
}

/** Reads a config that is a module: its default export must be plain data. */
export async function readTypescript(
  file: string,
  text: string,
  { door }: LoadOptions,
): Promise<Result<Document, Diagnostic[]>> {
  const sucrase = await loadSucrase();
  const loaded = await evaluate(sucrase, { file, text, door });
  if (!loaded.ok) return loaded;
  const { exports } = loaded.value;
  if (!Object.hasOwn(exports, 'default')) {
    const hint = 'Write "export default defineConfig({ … })"';
    return err([{ code: 'AR104', message: 'the file has no default export', hint, at: { kind: 'file', file } }]);
  }

  let finder: LiteralFinder | undefined;
  const document: Document = {
    file,
    text,
    value: exports.default,
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
  return notData.length > 0 ? err(notData) : ok(document);
}

async function evaluate(
  sucrase: Sucrase,
  { file, text, door }: { readonly file: string; readonly text: string; readonly door: Door },
): Promise<Result<LoadedModule, Diagnostic[]>> {
  const imported = new Map<string, unknown>();
  for (;;) {
    const loader = new ModuleLoader(sucrase, door, imported);
    try {
      const exports = asNamespace(await loader.entry(file, text));
      return ok({ exports, text, files: [...loader.files.keys()] });
    } catch (error) {
      const next = await recover(error, imported);
      if (next === 'again') continue;
      if (next instanceof ModuleProblem) return err([next.diagnostic]);
      return err([evaluationProblem(sucrase, next, { entry: file, files: loader.files })]);
    }
  }
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
