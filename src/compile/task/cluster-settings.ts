import { type ClusterSettings, embeddedCluster, type TimedCommand } from '../../model/cluster.js';
import { parseDuration } from '../../model/duration.js';
import type { Cluster, ToolCommand } from '../../model/generated/config.js';
import type { Json, JsonObject } from '../../model/json.js';
import { pointerOf } from '../../model/pointer.js';
import type { Templates } from '../../source/template/template.js';
import type { CompileInput } from '../compile-input.js';
import type { Problems } from '../problems.js';
import type { Draft } from './draft.js';
import { TemplateFields } from './template-fields.js';

interface SettingsTools {
  readonly input: CompileInput;
  readonly templates: Templates;
  readonly problems: Problems;
}

/** The clusters of a study, checked and filled in. Loaded only when there is one, or a task that needs one. */
export function clusterSettings(
  drafts: readonly Draft[],
  tools: SettingsTools,
): { readonly [name: string]: ClusterSettings } {
  const { clusters = {} } = tools.input.config;
  const used = new Set(drafts.flatMap(({ task }) => (task.on ? [task.on.cluster] : [])));
  checkGpuHours(drafts, tools);
  const all: Record<string, ClusterSettings> = {};
  for (const [name, cluster] of Object.entries(clusters)) {
    const settings = new ClusterReader(name, cluster, tools).read();
    if (used.has(name)) all[name] = settings;
  }
  if (used.has(embeddedCluster) && !clusters[embeddedCluster])
    all[embeddedCluster] = new ClusterReader(embeddedCluster, { type: 'local' }, tools).read();
  return all;
}

/** A ceiling over nothing is a misunderstanding. */
function checkGpuHours(drafts: readonly Draft[], { input, problems }: SettingsTools): void {
  if (input.config.budget?.gpuHours === undefined || drafts.some(({ task }) => task.on?.resources.gpus)) return;
  problems.add({
    code: 'AR616',
    message: 'budget.gpuHours has no effect: no stage asks for GPUs on a cluster',
    at: { kind: 'config', pointer: pointerOf('budget', 'gpuHours'), key: true },
    hint: 'Take it out, or state gpus under the resources of a stage',
  });
}

const slurmKeys = ['partition', 'account', 'qos', 'extra'];
const keysOf: Record<Cluster['type'], readonly string[]> = {
  local: ['slots', 'gpus'],
  slurm: slurmKeys,
  kubernetes: ['image', 'namespace', 'context', 'shared', 'workdir', 'volumes'],
  commands: ['submit', 'id', 'find', 'state', 'states', 'logs', 'cancel'],
};
const needed = ['submit', 'id', 'state', 'states', 'cancel'] as const;
const commandKeys = ['submit', 'find', 'state', 'logs', 'cancel'] as const;

class ClusterReader {
  readonly #name: string;
  readonly #cluster: Cluster;
  readonly #tools: SettingsTools;
  readonly #fields: TemplateFields;

