import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs a command of this experiment: reads `--name value` options, all of them needed and none unknown, and turns an
 * error into one line and exit code 1. A name with `#` is a number, one that ends in `?` may be left out; the name `...`
 * stands for the words that follow the options.
 */
export function command(names, run) {
  try {
    run(readOptions(names));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

function readOptions(names) {
  const options = names.filter((name) => name !== '...');
  const plain = (name) => name.replace(/[#?]+$/, '');
  const { values, positionals } = parseArgs({
    options: Object.fromEntries(options.map((name) => [plain(name), { type: 'string' }])),
    allowPositionals: options.length < names.length,
  });
  const entries = options.flatMap((name) => {
    const option = plain(name);
    const text = values[option];
    if (text === undefined && name.endsWith('?')) return [];
    if (text === undefined || text === '') throw new Error(`--${option} is missing`);
    return [[camelCase(option), name.includes('#') ? readNumber(text, `--${option}`) : text]];
  });
  return { ...Object.fromEntries(entries), words: positionals };
}

export function readNumber(text, name) {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(`${name} is not a number: ${text}`);
  return value;
}

const camelCase = (name) => name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());

export function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export const writeJson = (path, value) => writeText(path, `${JSON.stringify(value, null, 2)}\n`);
