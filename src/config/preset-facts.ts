import { join } from 'node:path';
import type { Diagnostic, LocatedDiagnostic } from '../model/diagnostic.js';
import { isJsonObject } from '../model/json.js';
import type { PresetFacts } from '../model/preset-facts.js';
import { err, ok, type Result } from '../model/result.js';
import { fillSettings } from './fill-settings.js';
import type { FoundConfig } from './find.js';
import { firstComment, summaryLine } from './first-comment.js';
import type { Layer } from './layer.js';
import { type LayersContext, loadLayers } from './layers.js';
import { Locator } from './locate.js';
import { mergeLayers } from './merge.js';
import { declaredParams, type Vars } from './param-values.js';
import { presetPath } from './preset-path.js';
import { withDefaults, withVariants } from './variants.js';

export interface LoadedPreset {
  readonly facts: PresetFacts;
  /** Of the preset and all it builds on; its own comes last. */
  readonly layers: readonly Layer[];
}

/** A preset as `extends` of a config in the current folder would find it. */
export async function loadPreset(
  entry: string,
  context: LayersContext,
): Promise<Result<LoadedPreset, readonly LocatedDiagnostic[]>> {
  const study = studyOf(context.cwd, { extends: [entry] });
  const path = presetPath(entry, study.file, context);
  if (!path.ok) return err(new Locator(context.cwd, []).locate([notFound(entry, path.error)]));
  const loaded = await loadLayers(study, context);
  const mistakes = [...loaded.mistakes, ...loaded.diagnostics];
  if (mistakes.length > 0) return err(new Locator(context.cwd, loaded.layers).locate(mistakes));
  const layers = loaded.layers.slice(0, -1);
  return ok({ facts: factsOf({ entry, file: path.value.file }, layers), layers });
}

/** A study that stands in no file. */
export const studyOf = (cwd: string, config: object): FoundConfig => ({
  file: join(cwd, 'autoresearch.config.json'),
  text: JSON.stringify(config),
});

function factsOf(path: { readonly entry: string; readonly file: string }, layers: readonly Layer[]): PresetFacts {
  const own = layers.at(-1)!;
  const comment = firstComment(own.document.text);
  const params = Object.fromEntries([...declaredParams(layers)].map(([name, { param }]) => [name, param]));
  const below = withDefaults(layers);
  const { vars } = mergeLayers(below).value;
  const merged = mergeLayers(withVariants(below, (isJsonObject(vars) ? vars : {}) as Vars)).value;
  const { stages, agents } = fillSettings(merged).value;
  return {
    ...path,
    summary: own.summary ?? summaryLine(comment),
    comment,
    params,
    stages: mapsIn(stages),
    agents: mapsIn(agents),
  };
}

const mapsIn = (value: unknown): PresetFacts['stages'] =>
  isJsonObject(value)
    ? (Object.fromEntries(Object.entries(value).filter(([, each]) => isJsonObject(each))) as PresetFacts['stages'])
    : {};

const notFound = (
  argument: string,
  { message, hint }: { readonly message: string; readonly hint?: string },
): Diagnostic => ({
  code: 'AR106',
  message,
  ...(hint === undefined ? {} : { hint }),
  at: { kind: 'argument', argument },
});
