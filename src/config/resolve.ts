import { dirname } from 'node:path';
import type { Diagnostic, LocatedDiagnostic } from '../model/diagnostic.js';
import type { Config } from '../model/generated/config.js';
import type { Pointer } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import type { Door } from '../source/module-loader.js';
import { findConfig, openConfig } from './find.js';
import type { Layer } from './layer.js';
import { loadLayers } from './layers.js';
import { Locator } from './locate.js';
import { isMap, mergeLayers } from './merge.js';
import { type Origin, originOf } from './origin.js';
import type { SetLayer } from './set.js';
import { validateConfig } from './validate.js';

export interface ResolveRequest {
  /** Absolute. */
  readonly cwd: string;
  /** What `--config` says. */
  readonly configFile?: string;
  /** What each `--set` says: `key=value`. */
  readonly set: readonly string[];
  /** The folder of built-in presets. */
  readonly presetsDir: string;
  /** What `import … from 'autoresearch'` gives a config. */
  readonly door: Door;
}

export interface ResolvedConfig {
  readonly config: Config;
  /** The folder of the config file, absolute. */
  readonly root: string;
  /** The config file, absolute. */
  readonly file: string;
  /** Lowest first; the config file itself comes last but for `--set`. */
  readonly layers: readonly Layer[];
  originOf(pointer: Pointer): Origin | undefined;
  /** Gives diagnostics about this config their places, and puts them in the order of the files. */
  locate(diagnostics: readonly Diagnostic[]): LocatedDiagnostic[];
}

/** Files → one checked config. Writes nothing; answers all mistakes at once. */
export async function resolveConfig(
  request: ResolveRequest,
): Promise<Result<ResolvedConfig, readonly LocatedDiagnostic[]>> {
  const { cwd, configFile } = request;
  const found = configFile === undefined ? await findConfig(cwd) : openConfig(cwd, configFile);
  if (!found.ok) return err(new Locator(cwd, []).locate(found.error));

  const loaded = await loadLayers(found.value, request);
  // Without one of its layers, what is left of a config says little about what is wrong with it.
  if (loaded.diagnostics.length > 0) return err(new Locator(cwd, loaded.layers).locate(loaded.diagnostics));

  const merged = mergeLayers(loaded.layers);
  const set = await overrides(request.set, merged.value.vars);
  const layers = set.layer ? [...loaded.layers, set.layer] : loaded.layers;
  const value = set.layer
    ? { ...merged.value, vars: { ...(merged.value.vars as object), ...(set.layer.value.vars as object) } }
    : merged.value;

  const valid = await validateConfig(value, merged.faulty);
  const locator = new Locator(cwd, layers);
  const mistakes = [...merged.diagnostics, ...set.diagnostics, ...(valid.ok ? [] : valid.error)];
  if (!valid.ok || mistakes.length > 0) return err(locator.locate(mistakes));
  return ok({
    config: valid.value,
    root: dirname(found.value.file),
    file: found.value.file,
    layers,
    originOf: (pointer) => originOf(layers, pointer),
    locate: (diagnostics) => locator.locate(diagnostics),
  });
}

async function overrides(options: readonly string[], vars: unknown): Promise<SetLayer> {
  if (options.length === 0) return { diagnostics: [] };
  const { setLayer } = await import('./set.js');
  return setLayer(options, isMap(vars) ? vars : {});
}
