import { builtInNames, loadBuiltIn } from '../../src/adapters/behaviours/built-in-stages.js';
import { optionCheck } from '../../src/adapters/behaviours/option-issues.js';
import { compile } from '../../src/compile/compile.js';
import type { CompileInput } from '../../src/compile/compile-input.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { Config, Stage } from '../../src/model/generated/config.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import type { LoadedBehaviour } from '../../src/model/loaded-behaviour.js';
import type { Plan, Task } from '../../src/model/plan.js';
import type { Result } from '../../src/model/result.js';
import type { Behaviour } from '../../src/model/stage.js';

/** Stages that only say what matters to a test; unless they say otherwise they run `true`, or let their agent do it. */
export type Stages = Readonly<Record<string, Partial<Stage>>>;
export type Study = Omit<Partial<Config>, 'stages'> & { readonly stages: Stages };

export interface StudyOptions {
  /** All variables unless stated: as if the user's own file held them. */
  readonly userVars?: readonly string[];
  /** Likewise. */
  readonly userPrices?: readonly string[];
  /** None unless stated: most tests declare agents once and use some of them. */
  readonly userAgents?: readonly string[];
  readonly behaviours?: Readonly<Record<string, LoadedBehaviour>>;
  readonly ownFiles?: readonly string[];
}

/** Compiles a study the way the command line does. The input is frozen, so that a change to it throws. */
export async function compileStudy(
  study: Study,
  options: StudyOptions = {},
): Promise<Result<Plan, readonly Diagnostic[]>> {
  return compile(deepFreeze(await inputOf(study, options)));
}

export async function inputOf(study: Study, options: StudyOptions = {}): Promise<CompileInput> {
  const stages = Object.fromEntries(
    Object.entries(study.stages).map(([name, stage]): [string, Stage] => [
      name,
      stage.uses === undefined ? command(stage) : (stage as Stage),
    ]),
  );
  const config: Config = { name: 'study', ...study, stages };
  const behaviours = new Map<string, LoadedBehaviour>([['fake', fake], ...Object.entries(options.behaviours ?? {})]);
  for (const name of builtInNames) behaviours.set(name, (await loadBuiltIn(name))!);
  return {
    config,
    behaviours,
    agentId: 'default',
    ownFiles: options.ownFiles ?? [],
    userVars: new Set(options.userVars ?? Object.keys(study.vars ?? {})),
    userPrices: new Set(options.userPrices ?? Object.keys(study.prices ?? {})),
    userAgents: new Set(options.userAgents ?? []),
  };
}

const command = (stage: Partial<Stage>): Stage =>
  stage.agent === undefined
    ? { uses: 'command', with: { run: 'true' }, ...stage }
    : { uses: 'agent', with: { instructions: 'do it', verify: 'true' }, ...stage };

/** The plan; a study with mistakes fails the test and says which. */
export async function planOf(study: Study, options?: StudyOptions): Promise<Plan> {
  const result = await compileStudy(study, options);
  if (!result.ok) throw new Error(`the study does not compile:\n${JSON.stringify(result.error, undefined, 2)}`);
  return result.value;
}

/** What is wrong; a study without mistakes fails the test. */
export async function problemsOf(study: Study, options?: StudyOptions): Promise<readonly Diagnostic[]> {
  const result = await compileStudy(study, options);
  if (result.ok) throw new Error('the study compiles');
  return result.error;
}

export async function codesOf(study: Study, options?: StudyOptions): Promise<readonly string[]> {
  const result = await compileStudy(study, options);
  return result.ok ? [] : result.error.map(({ code }) => code);
}

export const taskOf = (plan: Plan, id: string): Task => {
  const found = plan.tasks.find((task) => task.id === id);
  if (!found) throw new Error(`no task ${id} among ${plan.tasks.map((task) => task.id).join(' ')}`);
  return found;
};

/** Task → what it needs. */
export const needsOf = (plan: Plan): Record<string, readonly string[]> =>
  Object.fromEntries(plan.tasks.map(({ id, needs }) => [id, needs]));

/** Task → its inferred edges as `task via path`. */
export const inferredOf = (plan: Plan): Record<string, readonly string[]> =>
  Object.fromEntries(plan.tasks.map(({ id, inferred }) => [id, inferred.map(({ task, via }) => `${task} via ${via}`)]));

/** A behaviour with the given options; it reads and writes what its options `reads` and `writes` say. */
export async function behaviour(options: JsonSchema, digest = 'fake@1'): Promise<LoadedBehaviour> {
  const check = await optionCheck(options);
  if (!check.ok) throw new Error(check.error);
  const made: Behaviour = {
    name: 'fake',
    summary: 'Does nothing',
    version: '1',
    options,
    describe: ({ reads, writes }, { task }) => ({
      summary: `fake ${task}`,
      ...(Array.isArray(reads) ? { reads: reads as string[] } : {}),
      ...(Array.isArray(writes) ? { writes: writes as string[] } : {}),
    }),
    run: async () => ({ ok: true }),
  };
  return { behaviour: made, digest, validate: check.value };
}

const paths = { type: 'array', items: { type: 'string' } } as const;
const fake = await behaviour({
  type: 'object',
  additionalProperties: false,
  properties: {
    reads: paths,
    writes: paths,
    count: { type: 'integer', minimum: 1 },
    flag: { type: 'boolean' },
    text: { type: 'string' },
    any: {},
    data: { type: 'object', additionalProperties: true },
  },
});

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

/** An address inside the config. */
export const at = (pointer: string, more: { key?: true; within?: readonly [number, number] } = {}) =>
  ({ kind: 'config', pointer, ...more }) as const;
