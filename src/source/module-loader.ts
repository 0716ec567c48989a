import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { didYouMean } from './did-you-mean.js';
import { parseJson } from './json.js';
import { waitedFor, withinLimit } from './load-limit.js';
import { isLocalSpecifier, isModuleFile, resolveLocal } from './module-path.js';
import { compileProblem, ModuleProblem, missingImport, wordRange } from './module-problem.js';
import { importNatively, withoutExperimentalWarnings } from './native-import.js';
import { importMetaName, type Sucrase, toCommonJs } from './sucrase.js';
import { utf8Problem } from './utf8.js';

export type Door = { readonly [name: string]: unknown };

interface Module {
  exports: unknown;
}

export interface ModuleLoaderOptions {
  readonly door: Door;
  /** Packages that can be imported but not required. */
  readonly imported: ReadonlyMap<string, unknown>;
  /** How long the first file and all that it imports may take. */
  readonly limitMs: number;
}

/**
 * Evaluates TypeScript and JavaScript in memory, as CommonJS: no file is written and nothing stays in Node's own
 * module cache. Packages and built-ins are left to Node.
 */
export class ModuleLoader {
  /** Local files read so far, in the order in which they were needed, with their text. */
  readonly files = new Map<string, string>();
  readonly #modules = new Map<string, Module>();
  readonly #imported: ReadonlyMap<string, unknown>;
  readonly #door: Door;
  readonly #limitMs: number;

  constructor(
    readonly sucrase: Sucrase,
    { door, imported, limitMs }: ModuleLoaderOptions,
  ) {
    this.#door = door;
    this.#imported = imported;
    this.#limitMs = limitMs;
  }

  /** The first file; only here may `await` stand at the top level. */
  async entry(file: string, text: string): Promise<unknown> {
    this.files.set(file, text);
    const module: Module = { exports: {} };
    this.#modules.set(file, module);
    const done = withinLimit(() => this.#evaluate(file, text, { module, wrap: true }), this.#limitMs);
    await waitedFor(done as Promise<unknown>, this.#limitMs);
    return module.exports;
  }

  #evaluate(
    file: string,
    text: string,
    { module, wrap }: { readonly module: Module; readonly wrap: boolean },
  ): unknown {
    const compiled = this.#compile(file, text, wrap);
    const meta = { url: pathToFileURL(file).href, filename: file, dirname: dirname(file) };
    const require = (specifier: string): unknown => this.#require(specifier, file);
    return compiled(module.exports, require, module, file, dirname(file), meta);
  }

  #compile(file: string, text: string, wrap: boolean): (...values: unknown[]) => unknown {
    try {
      const code = toCommonJs(this.sucrase, { file, text });
      const names = ['exports', 'require', 'module', '__filename', '__dirname', importMetaName];
      const head = 'return (async () => {';
      if (!wrap) return compileFunction(code, names, { filename: file }) as (...values: unknown[]) => unknown;
      const options = { filename: file, columnOffset: -head.length };
      return compileFunction(`${head}${code}\n})()`, names, options) as (...values: unknown[]) => unknown;
    } catch (error) {
      throw compileProblem(this.sucrase, { file, text }, error);
    }
  }

  #require(specifier: string, importer: string): unknown {
    if (specifier === 'autoresearch') return this.#guardedDoor(importer);
    if (isBuiltin(specifier)) return createRequire(importer)(specifier);
    if (!isLocalSpecifier(specifier)) return this.#package(specifier, importer);
    const file = resolveLocal(specifier, importer);
    if (file === undefined) throw missingImport(specifier, { file: importer, text: this.files.get(importer) ?? '' });
    return this.#local(file, importer);
  }

  #local(file: string, importer: string): unknown {
    const known = this.#modules.get(file);
    if (known) return known.exports;
    if (!isModuleFile(file) && !file.endsWith('.json')) return createRequire(importer)(file);
    const text = readFileSync(file, 'utf8');
    const garbled = utf8Problem(file, text);
    if (garbled) throw new ModuleProblem(garbled);
    this.files.set(file, text);
    const module: Module = { exports: {} };
    this.#modules.set(file, module);
    if (file.endsWith('.json')) module.exports = jsonOrThrow(file, text);
    else this.#evaluate(file, text, { module, wrap: false });
    return module.exports;
  }

  #package(specifier: string, importer: string): unknown {
    const key = importKey(specifier, importer);
    if (this.#imported.has(key)) return this.#imported.get(key);
    const require = createRequire(importer);
    try {
      const file = require.resolve(specifier);
      if (/\.[mc]?ts$/.test(file)) return this.#local(file, importer);
      return withoutExperimentalWarnings(() => require(specifier));
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (onlyForImport.has(code)) throw new NeedsImport(specifier, importer);
      const missing = code === 'MODULE_NOT_FOUND' && (error as Error).message.includes(`'${specifier}'`);
      if (missing) throw missingImport(specifier, { file: importer, text: this.files.get(importer) ?? '' });
      throw error;
    }
  }

  /** A name that the public door does not have would otherwise be `undefined` and fail somewhere else. */
  #guardedDoor(importer: string): unknown {
    return new Proxy({ __esModule: true, ...this.#door } as Record<string | symbol, unknown>, {
      get: (door, name) => {
        if (typeof name === 'symbol' || name in door || name === 'then') return door[name];
        const range = wordRange(this.files.get(importer) ?? '', name);
        const hint = didYouMean(name, Object.keys(this.#door));
        throw new ModuleProblem({
          code: 'AR104',
          message: `"autoresearch" has no export "${name}"`,
          ...(hint === undefined ? {} : { hint }),
          at: { kind: 'file', file: importer, ...(range ? { range } : {}) },
        });
      },
    });
  }
}

/** Thrown when a package can be imported but not required; the loader then imports it and starts afresh. */
export class NeedsImport extends Error {
  constructor(
    readonly specifier: string,
    readonly importer: string,
  ) {
    super(`"${specifier}" has to be imported`);
  }

  async addTo(imported: Map<string, unknown>): Promise<void> {
    imported.set(importKey(this.specifier, this.importer), await importNatively(this.specifier, this.importer));
  }
}

const onlyForImport = new Set<unknown>([
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_REQUIRE_ASYNC_MODULE',
  'ERR_REQUIRE_ESM',
]);

const importKey = (specifier: string, importer: string): string => `${specifier}\0${dirname(importer)}`;

function jsonOrThrow(file: string, text: string): unknown {
  const document = parseJson(file, text);
  if (document.ok) return document.value.value;
  throw new ModuleProblem(document.error[0]!);
}
