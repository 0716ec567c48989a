import { agentsUsed } from '../../compile/task/agents-used.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Agent, Config } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import { isNameGlob } from '../../model/variable-globs.js';
import type { CliContext } from '../context.js';

/** Variables that are to be passed on and are not there. A stage that needs a key should not find out after hours. */
export const missingVariables = (config: Config, plan: Plan, context: CliContext): readonly Diagnostic[] =>
  variablesNeeded(config, plan, context)
    .filter(({ isSet }) => !isSet)
    .map(notSet);

export interface NeededVariable {
  readonly name: string;
  readonly isSet: boolean;
  readonly at: readonly (string | number)[];
  readonly isKey?: true;
}

/** Those that must be there, which is not said of one that is named by a pattern. */
export function variablesNeeded(config: Config, plan: Plan, context: CliContext): readonly NeededVariable[] {
  const { env } = context;
  const lists: Names[] = [[[], config.passEnv]];
  let running: ReadonlySet<string> | undefined;
  for (const [name, { passEnv }] of stageList(config)) {
    if (!passEnv) continue;
    running ??= new Set(plan.tasks.filter(({ skip }) => skip === undefined).map(({ stage }) => stage));
    if (running.has(name)) lists.push([['stages', name], passEnv]);
  }
  const agents = agentsAsked(config, context.flag('replay'));
  for (const [name, { passEnv }] of agents) lists.push([['agents', name], passEnv]);
  const passed = lists.flatMap(([at, names = []]) =>
    names.flatMap((name, index) =>
      isNameGlob(name) ? [] : [{ name, isSet: env[name] !== undefined, at: [...at, 'passEnv', index] }],
    ),
  );
  const keys = agents.flatMap(([name, { backend, apiKeyEnv }]) =>
    backend !== 'api' || apiKeyEnv === undefined
      ? []
      : [{ name: apiKeyEnv, isSet: Boolean(env[apiKeyEnv]), at: ['agents', name, 'apiKeyEnv'], isKey: true as const }],
  );
  return [...passed, ...keys];
}

type Names = readonly [at: readonly string[], names: readonly string[] | undefined];

/** Those that need their variables: not the recorded ones, nor those that may be missing. */
function agentsAsked(config: Config, isReplay: boolean): readonly (readonly [string, Agent])[] {
  if (isReplay) return [];
  const asked = agentsUsed(config);
  return Object.entries(config.agents ?? {}).filter(
    ([name, { optional, backend }]) => asked.has(name) && optional !== true && backend !== 'replay',
  );
}

const notSet = ({ name, at, isKey }: NeededVariable): Diagnostic => ({
  code: 'AR316',
  message: `the variable ${name} is to be passed on, but is not set`,
  at: { kind: 'config', pointer: pointerOf(...at) },
  hint: isKey ? `Set it: export ${name}=…` : `Set it (export ${name}=…), or write ${name}* if it may be missing`,
});
