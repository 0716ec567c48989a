import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, Script } from 'node:vm';
import { loadAsUsual } from '../adapters/engine/unhurried.js';

/**
 * Runs the program from the parts that the build made of it. Most of what a short command takes is Node finding and compiling our
 * files. So what V8 made of them is kept beside them when they are built (`scripts/code-cache.mjs`), and taken from there by a Node
 * with the same V8; any other compiles as ever. V8 itself refuses what does not fit its version and flags, but knows a source only by
 * its length: files and caches must be of one build, which is why a build replaces the whole folder.
 *
 * A part names others by their place in that folder, so none of Node's ways of looking for modules are gone here, and nothing
 * that lies beside somebody else's file is ever taken for a cache. `builtIn` is for all that a part asks of Node itself.
 */
export function runProgram(entry: string, builtIn: (name: string) => unknown, keep?: Keep): void {
  const parts = new Map<string, Part>();
  const builtIns = new Map<string, unknown>();
  const ofNode = (name: string): unknown => {
    if (!builtIns.has(name))
      builtIns.set(
        name,
        loadAsUsual(() => builtIn(name)),
      );
    return builtIns.get(name);
  };
  const load = (file: string): unknown => {
    const known = parts.get(file);
    if (known) return known.exports;
    const part: Part = { exports: {} };
    const folder = dirname(file);
    const require = (name: string): unknown => (name.startsWith('.') ? load(join(folder, name)) : ofNode(name));
    const body = loadAsUsual(() => compiled(file, keep));
    body.call(part.exports, part.exports, require, part, file, folder);
    parts.set(file, part);
    return part.exports;
  };
  load(entry);
}

export const cacheName = (file: string): string => `${file}.${process.versions.v8}.cache`;

/** Is told of each part, to keep what will have been compiled of it in the end. */
type Keep = (file: string, script: Script) => void;

interface Part {
  exports: unknown;
}

type Body = (exports: unknown, require: (name: string) => unknown, module: Part, file: string, folder: string) => void;

function compiled(file: string, keep: Keep | undefined): Body {
  // What esbuild writes is ASCII, which is read sooner when it need not be looked through for anything else.
  const source = readFileSync(file, 'latin1');
  const cachedData = cacheOf(file);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  keep?.(file, script);
  return script.runInThisContext() as Body;
}

function cacheOf(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheName(file));
  } catch {
    return undefined;
  }
}
