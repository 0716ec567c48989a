/**
 * The scheduler port: whatever takes a job and lets it run while nobody watches. Each kind passes the same contract suite
 * (test/adapters/schedulers). A scheduler decides nothing: what its answers mean for a task is `run/jobs`' business.
 */
export interface Scheduler {
  /** Whether jobs see the project's files, so that logs and the exit file of the wrapper are simply there. */
  readonly sharesFiles: boolean;
  /** Whether several jobs can be handed over as one array. */
  readonly hasArrays: boolean;
  /** Whether a job can be handed over that waits for others to end well. */
  readonly hasChains: boolean;
  /** One order is a job; several are one array. Each order's folder is there already. */
  submit(orders: readonly JobOrder[]): Promise<Submitted>;
  /** All jobs that bear the tag, finished ones included as far as the scheduler remembers. */
  find(key: JobKey, sinceMs: number): Promise<Found>;
  /** How the jobs stand. Whoever is not in the answer is unknown to the scheduler. */
  states(ids: readonly string[], sinceMs: number): Promise<ReadonlyMap<string, JobStanding>>;
  /** Brings what the job wrote so far into its folder; nothing to do where files are shared. Never throws. */
  fetchLogs(id: string, dir: string): Promise<void>;
  /** Ends jobs, or takes them out of the queue. Also right for one that has ended. */
  cancel(ids: readonly string[]): Promise<Cancelled>;
}

/** A job's name, made before it is submitted, under which it can be found for ever. */
export interface JobKey {
  /** Lower-case letters, digits and hyphens, at most 63 of them: a name everywhere, also in Kubernetes. */
  readonly tag: string;
  /** The array that it was handed over in, if it was. */
  readonly batch?: { readonly tag: string; readonly index: number };
}

export interface JobOrder extends JobKey {
  /** Run, task and attempt, for people who look at the queue. */
  readonly label: string;
  /** Absolute: its script, its logs and its exit file. */
  readonly dir: string;
  /** Text goes through `sh -c`; a list is a program and its arguments. */
  readonly run: string | readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Written into the script. */
  readonly env: { readonly [name: string]: string };
  /** Handed over in the environment, never written down by us: it may be secret. The same for all jobs of an array. */
  readonly passed: { readonly [name: string]: string };
  /** The names of those among them whose values must not get into the logs. */
  readonly secrets?: readonly string[];
  readonly resources: Resources;
  /** Ids of jobs that have to end well first. */
  readonly after?: readonly string[];
}

/** What a job asks for. A scheduler that cannot give one of them refuses the job. */
export interface Resources {
  readonly partition?: string;
  readonly account?: string;
  readonly qos?: string;
  readonly gpus?: number;
  readonly cpus?: number;
  /** A number and a unit: `16G`. */
  readonly memory?: string;
  /** The longest that it may run, once it runs. */
  readonly timeMs?: number;
  readonly image?: string;
  /** Arguments for the scheduler's own program, as they are. */
  readonly extra?: readonly string[];
}

/**
 * `unsent`: why the scheduler's program gave up before it could ask anybody, where it said so. One program alone is not
 * believed: only when the one that submits and the one that looks say the same was nothing submitted.
 */
export type Submitted =
  /** One id for each order, in their order. */
  | { readonly kind: 'submitted'; readonly ids: readonly string[] }
  /** It said no: there is surely no job. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** Nobody knows whether there is a job now: look for the tag before anything else. */
  | { readonly kind: 'unsure'; readonly detail: string; readonly unsent?: string };

export type Found =
  | { readonly kind: 'found'; readonly ids: readonly string[] }
  | { readonly kind: 'unreachable'; readonly detail: string; readonly unsent?: string }
  /** This one never can look for a tag. */
  | { readonly kind: 'cannot'; readonly detail: string };

export type Cancelled = { readonly ok: true } | { readonly ok: false; readonly detail: string };

/** How a job ended, in the scheduler's eyes. Only `completed` can be a success. */
export type JobHow =
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timed-out'
  | 'deadline'
  | 'out-of-memory'
  | 'node-failed'
  | 'not-started';

export type JobStanding =
  /** In the queue, held, requeued, suspended: not at work, and not over. */
  | {
      readonly kind: 'waiting';
      readonly word: string;
      readonly detail?: string;
      /** It should not last: whoever stays in it is lost. */
      readonly limbo?: true;
    }
  | { readonly kind: 'running'; readonly word: string; readonly detail?: string }
  | {
      readonly kind: 'ended';
      readonly how: JobHow;
      /** The scheduler's own word. */
      readonly word: string;
      readonly exitCode?: number;
      readonly detail?: string;
    }
  /** It answered, and has no record of the job. */
  | { readonly kind: 'no-record'; readonly detail: string }
  /** No answer, or one that nobody can read. */
  | { readonly kind: 'unreachable'; readonly detail: string };

/** What the wrapper says of how the command ended. */
export type ExitFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'exited'; readonly exitCode: number; readonly id: string }
  | { readonly kind: 'unreadable'; readonly detail: string };
