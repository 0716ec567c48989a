import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { Diagnostic, LocatedDiagnostic } from '../model/diagnostic.js';
import type { Config } from '../model/generated/config.js';
import type { Pointer } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import type { Door } from '../source/module-loader.js';
import { fillSettings } from './fill-settings.js';
import { type FoundConfig, locateConfig } from './find.js';
import type { Layer } from './layer.js';
import { loadLayers } from './layers.js';
import { Locator } from './locate.js';
import { type Origin, originOf, writtenAt } from './origin.js';
import { putTogether } from './put-together.js';
import { type Removed, soundPart } from './sound-part.js';
import { validateConfig } from './validate.js';

export interface ResolveRequest {
  /** Absolute. */
  readonly cwd: string;
  /** What `--config` says. */
  readonly configFile?: string;
  /** The config, where it was looked for already. */
  readonly found?: Result<FoundConfig, readonly Diagnostic[]>;
  /** What each `--set` says: `key=value`. */
  readonly set: readonly string[];
  /** The folder of built-in presets. */
  readonly presetsDir: string;
  /** What `import … from 'autoresearch'` gives a config. */
  readonly door: Door;
  /** Asked when the shape of a config is wrong: what else is, in the rest of it, without what may follow from the gaps. */
  readonly alsoWrong?: (rest: ResolvedConfig, gaps: readonly Removed[]) => Promise<readonly Diagnostic[]>;
}

export interface ResolvedConfig {
  readonly config: Config;
  /** The folder of the config file, absolute. */
  readonly root: string;
  /** The config file, absolute. */
  readonly file: string;
  /** The files in that folder that say what the study is: the config, its presets, and what they import. Relative to it. */
  readonly ownFiles: readonly string[];
  /** Lowest first; the config file itself comes last but for `--set`. */
  readonly layers: readonly Layer[];
  /** Variables that count as used: the parameters of presets, and what settings are filled with. */
  readonly settled: ReadonlySet<string>;
  originOf(pointer: Pointer): Origin | undefined;
  /** Gives diagnostics about this config their places, and puts them in the order of the files. */
  locate(diagnostics: readonly Diagnostic[]): LocatedDiagnostic[];
}

/** Files → one checked config. Writes nothing; answers all mistakes at once. */
export async function resolveConfig(
  request: ResolveRequest,
): Promise<Result<ResolvedConfig, readonly LocatedDiagnostic[]>> {
  const { cwd, configFile } = request;
  const found = request.found ?? (await locateConfig(cwd, configFile));
  if (!found.ok) return err(new Locator(cwd, []).locate(found.error));

  const loaded = await loadLayers(found.value, request);
  // Without one of its layers, what is left of a config says little about what is wrong with it.
  if (loaded.diagnostics.length > 0)
    return err(new Locator(cwd, loaded.layers).locate([...loaded.mistakes, ...loaded.diagnostics]));

  const put = await putTogether(loaded.layers, request.set);
  const { layers, value } = put;
  const filled = fillSettings(value);
  const locator = new Locator(cwd, layers, filled.moved);
  // What follows from a parameter that is wrong, or from a variable that is not there, is no news.
  const misused = [...put.problems.keys()].flatMap((param) => filled.used.get(param) ?? []);
  const unknown = filled.unknown.filter(({ name }) => !put.problems.has(name));
  const said = new Set([...put.faulty, ...misused, ...unknown.flatMap(({ name }) => filled.used.get(name) ?? [])]);
  const follows = ({ at }: Diagnostic): boolean =>
    at?.kind === 'config' && put.problems.has(/^\/vars\/(\w+)/.exec(writtenAt(at.pointer, filled.moved))?.[1] ?? '');
  const valid = await validateConfig(filled.value, said);
  const mistakes = [
    ...loaded.mistakes,
    ...put.diagnostics,
    ...[...put.problems.values()].flat(),
    ...unknown.map(({ diagnostic }) => diagnostic),
    ...(valid.ok ? [] : valid.error.filter((diagnostic) => !follows(diagnostic))),
  ];
  const resolved = (config: Config): ResolvedConfig => ({
    config,
    root: dirname(found.value.file),
    file: found.value.file,
    ownFiles: ownFilesOf(dirname(found.value.file), layers),
    layers,
    settled: new Set([...put.params, ...filled.used.keys()]),
    originOf: (pointer) => originOf(layers, writtenAt(pointer, filled.moved)),
    locate: (diagnostics) => locator.locate(diagnostics),
  });
  if (valid.ok && mistakes.length === 0) return ok(resolved(valid.value));
  // What a parameter should have been decides too much.
  const part =
    put.problems.size + unknown.length === 0 && request.alsoWrong
      ? await soundPart(filled.value, [...mistakes, ...loaded.mistakes.map(inConfig)])
      : undefined;
  const lost = [...put.faulty].map((pointer) => ({ pointer, value: null }));
  const more = part ? await request.alsoWrong!(resolved(part.config), [...lost, ...part.removed]) : [];
  return err(locator.locate([...mistakes, ...more]));
}

/** Which of two values is meant nobody knows, so nothing is said of what follows from either. */
const inConfig = (diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  at: { kind: 'config', pointer: (diagnostic.at?.kind === 'file' ? diagnostic.at.pointer : undefined) ?? '' },
});

function ownFilesOf(root: string, layers: readonly Layer[]): readonly string[] {
  const files = layers.flatMap(({ document }) => [document.file, ...(document.imports ?? [])]);
  const inside = [...new Set(files.filter((file) => isAbsolute(file)))]
    .map((file) => relative(root, file))
    .filter(isInside);
  return inside.map((path) => path.split(sep).join('/'));
}

/** What is installed is nobody's to write here. */
const isInside = (path: string): boolean => !path.startsWith('..') && !/(^|[\\/])node_modules[\\/]/.test(path);
