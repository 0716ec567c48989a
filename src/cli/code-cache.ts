import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { constants, Script } from 'node:vm';

/**
 * Most of what a short command takes is Node compiling our files. What V8 made of them is kept beside them when they are built
 * (`scripts/code-cache.mjs`), and taken from there by a Node with the same V8; any other compiles as ever. V8 itself refuses
 * what does not fit its version and flags, but knows a source only by its length: files and caches must be of one build, which
 * is why a build replaces the whole folder.
 */
export function loadCompiled(keep?: (file: string, script: Script) => void): void {
  const extensions = (Module as unknown as { _extensions: Record<string, Loader> })._extensions;
  extensions['.cjs'] = (module, file) => {
    // Only our own: what lies beside somebody else's file was put there by nobody knows whom.
    if (!file.startsWith(import.meta.dirname + sep)) return extensions['.js']!(module, file);
    const source = readFileSync(file, 'utf8');
    const cachedData = cacheOf(file);
    if (!cachedData && !keep) return module._compile(source, file);
    const script = new Script(Module.wrap(source), {
      filename: file,
      ...(cachedData ? { cachedData } : {}),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    keep?.(file, script);
    script.runInThisContext().call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  };
}

type Loader = (module: NodeJS.Module & { _compile(source: string, file: string): void }, file: string) => void;

export const cacheName = (file: string): string => `${file}.${process.versions.v8}.cache`;

function cacheOf(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheName(file));
  } catch {
    return undefined;
  }
}
