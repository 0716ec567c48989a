import { embeddedCluster, type TaskCluster } from '../../model/cluster.js';
import { parseDuration } from '../../model/duration.js';
import type { Cluster, Config, Stage } from '../../model/generated/config.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Description } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Resources } from '../../model/scheduler.js';
import type { Problems } from '../problems.js';
import type { TemplateFields } from './template-fields.js';

interface ClusterTools {
  readonly config: Config;
  readonly fields: TemplateFields;
  readonly problems: Problems;
}

/** The cluster of a task, with what its jobs ask for; undefined when its commands run here. */
export function taskCluster(name: string, description: Description, tools: ClusterTools): TaskCluster | undefined {
  const stage = tools.config.stages[name]!;
  const { on, resources } = stage;
  const cluster = on ?? (description.jobs ? embeddedCluster : undefined);
  const rules = new Rules(['stages', name], tools.problems);
  if (cluster === undefined) {
    if (resources) rules.complain('AR612', 'resources', 'resources have no effect: the stage runs on no cluster');
    return undefined;
  }
  checkUse(stage, description, rules);
  const settings = tools.config.clusters?.[cluster] ?? (cluster === embeddedCluster ? { type: 'local' } : undefined);
  // That there is no such cluster has been said.
  if (!settings) return undefined;
  const asked = resourcesOf(stage, tools, rules);
  const known = asks[settings.type];
  for (const key of Object.keys(resources ?? {}))
    if (!known.has(key))
      rules.complain('AR612', `resources/${key}`, `a cluster of the type ${settings.type} gives no "${key}"`);
  if (settings.type === 'kubernetes' && (asked.image ?? settings.image) === undefined)
    rules.complain('AR611', 'on', `neither the cluster "${cluster}" nor the resources of the stage name an image`);
  if (tools.config.budget?.gpuHours !== undefined && asked.gpus && asked.timeMs === undefined)
    rules.complain('AR614', 'resources', 'GPU-hours are limited, but nothing says how long a job may run');
  return { cluster, resources: { ...defaultsOf(settings, tools), ...asked } };
}

const slurmAsks = ['partition', 'account', 'qos', 'gpus', 'cpus', 'memory', 'time', 'extra'];

const asks: Record<Cluster['type'], ReadonlySet<string>> = {
  local: new Set(['gpus', 'time']),
  slurm: new Set(slurmAsks),
  kubernetes: new Set(['gpus', 'cpus', 'memory', 'time', 'image']),
  commands: new Set(slurmAsks.filter((key) => key !== 'extra').concat('image')),
};

function checkUse({ isolation }: Stage, { commands, jobs, summary }: Description, rules: Rules): void {
  // What could not be described has been complained about.
  if (!jobs && summary !== '' && (commands ?? []).length === 0)
    rules.complain('AR613', 'on', 'on has no effect: the behaviour of the stage runs no command');
  if (isolation === 'worktree')
    rules.complain('AR613', 'isolation', 'a job outlives the worktree of its stage: it cannot run on a cluster');
}

function resourcesOf({ resources }: Stage, { fields }: ClusterTools, rules: Rules): Resources {
  if (!resources) return {};
  const filled = fields.data(resources as unknown as Json, [...rules.at, 'resources']) as JsonObject;
  const { time, ...rest } = filled;
  const timeMs = time === undefined ? undefined : parseDuration(String(time));
  if (time !== undefined && !(timeMs! > 0))
    rules.complain('AR206', 'resources/time', `time must be a length of time, but is "${String(time)}"`);
  if (rest.memory !== undefined && !/^\d+[KMGT]$/.test(String(rest.memory)))
    rules.complain(
      'AR206',
      'resources/memory',
      `memory must be a whole number and K, M, G or T, but is "${String(rest.memory)}"`,
    );
  return { ...(rest as Resources), ...(timeMs === undefined ? {} : { timeMs }) };
}

/** What a Slurm cluster says for all its jobs. */
function defaultsOf({ partition, account, qos, extra }: Cluster, { fields }: ClusterTools): Resources {
  const all = { partition, account, qos, extra };
  const stated = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return fields.data(stated as Json, ['clusters']) as Resources;
}

class Rules {
  readonly at: readonly string[];
  readonly #problems: Problems;

  constructor(at: readonly string[], problems: Problems) {
    this.at = at;
    this.#problems = problems;
  }

  complain(code: 'AR206' | 'AR611' | 'AR612' | 'AR613' | 'AR614', key: string, message: string): void {
    const at = { kind: 'config', pointer: pointerOf(...this.at, ...key.split('/')), key: true } as const;
    this.#problems.add({ code, message, at, hint: hints[code] });
  }
}

const hints = {
  AR206: 'Write a whole number and a unit, such as 90m or 16G',
  AR611: 'Give the cluster an image, or the stage its own under resources',
  AR612: 'Take it out',
  AR613: 'Take it out',
  AR614: 'State time under resources',
} as const;