  constructor(name: string, cluster: Cluster, tools: SettingsTools) {
    this.#name = name;
    this.#cluster = cluster;
    this.#tools = tools;
    const { config, agentId } = tools.input;
    this.#fields = new TemplateFields(tools.templates, tools.problems, () => ({
      vars: config.vars ?? {},
      name: config.name,
      agentId,
    }));
  }

  read(): ClusterSettings {
    const { type, poll, commandTimeout, patience, ...rest } = this.#cluster;
    for (const key of Object.keys(rest)) if (!keysOf[type].includes(key)) this.#foreign(key);
    const commandTimeoutMs = this.#ms(commandTimeout, 'commandTimeout', 30_000);
    const { slots, gpus, namespace, context, image, shared, workdir, volumes } = this.#filled(rest);
    const own = { slots, gpus, namespace, context, image, shared, workdir, volumes };
    return {
      type,
      pollMs: this.#ms(poll, 'poll', type === 'local' ? 250 : 60_000),
      commandTimeoutMs,
      patienceMs: this.#ms(patience, 'patience', 1_800_000),
      ...(Object.fromEntries(
        Object.entries(own).filter(([, value]) => value !== undefined),
      ) as Partial<ClusterSettings>),
      ...(type === 'commands' ? this.#commands(commandTimeoutMs) : {}),
    };
  }

  /** All but the commands, whose templates name the job too. */
  #filled(rest: Omit<Cluster, 'type'>): Omit<Cluster, 'type'> {
    const plain = Object.entries(rest).filter(([key]) => !keysOf.commands.includes(key));
    return this.#fields.data(Object.fromEntries(plain) as JsonObject, ['clusters', this.#name]) as Omit<
      Cluster,
      'type'
    >;
  }

  #commands(commandTimeoutMs: number): { commands?: NonNullable<ClusterSettings['commands']> } {
    const { id, states, ...cluster } = this.#cluster;
    const missing = needed.filter((key) => this.#cluster[key] === undefined);
    if (missing.length > 0) {
      const message = `a cluster of the type commands needs ${missing.map((key) => `"${key}"`).join(', ')}`;
      this.#complain('AR611', [], message, 'docs/clusters.md has an example');
      return {};
    }
    this.#expression(id!, ['id']);
    for (const [word, text] of Object.entries(states!)) this.#expression(text, ['states', word]);
    if (states!.completed === undefined)
      this.#complain('AR611', ['states'], 'nothing says when a job is completed', 'Add "completed"');
    const commands: Partial<Record<(typeof commandKeys)[number], TimedCommand>> = {};
    for (const key of commandKeys) {
      const written: ToolCommand | undefined = cluster[key];
      if (written === undefined) continue;
      const { run, timeout } = typeof written === 'string' ? { run: written, timeout: undefined } : written;
      this.#checkText(run, typeof written === 'string' ? [key] : [key, 'run'], key);
      commands[key] = { run, timeoutMs: this.#ms(timeout, `${key}/timeout`, commandTimeoutMs) };
    }
    const { submit, state, cancel, find, logs } = commands;
    const more = { ...(find ? { find } : {}), ...(logs ? { logs } : {}) };
    return { commands: { submit: submit!, id: id!, state: state!, states: states!, cancel: cancel!, ...more } };
  }

  #checkText(run: string, path: readonly string[], key: string): void {
    const { config, agentId } = this.#tools.input;
    const job: { readonly [name: string]: Json } =
      key === 'submit' ? submitSample : key === 'find' ? { tag: 'x' } : { id: 'x' };
    const names = { vars: config.vars ?? {}, name: config.name, agentId, job };
    const rendered = this.#tools.templates.render(run, names, { mode: 'shell' });
    if (rendered.ok) return;
    for (const problem of rendered.error)
      this.#tools.problems.inText(pointerOf('clusters', this.#name, ...path), problem);
  }

  #expression(text: string, path: readonly string[]): void {
    try {
      new RegExp(text, 'm');
    } catch (error) {
      this.#complain('AR615', path, `this is no regular expression: ${(error as Error).message}`, 'Correct it');
    }
  }

  #ms(written: string | undefined, key: string, otherwise: number): number {
    if (written === undefined) return otherwise;
    const path = ['clusters', this.#name, ...key.split('/')];
    const text = this.#fields.text(written, path);
    const ms = parseDuration(text) ?? 0;
    if (ms === 0)
      this.#complain(
        'AR206',
        key.split('/'),
        `${key.split('/').at(-1)} must be a length of time, but is "${text}"`,
        'Write a whole number and a unit, such as 30s or 5m',
      );
    return ms;
  }

  #foreign(key: string): void {
    const { type } = this.#cluster;
    const owner = (Object.keys(keysOf) as Cluster['type'][]).find((each) => keysOf[each].includes(key));
    this.#complain(
      'AR610',
      [key],
      `"${key}" has no effect on a cluster of the type ${type}`,
      `It belongs to the type ${owner}`,
    );
  }

  #complain(code: 'AR206' | 'AR610' | 'AR611' | 'AR615', path: readonly string[], message: string, hint: string): void {
    const at = { kind: 'config', pointer: pointerOf('clusters', this.#name, ...path), key: true } as const;
    this.#tools.problems.add({ code, message, at, hint });
  }
}

const submitSample = {
  ...{ tag: 'x', label: 'x', script: 'x', dir: 'x', seconds: 60 },
  ...{ partition: 'x', account: 'x', qos: 'x', gpus: 1, cpus: 1, memory: '1G', image: 'x' },
};
