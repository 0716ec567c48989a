import type { Json } from '../model/json.js';
import type { Reading, StageContext, ValuesEnd, ValuesWish } from '../model/stage.js';
import type { Value } from '../model/value.js';
import { isForPython, type KnownSource, knownSource } from '../model/value-source.js';
import { flattened, fromJson, fromPython, isMap } from './from-data.js';
import { readCommandLine, readEnv } from './plain-texts.js';
import { pythonScript } from './python-script.js';

type World = Pick<StageContext, 'command' | 'readFile' | 'parseData'>;
type Held = Reading<Value> | Extract<ValuesEnd, { failure: unknown }>;
type File = Extract<KnownSource, { kind: 'file' }>;

/** What a file or a command says, value by value. */
export async function loadValues({ from, names, python = 'python3' }: ValuesWish, world: World): Promise<ValuesEnd> {
  const source = knownSource(from);
  if (typeof source === 'string') return { ok: false, why: source };
  const held = await heldBy(source, { python, names }, world);
  if (!held.ok) return held;
  const part = partAt(held.value, source.at);
  if (part === undefined) return { ok: false, why: `it has no ${source.at}` };
  const values = flattened(part);
  return typeof values === 'string' ? { ok: false, why: values } : { ok: true, values };
}

interface Asking {
  readonly python: string;
  readonly names: readonly string[];
}

function heldBy(source: KnownSource, asking: Asking, context: World): Promise<Held> {
  if (source.kind === 'command') return printed(source.run, context);
  if (isForPython(source)) return inPython(source, asking, context);
  return fromText(source, context);
}

async function fromText(source: File, context: World): Promise<Held> {
  const text = await context.readFile(source.file);
  switch (source.format) {
    case 'env':
      return readEnv(text);
    case 'argv':
      return readCommandLine(text);
    default: {
      const doubtful = source.format === 'yaml' ? octalIn(text) : undefined;
      if (doubtful !== undefined) return { ok: false, why: doubtful };
      const read = await context.parseData(text, source.format === 'yaml' ? 'yaml' : 'json');
      return read.ok ? { ok: true, value: fromJson(read.value) } : read;
    }
  }
}

/** The one writing of whole numbers that readers of YAML take for different ones. */
function octalIn(text: string): string | undefined {
  for (const [index, line] of text.split('\n').entries()) {
    const number = /^\s*(?:- +)*[\w.-]+ *: +([+-]?0\d+)\s*(?:#.*)?$/.exec(line)?.[1];
    if (number !== undefined && !/^[+-]?0+$/.test(number))
      return `line ${index + 1}: ${number} is octal to some readers of YAML and decimal to others`;
  }
  return undefined;
}

async function printed(run: string, context: World): Promise<Held> {
  const end = await context.command(run, { capture: true });
  if (!end.ok) return end;
  if (end.isCut) return { ok: false, why: 'it prints more than a megabyte' };
  const read = await context.parseData(end.stdout, 'json');
  return read.ok ? { ok: true, value: fromJson(read.value) } : { ok: false, why: `it prints no JSON: ${read.why}` };
}

/**
 * In an interpreter of its own, never in ours, without a network where the system can take it away, and always without
 * Python's. What is beside the file cannot stand in for a module of the loader, which imports its own first.
 */
async function inPython(
  { file, format, call = '', at }: File,
  { python, names }: Asking,
  context: World,
): Promise<Held> {
  const wanted = (at === undefined ? names : [at]).map((name) => name.split('.')[0]!);
  const words = [python, '-I', '-B', '-c', pythonScript, file, format, call, JSON.stringify([...new Set(wanted)])];
  const end = await context.command(['sh', '-c', withoutNetwork, 'sh', ...words], { capture: true });
  if (!end.ok) return end;
  const answer = answerIn(end.stdout);
  if (end.isCut || answer === undefined) return { ok: false, why: 'loading it ended without an answer' };
  if (typeof answer.error === 'string') return { ok: false, why: answer.error };
  return { ok: true, value: fromPython(answer.values!) };
}

const withoutNetwork = 'if unshare -rn true 2>/dev/null; then exec unshare -rn "$@"; fi; exec "$@"';

function answerIn(stdout: string): { readonly values?: Json; readonly error?: Json } | undefined {
  try {
    const answer = JSON.parse(stdout);
    return typeof answer === 'object' && answer !== null && ('values' in answer || 'error' in answer)
      ? answer
      : undefined;
  } catch {
    return undefined;
  }
}

function partAt(value: Value, at: string | undefined): Value | undefined {
  let part: Value | undefined = value;
  for (const step of at?.split('.') ?? []) part = part !== undefined && isMap(part) ? part.map[step] : undefined;
  return part;
}
