import type { TaskPart } from './agents/task-item.js';
import type { ClusterSettings, TaskCluster } from './cluster.js';
import type { Agent as AgentConfig, Gate, Retry } from './generated/config.js';
import type { Json, JsonObject } from './json.js';

/** Compiled, immutable, with a digest. Says what would be done; whether it is needed now is a `Decision`. */
export interface Plan {
  readonly version: 1;
  readonly name: string;
  /** sha256 over version, name and tasks. */
  readonly digest: string;
  readonly waves: readonly (readonly TaskId[])[];
  readonly tasks: readonly Task[];
  /** Who is asked, in this order, when the tries of a task are spent. Absent: nobody, it fails. */
  readonly escalate?: readonly string[];
  /** What nobody may change in the whole study; a verdict covers it. */
  readonly protect?: readonly string[];
  /** The clusters that tasks run on. Not part of the digest: what a task comes to does not depend on them. */
  readonly clusters?: { readonly [name: string]: ClusterSettings };
  /** What `iterate` makes of it; not part of the digest. */
  readonly iterate?: PlanIterate;
  readonly worstCase: WorstCase;
}

export interface PlanIterate {
  /** Tasks that every iteration does again. */
  readonly again: readonly TaskId[];
  /** Tasks of the baseline, which is measured before anything is changed. */
  readonly baseline?: readonly TaskId[];
  /** `keep: best`: the files that are kept or put back. */
  readonly files?: readonly string[];
}

export type TaskId = string;

