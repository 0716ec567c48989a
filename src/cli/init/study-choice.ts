import { relative, resolve } from 'node:path';
import { paramValueProblems, specimenOf } from '../../config/param-values.js';
import { loadPreset } from '../../config/preset-facts.js';
import { setLayer } from '../../config/set.js';
import type { Diagnostic, LocatedDiagnostic } from '../../model/diagnostic.js';
import { isJsonObject } from '../../model/json.js';
import type { PresetFacts } from '../../model/preset-facts.js';
import { err, ok, type Result } from '../../model/result.js';
import { presetEntry, presetPlaces, presetSummaries } from '../commands/presets.js';
import type { CliContext } from '../context.js';
import type { ConfigForm } from './config-form.js';
import { exampleFiles, type InitFile, starterOf } from './example-files.js';
import { openParams, presetConfig } from './preset-config.js';
import { canAsk, Questions } from './questions.js';

/** What is to be written as the study itself. */
export interface StudyChoice {
  readonly files: readonly InitFile[];
  /** The name of the config file. */
  readonly config: string;
  /** It runs at once, with nothing but Node. */
  readonly hasExample: boolean;
  /** Parameters that somebody has to fill in. */
  readonly open?: readonly string[];
}

export interface ChoiceInput extends ConfigForm {
  readonly dir: string;
  readonly name: string;
}

/** By --preset and --set, or by asking at a terminal. Undefined: whoever was asked went away. */
export async function chooseStudy(
  context: CliContext,
  input: ChoiceInput,
): Promise<Result<StudyChoice, readonly LocatedDiagnostic[]> | undefined> {
  const questions = canAsk(context) ? new Questions(context) : undefined;
  let preset = context.value('preset');
  if (preset === undefined && context.set.length > 0) return err([setWithoutPreset(context.set[0]!)]);
  if (preset === undefined && questions) {
    const answer = await questions.preset(presetSummaries());
    if (!answer) return undefined;
    preset = answer.preset;
  }
  if (preset === undefined) {
    questions?.end();
    return ok(exampleStudy(input));
  }
  const loaded = await loadPreset(presetEntry(preset, context), presetPlaces(context));
  if (!loaded.ok) return loaded;
  const { facts } = loaded.value;
  const given = await setVars(facts, context.set);
  if (!given.ok) return given;
  const answers = questions ? await questions.params(facts, given.value) : {};
  if (!answers) return undefined;
  questions?.end();
  return ok(presetStudy(facts, { ...given.value, ...answers }, { ...input, cwd: context.cwd }));
}

function exampleStudy(input: ChoiceInput): StudyChoice {
  const files = exampleFiles(input.name, { ...input, schema: `${input.schema}/config.schema.json` });
  return { files, config: files[0]!.path, hasExample: true };
}

function presetStudy(
  preset: PresetFacts,
  vars: { readonly [name: string]: unknown },
  input: ChoiceInput & { readonly cwd: string },
): StudyChoice {
  // A config that extends a preset need not have stages of its own.
  const form = { ...input, schema: `${input.schema}/preset.schema.json` };
  const starter = Object.keys(vars).length === 0 ? starterOf(preset.entry, input.name, form) : undefined;
  const given = starter?.vars ?? vars;
  const config = presetConfig({ ...form, preset, entry: entryFrom(preset.entry, input), vars: given });
  return {
    files: [config, ...(starter?.files ?? [])],
    config: config.path,
    hasExample: starter !== undefined,
    open: openParams(preset, given),
  };
}

/** A path is relative to the config, not to where somebody typed it. */
function entryFrom(entry: string, { dir, cwd }: { readonly dir: string; readonly cwd: string }): string {
  if (!/^\.\.?\//.test(entry)) return entry;
  const path = relative(dir, resolve(cwd, entry));
  return path.startsWith('.') ? path : `./${path}`;
}

/** `--set`, as for any other command, but of parameters that have no value yet. */
async function setVars(
  { params }: PresetFacts,
  set: readonly string[],
): Promise<Result<{ readonly [name: string]: unknown }, readonly LocatedDiagnostic[]>> {
  const specimens = Object.entries(params).map(([name, param]) => [name, param.default ?? specimenOf(param)] as const);
  const { layer, diagnostics } = await setLayer(set, Object.fromEntries(specimens));
  const vars = isJsonObject(layer?.value.vars) ? layer.value.vars : {};
  const declared = Object.entries(params).flatMap(([name, param]) =>
    Object.hasOwn(vars, name) ? [[name, { param, layer: layer! }] as const] : [],
  );
  const misfits = await paramValueProblems(new Map(declared), vars);
  const wrong = [...misfits].flatMap(([name, problems]) =>
    problems.map(({ message, code, hint }) => ({
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      at: { kind: 'argument' as const, argument: `--set ${name}` },
    })),
  );
  const problems: readonly Diagnostic[] = [...diagnostics, ...wrong];
  return problems.length > 0 ? err(problems) : ok(vars);
}

const setWithoutPreset = (option: string): Diagnostic => ({
  code: 'AR604',
  message: '--set gives parameters of a preset a value, and there is no preset',
  at: { kind: 'argument', argument: `--set ${option}` },
  hint: 'Name one: --preset NAME. `autoresearch presets` lists them',
});
