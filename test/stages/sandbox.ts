import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import * as door from 'autoresearch';
import { transformSync } from 'esbuild';
import type { Behaviour } from '../../src/model/stage.js';

/**
 * Loads a behaviour where nothing exists but the language and the public door: no process, files, network, timers or
 * console, and neither clock nor chance. Whatever reaches for more fails by name.
 */
export function loadInSandbox(folder: string): Behaviour {
  const file = fileURLToPath(new URL(`../../stages/${folder}/index.ts`, import.meta.url));
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs', sourcefile: file });
  return evaluateInSandbox(code, file);
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
