import { openProjectFiles } from '../../adapters/disk/project-files.js';
import { looseCaps } from '../../compile/rules/loose-caps.js';
import { agentsUsed } from '../../compile/task/agents-used.js';
import { locateConfig } from '../../config/find.js';
import type { Finding } from '../../model/finding.js';
import type { Agent, Config } from '../../model/generated/config.js';
import type { CliContext } from '../context.js';
import { usesGlobs } from '../history/history.js';
import { brokenSchemas } from '../project/broken-schemas.js';
import { findAgents } from '../project/found-agents.js';
import { leftOverFiles } from '../project/left-over-files.js';
import { missingFiles } from '../project/missing-files.js';
import { type NeededVariable, variablesNeeded } from '../project/missing-variables.js';
import { openProject, type Project, resolveFor } from '../project/open-project.js';
import { ownPromptProblems } from '../project/own-prompts.js';
import { ownProtectProblems } from '../project/own-protect.js';
import { sandboxProblems } from '../project/sandbox-notice.js';

/** What a config asks of the machine, as far as it can be read; a sick one is still looked at. */
export interface Study {
  readonly config?: Config;
  readonly agents: readonly (readonly [name: string, agent: Agent])[];
  readonly findings: readonly Finding[];
  /** There is no config at all, here or above. */
  readonly isNone?: true;
}

export async function lookAtStudy(context: CliContext): Promise<Study> {
  const located = await locateConfig(context.cwd, context.configFile);
  if (!located.ok) {
    const isNone = context.configFile === undefined && located.error.every(({ code }) => code === 'AR101');
    const config = { check: 'config' as const, problems: located.error.length };
    return {
      agents: [],
      ...(isNone ? { isNone } : {}),
      findings: [
        isNone ? { ...config, standing: 'odd', kind: 'none' } : { ...config, standing: 'wrong', kind: 'invalid' },
      ],
    };
  }
  const project = await openProject(context, located);
  const { file } = located.value;
  if (!project.ok) {
    const problems = project.error.length;
    const resolved = await resolveFor(context, located);
    const findings: Finding[] = [{ check: 'config', standing: 'wrong', kind: 'invalid', file, problems }];
    if (!resolved.ok) return { agents: [], findings };
    const { config } = findAgents(resolved.value.config, { root: resolved.value.root, path: context.env.PATH });
    const agents = agentsOf(config);
    return { config, agents, findings: [...findings, ...prices(config, agents)] };
  }
  const { config } = project.value.resolved;
  const { tasks } = project.value.plan;
  const refused = await refusals(project.value, context);
  const needed = variablesNeeded(config, project.value.plan, context);
  const agents = agentsOf(config);
  return {
    config,
    agents,
    findings: [
      {
        check: 'config',
        standing: refused === 0 ? 'fine' : 'wrong',
        kind: refused === 0 ? 'fine' : 'refused',
        file,
        problems: refused,
        stages: Object.keys(config.stages).length,
        tasks: tasks.length,
      },
      ...variables(needed),
      ...prices(config, agents),
      ...caps(config),
    ],
  };
}

const agentsOf = (config: Config): Study['agents'] => {
  const used = agentsUsed(config);
  return Object.entries(config.agents ?? {}).filter(([name]) => used.has(name));
};

/** What `exec` would refuse besides what has a line of its own here: programs of agents, variables, the sandbox. */
async function refusals(project: Project, context: CliContext): Promise<number> {
  const { plan, resolved, unsupported } = project;
  const files = (await openProjectFiles(resolved.root, { globs: usesGlobs(plan) })).still();
  const own = new Set(['AR326', 'AR329', 'AR316']);
  const all = [
    ...unsupported,
    ...missingFiles(plan, files),
    ...(await brokenSchemas(plan, files, resolved.root)),
    ...(await ownProtectProblems(project)),
    ...(await leftOverFiles(plan, files)),
    ...(await ownPromptProblems(project, files)),
    ...(await sandboxProblems(project, context)),
  ];
  return all.filter(({ code }) => !own.has(code)).length;
}

function variables(needed: readonly NeededVariable[]): Finding[] {
  if (needed.length === 0) return [];
  const names = [...new Set(needed.map(({ name }) => name))];
  const missing = names.filter((name) => needed.some((one) => one.name === name && !one.isSet));
  return [{ check: 'variables', standing: missing.length === 0 ? 'fine' : 'wrong', names, missing }];
}

/** Caps that a call may pass before anybody knows. */
function caps(config: Config): Finding[] {
  const loose = looseCaps(config);
  return loose.length === 0 ? [] : [{ check: 'caps', standing: 'odd', loose }];
}

/** Models of which neither the program nor the config says what they cost. */
function prices(config: Config, agents: Study['agents']): Finding[] {
  const silent = new Set(['api', 'codex', 'gemini']);
  const unpriced = agents.flatMap(([, { backend, model, limits }]) =>
    !silent.has(backend) || limits?.usd !== undefined || (model !== undefined && config.prices?.[model])
      ? []
      : [model ?? backend],
  );
  return unpriced.length === 0 ? [] : [{ check: 'prices', standing: 'odd', unpriced: [...new Set(unpriced)] }];
}
