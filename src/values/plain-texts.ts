import type { Json } from '../model/json.js';
import type { Value } from '../model/value.js';
import { fromJson } from './from-data.js';

type Read = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: string };

/** A dotenv file. A bare number is a number, what has quotes is text. */
export function readEnv(text: string): Read {
  const map: { [key: string]: Value } = Object.create(null);
  const wrong: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const found = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/.exec(line);
    const value = found ? envValue(found[2]!) : undefined;
    if (!found || value === undefined) wrong.push(`line ${index + 1} is not NAME=value`);
    else if (found[1]! in map) wrong.push(`line ${index + 1} sets ${found[1]} again`);
    else map[found[1]!] = value;
  }
  return wrong.length > 0 ? { ok: false, why: wrong.join('; ') } : { ok: true, value: { map } };
}

function envValue(text: string): Value | undefined {
  const quoted = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(?:#.*)?$/.exec(text);
  if (quoted?.[1] !== undefined) return quoted[1];
  if (quoted) return expanded(quoted[2]!.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)));
  if (/^['"]/.test(text)) return undefined;
  return bare(text.replace(/(^|\s)#.*$/, '').trim());
}

/** A name inside a value stands for something that is not in the file, and readers disagree about it. */
const expanded = (text: string): Value => (/\$[A-Za-z_{]/.test(text) ? { other: 'reference to a variable' } : text);

/** A word without quotes, as programs read it: a number where it is one. */
export function bare(word: string): Value {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(word)) {
    const number = Number(word);
    if (/^[+-]?\d+$/.test(word) && !Number.isSafeInteger(number))
      return { digits: BigInt(word.replace(/^\+/, '')).toString() };
    return Number.isFinite(number) ? number : { other: 'number too large' };
  }
  return /^[+-]?nan$/i.test(word) ? Number.NaN : expanded(word);
}

/**
 * The command line that a job was started with: text, words between NUL signs as in /proc, or JSON with `command` and `env`.
 * `--key=value`, `--key value`, `-k value` and `key=value` are parameters; a bare `--flag` is true. Variables are `env.NAME`.
 */
export function readCommandLine(text: string): Read {
  const job = /^\s*\{/.test(text)
    ? jobOf(text)
    : { words: text.includes('\0') ? nulWords(text) : shellWords(text), env: {} };
  if (typeof job === 'string') return { ok: false, why: job };
  const map = optionsIn(job.words);
  if (Object.keys(job.env).length > 0) {
    const env: { [key: string]: Value } = Object.create(null);
    for (const [name, value] of Object.entries(job.env))
      env[name] = typeof value === 'string' ? bare(value) : fromJson(value);
    map.env = { map: env };
  }
  return { ok: true, value: { map } };
}

function jobOf(text: string): { words: readonly string[]; env: { readonly [name: string]: Json } } | string {
  try {
    const { command, env = {} } = JSON.parse(text);
    if (typeof env !== 'object' || env === null || Array.isArray(env)) return '"env" is not a map of variables';
    if (typeof command === 'string') return { words: shellWords(command), env };
    if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return { words: command, env };
    return 'it has no "command": text or a list of words';
  } catch (error) {
    return (error as Error).message;
  }
}

function optionsIn(words: readonly string[]): { [key: string]: Value } {
  const map: { [key: string]: Value } = Object.create(null);
  const put = (key: string, value: Value): void => {
    const before = map[key];
    // Given twice: which one counts is up to the program, so both are compared.
    map[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  };
  let open: string | undefined;
  for (const word of words) {
    const option = /^(?:--?([A-Za-z_][\w.-]*)|\+{0,2}([A-Za-z_][\w.]*)(?==))(?:=(.*))?$/s.exec(word);
    if (!option && open !== undefined) {
      put(open, bare(word));
      open = undefined;
    }
    if (!option) continue;
    if (open !== undefined) put(open, true);
    const name = option[1] ?? option[2]!;
    open = option[3] === undefined ? name : undefined;
    if (option[3] !== undefined) put(name, bare(option[3]));
  }
  if (open !== undefined) put(open, true);
  return map;
}

const nulWords = (text: string): string[] => text.split('\0').filter((word) => word !== '');

/** Quotes and backslashes only: what a shell would have replaced is not known any more. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/g))
    words.push(
      word.replace(
        /"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s\S])/g,
        (_, double?: string, single?: string, sign?: string) =>
          double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : (single ?? sign!),
      ),
    );
  return words;
}
