import type { Diagnostic } from '../model/diagnostic.js';
import type { Layer } from './layer.js';
import { isMap, type Merged, mergeLayers } from './merge.js';
import { declaredParams, paramValueProblems, specimenOf, type Vars } from './param-values.js';
import type { SetLayer } from './set.js';
import { withDefaults, withVariants } from './variants.js';

export interface PutTogether extends Merged {
  readonly layers: readonly Layer[];
  /** The names of all parameters. */
  readonly params: readonly string[];
  /** By parameter: what is wrong with its value. */
  readonly problems: ReadonlyMap<string, readonly Diagnostic[]>;
}

/** Variables first: the values of parameters decide which variants of their presets are layers too. */
export async function putTogether(written: readonly Layer[], set: readonly string[]): Promise<PutTogether> {
  const below = withDefaults(written);
  const first = mergeLayers(below);
  const declared = declaredParams(below);
  const stated: Vars = isMap(first.value.vars) ? first.value.vars : {};
  const unset = [...declared].filter(([name]) => !Object.hasOwn(stated, name));
  const specimens = Object.fromEntries(unset.map(([name, { param }]) => [name, specimenOf(param)]));
  const { layer, diagnostics } = await overrides(set, { ...specimens, ...stated });
  const vars = { ...stated, ...(layer?.value.vars as Vars | undefined) };
  const complete = withVariants(below, vars);
  const merged = complete.length === below.length ? first : mergeLayers(complete);
  return {
    layers: layer ? [...complete, layer] : complete,
    value: layer ? { ...merged.value, vars } : merged.value,
    diagnostics: [...merged.diagnostics, ...diagnostics],
    problems: await paramValueProblems(declared, vars),
    faulty: merged.faulty,
    params: [...declared.keys()],
  };
}

async function overrides(options: readonly string[], vars: Vars): Promise<SetLayer> {
  if (options.length === 0) return { diagnostics: [] };
  const { setLayer } = await import('./set.js');
  return setLayer(options, vars);
}