/** A stage compiled with concrete parameters. */
export interface Task {
  readonly id: TaskId;
  readonly stage: string;
  /** The name the stage `uses`, as written. */
  readonly uses: string;
  /** Digest of the behaviour's name and code; another version makes the task stale. */
  readonly behaviour: string;
  readonly matrix?: { readonly [name: string]: Json };
  /** Options after templates, checked against the behaviour's schema. */
  readonly options: JsonObject;
  readonly needs: readonly TaskId[];
  /** The part of `needs` that follows from inputs and outputs rather than from words. */
  readonly inferred: readonly InferredEdge[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** The outputs of a matrix stage with its values left open: `runs/*.json`. Tells leftovers of other values. */
  readonly outputPatterns?: readonly string[];
  /** Output path → schema file. */
  readonly schema: { readonly [output: string]: string };
  readonly env: { readonly [name: string]: string };
  /** Patterns for the names of variables that its commands get of the runner's environment. Never their values. */
  readonly passEnv?: readonly string[];
  /** Relative to the project folder; `.` unless stated. */
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly retry: Retry;
  readonly gate?: Gate;
  /** Who judges at the gate. */
  readonly judge?: TaskAgent;
  /** Who does the work. Another one makes the task stale. */
  readonly agent?: TaskAgent;
  /** Globs that the agents of the stage may write. */
  readonly scope?: readonly string[];
  /** It works in a worktree of its own, and its work is merged when it has passed. */
  readonly isolation?: 'worktree';
  /** The message of its commit, a template. */
  readonly commit?: string;
  /** External repositories that it holds while it runs. */
  readonly locks?: readonly string[];
  /** Pairs of paths that must be identical when it is done. */
  readonly mirror?: readonly (readonly [string, string])[];
  /** Globs that nobody may change while it runs, besides those of the whole study. */
  readonly protect?: readonly string[];
  /** Its commands run there, as jobs. */
  readonly on?: TaskCluster;
  /** What it is in a stage that a task file makes many tasks of. */
  readonly part?: TaskPart;
  readonly cache: boolean;
  /** How many tasks of its stage may be at work at once. */
  readonly parallel?: number;
  /** What the behaviour says it would do. */
  readonly description: Description;
  /** Set when `when` was false, or when everything a need stands for is skipped. */
  readonly skip?: Reason;
  /** Raw `{{{values}}}` that went into shell text, for `plan` to point out. */
  readonly rawShell?: readonly string[];
}

/** The agent of a task, as far as the work depends on it. */
export interface TaskAgent {
  readonly name: string;
  /** Never `auto`: that has been looked up. */
  readonly backend: Exclude<AgentConfig['backend'], 'auto'>;
  readonly model?: string;
  readonly family?: string;
  readonly tools?: readonly string[];
  /** The command line of a program of the user's, and what is added to that of a CLI. */
  readonly run?: string;
  readonly args?: readonly string[];
  /** The endpoint that answers, and how freely. */
  readonly baseUrl?: string;
  readonly temperature?: number;
  /** The config says `auto`. */
  readonly auto?: true;
  /** Recordings answer in its place; what comes of that does not stand for its own work, nor the other way round. */
  readonly replayed?: true;
}

export interface InferredEdge {
  readonly task: TaskId;
  /** The path or pattern that both share. */
  readonly via: string;
}

/** A behaviour's own words for what it would do, as data. */
export interface Description {
  /** One line for `plan`. */
  readonly summary: string;
  /** Commands it would run, as a person would type them. */
  readonly commands?: readonly string[];
  /** Paths and globs it would write, checked against protected paths. */
  readonly writes?: readonly string[];
  /** What it would ask its agent for; absent when it needs none. */
  readonly asks?: AskDescription;
  /** It submits jobs, also where its stage names no cluster. */
  readonly jobs?: true;
  /** The parity check whose arms its jobs are: what is changed for one of them is changed for all. */
  readonly parity?: string;
  /** What is wrong with its options, beyond what their schema can say. */
  readonly problems?: readonly string[];
  /** Paths and globs it would look at, which need not be there: whoever makes them comes before it. */
  readonly looksAt?: readonly string[];
  /** It looks at more than its inputs, so an earlier result tells nothing: it runs each time unless the stage says `cache: true`. */
  readonly always?: true;
  /** How often one attempt may let somebody mend. */
  readonly fixes?: number;
  /** Its results say what came of it, so that another run with the same result makes nothing stale. */
  readonly repeats?: true;
  /** Paths and globs it would read, besides the stage's inputs; they count as inputs. */
  readonly reads?: readonly string[];
  /** Those of the paths it reads that tell nothing unless this run made them: results of measurements. */
  readonly mustBeNew?: readonly string[];
}

export interface AskDescription {
  /** A reviewer must be of another model family than the authors of what it reviews. */
  readonly role: 'author' | 'reviewer';
  readonly helpers: number;
  /** How often one attempt may ask; once unless stated. */
  readonly questions?: number;
  /** The stages whose work is reviewed; those that the stage needs unless stated. */
  readonly reviews?: readonly string[];
}

export interface WorstCase {
  /** Most attempts over all tasks, whatever kinds of errors they meet. */
  readonly attempts: number;
  readonly agentCalls: number;
  /** `null`: cannot be bounded. Unknown is never zero. */
  readonly usd: number | null;
  /** Tasks of files that are not there yet come on top of all this. */
  readonly pending?: true;
  /** One attempt after another, all of them; null: cannot be bounded. */
  readonly timeMs: number | null;
  /** `budget.usdPerRun` and `budget.callsPerRun`, where they end the run before the worst case is reached. */
  readonly stoppedAt?: { readonly usd?: number; readonly calls?: number };
}

export type Action = 'run' | 'cached' | 'skip';

/** Whether a task would run now, and why. */
export interface Decision {
  readonly action: Action;
  /** It runs only if what it waits for makes something else than before; nobody can know that ahead. */
  readonly maybe?: true;
  readonly reasons: readonly Reason[];
}

/** A finished task that would run again, and what differs. */
export interface StaleTask {
  readonly id: TaskId;
  readonly reasons: readonly Reason[];
}

export type ReasonCode =
  | 'never-ran'
  | 'input-changed'
  | 'option-changed'
  | 'behaviour-changed'
  | 'format-changed'
  | 'env-changed'
  | 'output-missing'
  | 'output-changed'
  | 'upstream-stale'
  | 'forced'
  | 'incomplete'
  | 'failed-before'
  | 'not-cached'
  | 'gate-voided'
  | 'gate-open'
  | 'gate-rejected'
  | 'sent-back'
  | 'unchanged'
  | 'when-false'
  | 'upstream-skipped'
  | 'not-selected'
  | 'agent-unreachable';

export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
}
