import { loadBehaviours } from '../../adapters/behaviours/behaviour-loader.js';
import { compile } from '../../compile/compile.js';
import { withParity } from '../../compile/expand/parity-stages.js';
import { unsupported } from '../../compile/rules/unsupported.js';
import type { locateConfig } from '../../config/find.js';
import { type ResolvedConfig, type ResolveRequest, resolveConfig } from '../../config/resolve.js';
import * as door from '../../index.js';
import type { Diagnostic, LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import type { Plan } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import { err, ok, type Result } from '../../model/result.js';
import type { LoopBudget } from '../../run/agents/ceilings.js';
import type { CliContext } from '../context.js';
import type { IterationAt } from '../iterate/iteration-now.js';
import { presetsDir } from '../package-files.js';
import { findAgents } from './found-agents.js';
import { secretsInConfig, withoutSecretLines } from './secrets-in-config.js';

/** The config file, or why there is none. */
export type Located = Awaited<ReturnType<typeof locateConfig>>;

/** A config that was found, checked and compiled. */
export interface Project {
  readonly resolved: ResolvedConfig;
  readonly behaviours: ReadonlyMap<string, LoadedBehaviour>;
  readonly plan: Plan;
  /** The iteration that the plan is for, in a study with `iterate`. */
  readonly iteration?: IterationAt;
  /** What the loop may use in all, and has used before that iteration. */
  readonly loopBudget?: LoopBudget;
  /** The same study for an iteration of its loop. */
  at(iteration: IterationAt): Promise<Result<Project, readonly LocatedDiagnostic[]>>;
  /** The plan with the task files as they are now; that of this stage has to be right. */
  replan(stage: string): Promise<Result<Plan, readonly string[]>>;
  /** What the config declares and this version cannot enforce. */
  readonly unsupported: readonly LocatedDiagnostic[];
}

export const resolveFor = (
  context: CliContext,
  found?: Located,
  more: Pick<ResolveRequest, 'alsoWrong'> = {},
): Promise<Result<ResolvedConfig, readonly LocatedDiagnostic[]>> =>
  resolveConfig({
    cwd: context.cwd,
    ...(found ? { found } : {}),
    ...(context.configFile === undefined ? {} : { configFile: context.configFile }),
    set: context.set,
    presetsDir: presetsDir(),
    door: { ...door },
    ...more,
  });

/** `located` is the config where somebody has looked for it already. */
export async function openProject(
  context: CliContext,
  located?: Located,
): Promise<Result<Project, readonly LocatedDiagnostic[]>> {
  const resolved = await resolveFor(context, located, {
    alsoWrong: async (rest, gaps) => {
      const { surelyWrong } = await import('../../compile/rules/surely-wrong.js');
      return surelyWrong((await (await prepareProject(context, rest)).compileAt(undefined)).problems, gaps);
    },
  });
  if (!resolved.ok) return resolved;
  const prepared = await prepareProject(context, resolved.value);
  const { config, root } = prepared;
  if (!config.iterate) return projectAt(context, prepared, undefined);
  const { iterationNow } = await import('../iterate/iteration-now.js');
  const place = { root, agentId: context.agentId, afresh: context.flag('new') };
  const now = await iterationNow({ ...config, iterate: config.iterate }, place);
  return projectAt(context, prepared, now);
}

async function projectAt(
  context: CliContext,
  prepared: Prepared,
  iteration: IterationAt | undefined,
): Promise<Result<Project, readonly LocatedDiagnostic[]>> {
  const { resolved, config, found, behaviours, compileAt } = prepared;
  const { locate } = resolved;
  const loop = iteration ? await import('../iterate/iteration-project.js') : undefined;
  const part = (plan: Plan): Plan => (loop && iteration ? loop.planAt(plan, iteration) : plan);
  const { plan, problems, compiled } = await compileAt(iteration);
  if (!plan.ok || problems.length > 0) return err(withoutSecretLines(locate(problems)));
  return ok({
    resolved: { ...resolved, config },
    behaviours: behaviours.loaded,
    plan: part(plan.value),
    ...(loop && iteration ? { iteration, ...loop.budgetAt(config, iteration) } : {}),
    at: (other) => projectAt(context, prepared, other),
    async replan(stage) {
      const next = await compiled(stage);
      return next.ok ? ok(part(next.value)) : err(locate(next.error).map(lineOf));
    },
    unsupported: locate([...unsupported(config), ...(context.flag('replay') ? [] : found.missing)]),
  });
}

type Prepared = Awaited<ReturnType<typeof prepareProject>>;

/** What all iterations of a study share. `compileAt`: the plan, and everything that is wrong with the words of the config. */
async function prepareProject(context: CliContext, resolved: ResolvedConfig) {
  const { root } = resolved;
  const asked = context.flag('autonomous')
    ? (await import('../../compile/expand/autonomous.js')).autonomousConfig(resolved.config)
    : undefined;
  const found = findAgents(asked?.config ?? resolved.config, { root, path: context.env.PATH });
  const { config: whole, first, problems: unchecked } = withParity(found.config);
  const config = withGoal(whole);
  const behaviours = await loadBehaviours({ config, root, door: { ...door } });
  const compileAt = async (iteration: IterationAt | undefined) => {
    const compiled = (settled?: string) =>
      compile({
        config,
        behaviours: behaviours.loaded,
        agentId: context.agentId,
        ownFiles: resolved.ownFiles,
        userVars: ownKeys('vars', resolved),
        userPrices: ownKeys('prices', resolved),
        userAgents: ownKeys('agents', resolved),
        autoAgents: found.auto,
        first,
        replay: context.flag('replay'),
        progress: context.progress,
        ...(asked?.standIn ? { standIn: asked.standIn } : {}),
        nobodyAsked: asked !== undefined && config.autonomous === undefined,
        ...(settled === undefined ? {} : { settled }),
        ...(iteration ? { iteration: iteration.names } : {}),
        taskFiles: async (source) => (await import('./task-files.js')).readTaskFiles(root, source),
      });
    const plan = await compiled();
    const problems: readonly Diagnostic[] = [
      ...behaviours.problems,
      ...found.problems,
      ...unchecked,
      ...(asked?.problems ?? []),
      ...(plan.ok ? [] : plan.error),
      ...secretsInConfig(config, context.env),
    ];
    return { plan, problems, compiled };
  };
  return { resolved, root, config, found, behaviours, compileAt };
}

/** Nobody who works towards a goal may change it. */
function withGoal(config: Config): Config {
  const { iterate, protect = [] } = config;
  if (iterate?.goal === undefined || protect.includes(iterate.goal)) return config;
  return { ...config, protect: [...protect, iterate.goal] };
}

/** For the journal. */
const lineOf = ({ message, place }: LocatedDiagnostic): string =>
  place?.line === undefined ? message : `${place.file}:${place.line}:${place.column}: ${message}`;

/** Only what a person wrote here can be left unused by mistake; a preset may offer more than a study takes. */
function ownKeys(
  map: 'vars' | 'prices' | 'agents',
  { config, file, originOf, settled }: ResolvedConfig,
): ReadonlySet<string> {
  const isOwn = (name: string): boolean => {
    if (map === 'vars' && settled.has(name)) return false;
    const layer = originOf(pointerOf(map, name))?.layer;
    return layer === undefined || layer.document.file === file || layer.name === '--set';
  };
  return new Set(Object.keys(config[map] ?? {}).filter(isOwn));
}
