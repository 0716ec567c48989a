import { compile } from '../compile/compile.js';
import { unsupported } from '../compile/unsupported.js';
import { type ResolvedConfig, resolveConfig } from '../config/resolve.js';
import type { Diagnostic, LocatedDiagnostic } from '../model/diagnostic.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';
import type { Plan } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';
import * as door from '../index.js';
import { loadBehaviours } from '../adapters/behaviour-loader.js';
import type { CliContext } from './context.js';
import { presetsDir } from './package-files.js';

/** A config that was found, checked and compiled. */
export interface Project {
  readonly resolved: ResolvedConfig;
  readonly behaviours: ReadonlyMap<string, LoadedBehaviour>;
  readonly plan: Plan;
  /** What the config declares and this version cannot enforce. */
  readonly unsupported: readonly LocatedDiagnostic[];
}

export const resolveFor = (context: CliContext): Promise<Result<ResolvedConfig, readonly LocatedDiagnostic[]>> =>
  resolveConfig({
    cwd: context.cwd,
    ...(context.configFile === undefined ? {} : { configFile: context.configFile }),
    set: context.set,
    presetsDir: presetsDir(),
    door: { ...door },
  });

export async function openProject(context: CliContext): Promise<Result<Project, readonly LocatedDiagnostic[]>> {
  const resolved = await resolveFor(context);
  if (!resolved.ok) return resolved;
  const { config, root, locate } = resolved.value;
  const behaviours = await loadBehaviours({ config, root, door: { ...door } });
  const plan = await compile({
    config,
    behaviours: behaviours.loaded,
    agentId: context.agentId,
    userVars: userVars(resolved.value),
  });
  const problems: readonly Diagnostic[] = [...behaviours.problems, ...(plan.ok ? [] : plan.error)];
  if (!plan.ok || problems.length > 0) return err(locate(problems));
  return ok({
    resolved: resolved.value,
    behaviours: behaviours.loaded,
    plan: plan.value,
    unsupported: locate(unsupported(config)),
  });
}

/** Only what a person wrote here can be left unused by mistake; a preset may offer more than a study takes. */
function userVars({ config, file, originOf }: ResolvedConfig): ReadonlySet<string> {
  const isOwn = (name: string): boolean => {
    const layer = originOf(pointerOf('vars', name))?.layer;
    return layer === undefined || layer.document.file === file || layer.name === '--set';
  };
  return new Set(Object.keys(config.vars ?? {}).filter(isOwn));
}
