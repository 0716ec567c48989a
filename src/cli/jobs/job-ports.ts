import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { makeFolders } from '../../adapters/disk/make-folders.js';
import type { FileLedger, FileLedgerInput } from '../../adapters/ledger/file-ledger.js';
import { followLogs } from '../../adapters/schedulers/follow-logs.js';
import { ownerOf, readExitFile, readText } from '../../adapters/schedulers/job-files.js';
import { endSubmitter } from '../../adapters/schedulers/submitter.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { ClusterSettings } from '../../model/cluster.js';
import type { Json } from '../../model/json.js';
import type { Scheduler } from '../../model/scheduler.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { JobPorts } from '../../run/jobs/job-errand.js';

export interface JobInput {
  readonly root: string;
  readonly stateDir: string;
  readonly runDir: string;
  readonly clusters: { readonly [name: string]: ClusterSettings };
  /** What every command gets of the runner's environment. */
  readonly allowed: { readonly [name: string]: string };
  /** What programs of clusters get besides. */
  readonly passed: { readonly [name: string]: string };
  /** What templates of commands may name. */
  readonly names: { readonly [name: string]: Json };
  readonly secrets: Secrets;
  flushed(): Promise<void>;
  readonly config?: FileLedgerInput['config'];
}

/** What it takes to hand over jobs; loaded when the first one is. */
export function jobPorts(input: JobInput): JobPorts {
  const dirOf = (tag: string): string => join(input.runDir, 'jobs', tag);
  const schedulers = new Map<string, Promise<Scheduler>>();
  let ledger: FileLedger | undefined;
  return {
    secretsAmong: (names) => input.secrets.of(names).names,
    settings: (cluster) => input.clusters[cluster]!,
    scheduler(cluster) {
      const known = schedulers.get(cluster);
      if (known) return known;
      const made = openScheduler(cluster, input, dirOf);
      schedulers.set(cluster, made);
      return made;
    },
    folderOf(tag) {
      makeFolders(dirOf(tag));
      return dirOf(tag);
    },
    exitOf: (tag) => readExitFile(dirOf(tag), tag),
    startsOf: (tag) => startsOf(dirOf(tag)),
    exitedAt: (tag) => statSync(join(dirOf(tag), 'exit'), { throwIfNoEntry: false })?.mtimeMs,
    ownerOf: (tag) => ownerOf(dirOf(tag)),
    endSubmitter: (tag) => endSubmitter(dirOf(tag)),
    follow: (tag, folder) => followLogs(dirOf(tag), folder),
    async spend({ call, run, stage, task, role, agent, wallMs, gpuHours }) {
      ledger ??= await openLedger(input);
      await ledger.note({ call, run, stage, task, role, agent, capUsd: 0 }, { wallMs, gpuHours });
    },
    flushed: () => input.flushed(),
  };
}

async function openLedger({ root, stateDir, config = { stages: {} } }: JobInput): Promise<FileLedger> {
  const { FileLedger } = await import('../../adapters/ledger/file-ledger.js');
  return new FileLedger({ root, agentId: basename(stateDir), clock: systemClock, config });
}

/** Each line of the wrapper says when it began. */
const startsOf = (dir: string): readonly number[] =>
  (readText(join(dir, 'starts')) ?? '').split('\n').flatMap((line) => {
    const at = Date.parse(line.split(' ')[1] ?? '');
    return Number.isNaN(at) ? [] : [at];
  });

async function openScheduler(name: string, input: JobInput, dirOf: (tag: string) => string): Promise<Scheduler> {
  const settings = input.clusters[name]!;
  const { commandTimeoutMs } = settings;
  const env = { ...input.allowed, ...input.passed };
  switch (settings.type) {
    case 'local': {
      const { LocalScheduler } = await import('../../adapters/schedulers/local.js');
      const slotsDir = join(input.stateDir, 'slots', name);
      const { slots = availableParallelism(), gpus = 0 } = settings;
      return new LocalScheduler({ dirOf, slotsDir, slots, gpus, env: input.allowed });
    }
    case 'slurm': {
      const { SlurmScheduler } = await import('../../adapters/schedulers/slurm.js');
      return new SlurmScheduler({ commandTimeoutMs, env: input.allowed });
    }
    case 'kubernetes': {
      const { KubernetesScheduler } = await import('../../adapters/schedulers/kubernetes.js');
      const { image, namespace, context, workdir, shared = false, volumes = [] } = settings;
      const stated = Object.entries({ image, namespace, context, workdir }).filter(([, value]) => value !== undefined);
      return new KubernetesScheduler({
        ...Object.fromEntries(stated),
        root: input.root,
        shared,
        volumes,
        commandTimeoutMs,
        env,
        hide: input.secrets.hideValues,
      });
    }
    case 'commands': {
      const { CommandsScheduler } = await import('../../adapters/schedulers/commands.js');
      return new CommandsScheduler({ ...settings.commands!, names: input.names, env, hide: input.secrets.hideValues });
    }
  }
}
