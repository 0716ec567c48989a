import type { Diagnostic } from '../model/diagnostic.js';
import type { Document } from '../model/document.js';
import type { Params } from '../model/generated/params.js';
import { isJsonObject } from '../model/json.js';
import { pointerOf } from '../model/pointer.js';
import { didYouMean } from '../source/did-you-mean.js';
import { quotedList } from '../source/quoted-list.js';
import { showValue } from '../source/schema/schema-words.js';
import { addressIn, type PresetParts } from './layer.js';

export interface ReadParts {
  readonly parts: PresetParts;
  /** The rest of the file. */
  readonly value: { readonly [key: string]: unknown };
  readonly diagnostics: readonly Diagnostic[];
}

/** Takes the parts that are about the preset itself out of its file, and looks whether they are as they must be. */
export async function presetParts(
  document: Document,
  written: { readonly [key: string]: unknown },
): Promise<ReadParts> {
  const { summary, params, variants, ...value } = written;
  if (summary === undefined && params === undefined && variants === undefined)
    return { parts: {}, value: written, diagnostics: [] };
  const diagnostics: Diagnostic[] = [
    ...(summary === undefined || (typeof summary === 'string' && summary.trim() !== '')
      ? []
      : [wrong(document, '/summary', `summary must be text that is not empty, but is ${showValue(summary)}`)]),
    ...(params === undefined ? [] : await paramProblems(document, params)),
  ];
  // Whether variants fit parameters can only be said of parameters that are right.
  if (diagnostics.length === 0 && variants !== undefined)
    diagnostics.push(...variantProblems(document, variants, (params ?? {}) as Params));
  const parts = { summary, params, variants } as PresetParts;
  return { parts: diagnostics.length === 0 ? parts : {}, value, diagnostics };
}

async function paramProblems(document: Document, params: unknown): Promise<Diagnostic[]> {
  const { isValid } = await import('./generated/validate-params.js');
  if (isValid(params)) return [];
  return (await import('./explain-params.js')).explainParams(document, params);
}

function variantProblems(document: Document, variants: unknown, params: Params): Diagnostic[] {
  if (!isJsonObject(variants))
    return [wrong(document, '/variants', `variants must be a map, but is ${showValue(variants)}`)];
  return Object.entries(variants).flatMap(([name, values]) => {
    const at = pointerOf('variants', name);
    if (!Object.hasOwn(params, name)) {
      const hint = didYouMean(name, Object.keys(params)) ?? 'Declare it under params';
      return [undeclared(document, at, `variants of "${name}", which is no parameter of this preset`, hint)];
    }
    const { type, enum: allowed } = params[name]!;
    const known = type === 'boolean' ? ['true', 'false'] : (allowed ?? []).map(String);
    if (known.length === 0)
      return [undeclared(document, at, `"${name}" has variants, but no list of values`, 'Give the parameter an enum')];
    if (!isJsonObject(values))
      return [wrong(document, at, `variants.${name} must be a map, but is ${showValue(values)}`)];
    return Object.entries(values).flatMap(([value, part]) => valueProblems(document, { at, name, value, part, known }));
  });
}

interface VariantOf {
  readonly at: string;
  readonly name: string;
  readonly value: string;
  readonly part: unknown;
  readonly known: readonly string[];
}

/** What must not depend on a value: variables, which values come from, and what a preset is. */
const fixed = ['vars', 'extends', 'params', 'variants', 'summary', 'name'];

function valueProblems(document: Document, { at, name, value, part, known }: VariantOf): Diagnostic[] {
  const here = at + pointerOf(value);
  if (!known.includes(value)) {
    const hint = didYouMean(value, known) ?? `Its values are ${quotedList(known, 'and')}`;
    return [undeclared(document, here, `"${value}" is no value of the parameter "${name}"`, hint)];
  }
  if (!isJsonObject(part))
    return [wrong(document, here, `variants.${name}.${value} must be a map, but is ${showValue(part)}`)];
  return fixed
    .filter((key) => Object.hasOwn(part, key))
    .map((key) =>
      undeclared(document, here + pointerOf(key), `a variant cannot say "${key}"`, 'Say it for all values'),
    );
}

const wrong = (document: Document, pointer: string, message: string): Diagnostic => ({
  code: 'AR203',
  message,
  at: addressIn(document, pointer),
});

const undeclared = (document: Document, pointer: string, message: string, hint: string): Diagnostic => ({
  code: 'AR112',
  message,
  hint,
  at: addressIn(document, pointer, 'key'),
});
