import { resolve } from 'node:path';
import { addressIn, type Layer } from '../../config/layer.js';
import { Locator } from '../../config/locate.js';
import { paramSchemaProblems } from '../../config/param-schema.js';
import { specimenOf } from '../../config/param-values.js';
import { type LoadedPreset, loadPreset, studyOf } from '../../config/preset-facts.js';
import type { Diagnostic, LocatedDiagnostic } from '../../model/diagnostic.js';
import { exitCode } from '../../model/exit-code.js';
import type { Params } from '../../model/generated/params.js';
import { pointerOf } from '../../model/pointer.js';
import { ok } from '../../model/result.js';
import { presetPlaces } from '../commands/presets.js';
import type { CliContext } from '../context.js';
import { refuse } from '../refuse.js';
import { openProject } from './open-project.js';

/** Everything that can be wrong with a preset before somebody uses it. Writes nothing, runs nothing. */
export async function checkPreset(entry: string, context: CliContext): Promise<number> {
  const preset = await loadPreset(entry, presetPlaces(context));
  if (!preset.ok) return refuse(preset.error, context);
  const { facts, layers } = preset.value;
  const own = layers.at(-1)!;
  const stated = new Locator(context.cwd, layers).locate([
    ...wordProblems(preset.value),
    ...(await paramSchemaProblems(own)),
    ...variableProblems(preset.value),
  ]);
  // With parameters that are wrong themselves, whatever follows from them is no news.
  const tried = stated.length > 0 ? [] : await tries(preset.value, context);
  const wrong = distinct([...stated, ...tried]);
  if (wrong.length > 0) return refuse(wrong, context);
  const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
  const words = [
    count(Object.keys(facts.params).length, 'parameter'),
    count(Object.keys(facts.stages).length, 'stage'),
    count(valuesToTry(own).length, 'variant'),
  ];
  context.stdout.write(`${entry} is sound: ${words.join(', ')}\n`);
  return exitCode.passed;
}

function wordProblems({ facts, layers }: LoadedPreset): Diagnostic[] {
  const { document } = layers.at(-1)!;
  if (facts.summary !== '') return [];
  const hint = 'Begin the file with a comment that says what the preset does';
  return [
    { code: 'AR113', message: 'nothing says what this preset does', hint, at: { kind: 'file', file: document.file } },
  ];
}

/** Variables that nobody can know of, and parameters that have no effect. */
function variableProblems({ facts, layers }: LoadedPreset): Diagnostic[] {
  const own = layers.at(-1)!;
  const { document } = own;
  const used = layers.flatMap((layer) =>
    [...mentions(layer.value, []), ...mentions(layer.variants ?? {}, ['variants'])].map((use) => ({ ...use, layer })),
  );
  const undocumented = used.filter(({ name, layer }) => layer === own && !Object.hasOwn(facts.params, name));
  const vars = Object.keys((own.value.vars ?? {}) as object).filter((name) => !Object.hasOwn(facts.params, name));
  const chosen = new Set([...used.map(({ name }) => name), ...Object.keys(own.variants ?? {})]);
  const idle = Object.keys(own.params ?? {}).filter((name) => !chosen.has(name));
  return [
    ...undocumented.map(({ name, path }) => notDocumented(name, addressIn(document, pointerOf(...path)))),
    ...vars.map((name) => notDocumented(name, addressIn(document, pointerOf('vars', name), 'key'))),
    ...idle.map(
      (name): Diagnostic => ({
        code: 'AR115',
        message: `nothing uses the parameter "${name}"`,
        hint: `Use it as {{vars.${name}}}, or take it out`,
        at: addressIn(document, pointerOf('params', name), 'key'),
      }),
    ),
  ];
}

const notDocumented = (name: string, at: NonNullable<Diagnostic['at']>): Diagnostic => ({
  code: 'AR114',
  message: `the variable "${name}" is not among the params of this preset`,
  hint: `Declare it: params: { ${name}: { type: …, description: …, default: … } }`,
  at,
});

interface Mention {
  readonly name: string;
  readonly path: readonly (string | number)[];
}

/** In templates and in expressions alike. */
function mentions(value: unknown, path: readonly (string | number)[]): Mention[] {
  if (typeof value === 'string')
    return [...new Set([...value.matchAll(/\bvars\.([A-Za-z_]\w*)/g)].map(([, name]) => name!))].map((name) => ({
      name,
      path,
    }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    mentions(each, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Compiles a study that sets nothing but what it must: as it is, and with every value that has variants. */
async function tries({ facts, layers }: LoadedPreset, context: CliContext): Promise<LocatedDiagnostic[]> {
  const vars = examplesOf(facts.params);
  const stages =
    Object.keys(facts.stages).length > 0 ? {} : { stages: { nothing: { uses: 'command', with: { run: 'true' } } } };
  const study = studyOf(context.cwd, { name: 'preset-check', extends: [facts.entry], vars, ...stages });
  const found: LocatedDiagnostic[] = [];
  for (const choice of [[], ...valuesToTry(layers.at(-1)!).map((value) => [value])]) {
    const project = await openProject({ ...context, set: choice }, ok(study));
    if (!project.ok) found.push(...project.error.map((one) => during(one, choice)));
  }
  return found.filter(({ place }) => place === undefined || resolve(context.cwd, place.file) !== study.file);
}

const during = (diagnostic: LocatedDiagnostic, [choice]: readonly string[]): LocatedDiagnostic =>
  choice === undefined ? diagnostic : { ...diagnostic, message: `${diagnostic.message} (with ${choice})` };

const valuesToTry = ({ variants = {} }: Layer): string[] =>
  Object.entries(variants).flatMap(([param, values]) => Object.keys(values).map((value) => `${param}=${value}`));

const examplesOf = (params: Params): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([, param]) => param.default === undefined)
      .map(([name, param]) => [name, param.example ?? specimenOf(param)]),
  );

/** The same mistake in several tries is told as it was found first. */
function distinct(diagnostics: readonly LocatedDiagnostic[]): LocatedDiagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, message, place }) => {
    const key = JSON.stringify([code, message.replace(/ \(with [^)]*\)$/, ''), place]);
    return !seen.has(key) && seen.add(key);
  });
}
