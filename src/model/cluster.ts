import type { JobHow, Resources } from './scheduler.js';

/** A cluster with everything filled in. */
export interface ClusterSettings {
  readonly type: 'local' | 'slurm' | 'kubernetes' | 'commands';
  readonly pollMs: number;
  readonly commandTimeoutMs: number;
  readonly patienceMs: number;
  readonly slots?: number;
  readonly gpus?: number;
  readonly namespace?: string;
  readonly context?: string;
  readonly image?: string;
  readonly shared?: boolean;
  readonly workdir?: string;
  readonly volumes?: readonly { readonly claim: string; readonly path: string }[];
  readonly commands?: ClusterCommands;
}

/** Still templates: what they name of a job is known when there is one. */
export interface ClusterCommands {
  readonly submit: TimedCommand;
  readonly id: string;
  readonly find?: TimedCommand;
  readonly state: TimedCommand;
  readonly states: { readonly [word in JobHow | 'waiting' | 'running' | 'gone']?: string };
  readonly logs?: TimedCommand;
  readonly cancel: TimedCommand;
}

export interface TimedCommand {
  readonly run: string;
  readonly timeoutMs: number;
}

/** Where the commands of a task run, and what they ask for there. */
export interface TaskCluster {
  readonly cluster: string;
  readonly resources: Resources;
}

/** It need not be declared. */
export const embeddedCluster = 'local';
