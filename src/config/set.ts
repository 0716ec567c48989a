import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import { didYouMean } from '../source/did-you-mean.js';
import { numberProblem } from '../source/plain-data.js';
import { showValue } from '../source/schema/schema-words.js';
import { readYaml } from '../source/yaml.js';
import type { Layer } from './layer.js';

export interface SetLayer {
  /** Undefined when nothing was set. */
  readonly layer?: Layer;
  readonly diagnostics: readonly Diagnostic[];
}

type Scalar = string | number | boolean;

/** Turns `--set key=value` options into a layer on top of all others. Each value keeps the type of what it overrides. */
export async function setLayer(
  options: readonly string[],
  vars: { readonly [name: string]: unknown },
): Promise<SetLayer> {
  const values = new Map<string, unknown>();
  const diagnostics: Diagnostic[] = [];
  for (const option of options) {
    const at = { kind: 'argument', argument: `--set ${option}` } as const;
    const equals = option.indexOf('=');
    const [name, text] = [option.slice(0, equals), option.slice(equals + 1)];
    if (equals < 1) {
      diagnostics.push({
        code: 'AR604',
        message: `"${option}" is not of the form key=value`,
        hint: 'Write --set key=value',
        at,
      });
    } else if (values.has(name)) {
      diagnostics.push({
        code: 'AR604',
        message: `the variable "${name}" is set twice`,
        hint: 'Keep one of the two',
        at,
      });
    } else if (!Object.hasOwn(vars, name)) {
      diagnostics.push({ code: 'AR308', message: `there is no variable "${name}"`, hint: unknownHint(name, vars), at });
    } else {
      const value = await parseAs(vars[name], text);
      if (value !== undefined) values.set(name, value);
      else diagnostics.push({ code: 'AR309', ...typeMistake(name, vars[name], text), at });
    }
  }
  return { diagnostics, ...(values.size === 0 ? {} : { layer: layerOf({ vars: Object.fromEntries(values) }) }) };
}

function layerOf(value: { readonly [key: string]: unknown }): Layer {
  const document: Document = { file: '--set', text: '', value, locate: () => undefined };
  return { name: '--set', document, value };
}

function unknownHint(name: string, vars: { readonly [name: string]: unknown }): string {
  const names = Object.keys(vars);
  if (names.length === 0) return 'The config declares no variables under "vars"';
  const bare = name.replace(/^vars\./, '');
  if (names.includes(bare)) return `Write --set ${bare}=…`;
  return didYouMean(name, names) ?? `The config declares ${names.join(', ')}`;
}

/** Undefined when the text is not of the same type as the value it replaces. */
async function parseAs(current: unknown, text: string): Promise<unknown> {
  if (Array.isArray(current)) return parseList(current, text);
  return parseScalar(typeof current, text);
}

function parseScalar(type: string, text: string): Scalar | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  const isNumber = type === 'number' && /^-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text);
  return isNumber && !numberProblem(text) ? Number(text) : undefined;
}

async function parseList(current: readonly unknown[], text: string): Promise<readonly unknown[] | undefined> {
  const type = listType(current);
  if (text.startsWith('[')) {
    const list = await readYaml('--set', text);
    if (!list.ok || !Array.isArray(list.value.value)) return undefined;
    const items: readonly unknown[] = list.value.value;
    const fits = items.every((item) => (type === undefined ? typeof item !== 'object' : typeof item === type));
    return fits ? items : undefined;
  }
  if (text === '') return undefined;
  const items = text.split(',').map((part) => parseScalar(type ?? 'string', part.trim()));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** The type that all items share. */
function listType(items: readonly unknown[]): string | undefined {
  const types = new Set(items.map((item) => typeof item));
  return types.size === 1 ? [...types][0] : undefined;
}

function typeMistake(name: string, current: unknown, text: string): Pick<Diagnostic, 'message' | 'hint'> {
  const words: { readonly [type: string]: string } = { number: 'a number', boolean: 'true or false', string: 'text' };
  if (!Array.isArray(current)) {
    return {
      message: `the variable "${name}" must be ${words[typeof current] ?? showValue(current)}, but is set to "${text}"`,
    };
  }
  const plural: { readonly [type: string]: string } = {
    number: ' of numbers',
    boolean: ' of true and false',
    string: ' of text',
  };
  const message = `the variable "${name}" must be a list${plural[listType(current) ?? ''] ?? ''}, but is set to "${text}"`;
  return { message, hint: `Write the values with commas between: --set ${name}=a,b` };
}
