// Made from schemas/config.schema.json by `npm run generate`. Do not edit.

export type VariableValue = Scalar | Scalar[];
export type Scalar = string | number | boolean;
/**
 * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
 */
export type Duration = string;
export type Path = string;
/**
 * Files that no stage may change, add or remove.
 */
export type Globs = Path[];
/**
 * A CEL expression.
 */
export type Expression = string;
/**
 * Files and globs the stage reads. A change makes it stale.
 */
export type Globs1 = Path[];
/**
 * Files and globs the stage writes. Each must exist and be non-empty afterwards.
 */
export type Globs2 = Path[];
/**
 * Globs the stage may write. Anything else it writes is undone and fails the run.
 */
export type Globs3 = Path[];
/**
 * Protected files of this stage, added to the global list.
 */
export type Globs4 = Path[];
/**
 * The check after a task: a person, a judge of another model family, or checks.
 */
export type Gate = ('human' | 'auto') | HumanGate | AutoGate | JudgeGate;
export type Globs5 = Path[];
/**
 * A letter, then letters, digits, `-` or `_`; at most 64 characters.
 */
export type Identifier = string;

/**
 * A study: its stages, the gates between them, agents, budgets, protected files and how jobs are submitted.
 */
export interface Config {
  /**
   * Where an editor finds this schema. Has no effect on a run.
   */
  $schema?: string;
  /**
   * The name of the study. It appears in plans, journals and reports.
   */
  name: string;
  /**
   * Presets this config builds on: `autoresearch:NAME` for a built-in one, a path starting with `.`, or an npm package. Later entries win over earlier ones and this file wins over all.
   */
  extends?: string[];
  /**
   * Values for templates, written `{{vars.NAME}}`. `--set NAME=VALUE` overrides one. A variable that nothing uses is an error.
   */
  vars?: {
    [k: string]: VariableValue;
  };
  /**
   * The agents that stages, fixes and gates refer to by name.
   */
  agents?: {
    [k: string]: Agent;
  };
  budget?: Budget;
  protect?: Globs;
  /**
   * Hyper-parameters that must be equal between the arms of a comparison.
   */
  parity?: {
    [k: string]: ParityCheck;
  };
  /**
   * Where stages with `on` submit their jobs.
   */
  clusters?: {
    [k: string]: Cluster;
  };
  /**
   * Commands to run when something happens. A failing one never fails a run.
   */
  notify?: Notification[];
  /**
   * Money per million tokens, by model name.
   */
  prices?: {
    [k: string]: Price;
  };
  /**
   * How agents are kept away from files they may not write.
   */
  sandbox?: 'auto' | 'bwrap' | 'none';
  iterate?: Iterate;
  autonomous?: Autonomous;
  /**
   * Who is asked, in this order, when a retry budget is spent: agent names, `human` or `fail`.
   */
  escalate?: string[];
  /**
   * What follows when a protected file or the scope was violated. `fail` unless stated.
   */
  onViolation?: 'fail' | 'retry';
  /**
   * The stages of the study, by name.
   */
  stages: {
    [k: string]: Stage;
  };
}
/**
 * A coding CLI, a model API or a command that is asked to do or judge something.
 */
export interface Agent {
  backend: 'claude' | 'codex' | 'gemini' | 'opencode' | 'command' | 'api' | 'auto' | 'replay';
  model?: string;
  /**
   * The model family, where it cannot be derived.
   */
  family?: string;
  lifecycle?: 'persistent' | 'fresh' | 'stateless';
  limits?: AgentLimits;
  /**
   * The program of a `command` agent.
   */
  run?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  /**
   * Where the agent cannot be reached its work is skipped and recorded as such.
   */
  optional?: boolean;
}
export interface AgentLimits {
  turns?: number;
  timeout?: Duration;
  idle?: Duration;
  usd?: number;
}
/**
 * Ceilings. What would cross one is not started.
 */
export interface Budget {
  usdPerRun?: number;
  usdPerDay?: number;
  time?: Duration;
  gpuHours?: number;
}
export interface ParityCheck {
  arms: {
    [k: string]: Path;
  };
  /**
   * @minItems 1
   */
  params: string[];
  except?: {
    [k: string]: string;
  };
}
export interface Cluster {
  type: 'local' | 'slurm' | 'kubernetes' | 'commands';
  partition?: string;
  poll?: Duration;
  commandTimeout?: Duration;
}
export interface Notification {
  /**
   * @minItems 1
   */
  on: string[];
  run: string;
}
export interface Price {
  input: number;
  output: number;
}
export interface Iterate {
  max: number;
  until?: Expression;
}
/**
 * What stands in for a person in `--autonomous` mode.
 */
export interface Autonomous {
  human: 'auto-judge' | 'fail';
}
/**
 * One named step of the study.
 */
export interface Stage {
  /**
   * The behaviour that carries the stage out: a built-in name, a path starting with `.`, or an npm package.
   */
  uses: string;
  /**
   * Options of the behaviour, checked against its own schema.
   */
  with?: {
    [k: string]: unknown;
  };
  /**
   * Stages that must have passed before this one starts. An input that is another stage's output is such an edge too.
   */
  needs?: string[];
  inputs?: Globs1;
  outputs?: Globs2;
  /**
   * Output path → JSON Schema file that it must satisfy.
   */
  schema?: {
    [k: string]: Path;
  };
  /**
   * A CEL expression.
   */
  when?: string;
  /**
   * Name → list of values, or a template naming a list variable. The stage becomes one task for each combination.
   */
  matrix?: {
    [k: string]: Scalar[] | string;
  };
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  agent?: string;
  /**
   * Where the work happens: in the checkout, or in a git worktree of its own.
   */
  isolation?: 'none' | 'worktree';
  scope?: Globs3;
  protect?: Globs4;
  /**
   * Pairs of paths that must stay identical.
   */
  mirror?: Path[][];
  /**
   * External repositories to hold while the stage runs.
   */
  locks?: Path[];
  retry?: Retry;
  gate?: Gate;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  timeout?: string;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  idle?: string;
  env?: Env;
  /**
   * The folder the stage works in, relative to the config file.
   */
  cwd?: string;
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  on?: string;
  /**
   * `false`: run every time, also when nothing changed.
   */
  cache?: boolean;
  /**
   * Template of the commit message.
   */
  commit?: string;
}
/**
 * How often a failed attempt is tried again.
 */
export interface Retry {
  /**
   * Tries for each class of error, the first one included.
   */
  attempts: number;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  backoff?: string;
  /**
   * The agent that may mend the scope between two attempts.
   */
  fix?: string;
}
export interface HumanGate {
  kind: 'human';
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  expires?: string;
  /**
   * Who may answer (user names).
   *
   * @minItems 1
   */
  approvers?: string[];
  evidence?: Globs5;
  revise?: Revise;
  exhausted?: 'human' | 'fail';
}
export interface Revise {
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  stage?: string;
  /**
   * How often work may be sent back.
   */
  max: number;
}
export interface AutoGate {
  kind: 'auto';
  /**
   * Expressions that must all be true.
   *
   * @minItems 1
   */
  checks: Expression[];
  revise?: Revise;
  exhausted?: 'human' | 'fail';
}
export interface JudgeGate {
  kind: 'auto-judge';
  agent: Identifier;
  /**
   * @minItems 1
   */
  criteria: string[];
  evidence?: Globs5;
  votes?: number;
  revise?: Revise;
  exhausted?: 'human' | 'fail';
}
/**
 * Environment variables of the stage.
 */
export interface Env {
  [k: string]: string;
}
