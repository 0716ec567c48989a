import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import * as door from 'autoresearch';
import { buildSync } from 'esbuild';
import type { Behaviour } from '../../src/model/stage.js';

/**
 * Loads a behaviour where nothing exists but the language and the public door: no process, files, network, timers or
 * console, and neither clock nor chance. Whatever reaches for more fails by name.
 */
export function loadInSandbox(folder: string): Behaviour {
  const home = fileURLToPath(new URL(`../../stages/${folder}/`, import.meta.url));
  const file = join(home, 'index.ts');
  const { outputFiles, metafile } = buildSync({
    entryPoints: [file],
    bundle: true,
    packages: 'external',
    format: 'cjs',
    write: false,
    metafile: true,
    logLevel: 'silent',
    tsconfigRaw: '{}',
  });
  // It may be cut into several files, all of them in its own folder.
  for (const part of Object.keys(metafile.inputs))
    if (!resolve(part).startsWith(home)) throw new Error(`${file} imports ${part}, which is not in its folder`);
  return evaluateInSandbox(outputFiles[0]!.text, file);
}

export function evaluateInSandbox(code: string, file: string): Behaviour {
  const module: { exports: { default?: Behaviour } } = { exports: {} };
  const require = (name: string) => {
    if (name === 'autoresearch') return door;
    throw new Error(`${file} imports "${name}", but a behaviour imports only "autoresearch"`);
  };
  const context = createContext(
    { module, exports: module.exports, require },
    { codeGeneration: { strings: false, wasm: false } },
  );
  runInContext(removeClockAndChance, context);
  runInContext(code, context, { filename: file });
  if (module.exports.default === undefined) throw new Error(`${file} has no default export`);
  return module.exports.default;
}

const removeClockAndChance = `
  Math.random = () => { throw new Error('a behaviour uses Math.random'); };
  globalThis.Date = new Proxy(Date, {
    get() { throw new Error('a behaviour uses the clock'); },
    apply() { throw new Error('a behaviour uses the clock'); },
    construct() { throw new Error('a behaviour uses the clock'); },
  });
  delete globalThis.console;
`;
