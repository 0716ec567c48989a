// Made from schemas/config.schema.json by `npm run generate`. Do not edit.

export type VariableValue = Scalar | Scalar[];
export type Scalar = string | number | boolean;
/**
 * Environment variables of the runner that this agent gets, besides the ordinary ones and those its backend is known to need.
 */
export type VariableGlobs = string[];
export type Path = string;
/**
 * Files that no stage may change, add or remove.
 */
export type Globs = Path[];
/**
 * Where the values of an arm are to be found.
 */
export type ParityArm =
  | Path
  | {
      file: Path;
      /**
       * What the file is, where its ending does not say so. `argv`: the captured command line of a job.
       */
      format?: 'python' | 'json' | 'yaml' | 'toml' | 'env' | 'argv';
      /**
       * Python: a function without parameters that returns the values, or prints them as JSON.
       */
      call?: string;
      /**
       * The dotted path of the part that holds the values.
       */
      at?: string;
    }
  | {
      /**
       * A command that prints the values as JSON.
       */
      run: string;
      /**
       * The dotted path of the part that holds the values.
       */
      at?: string;
    };
/**
 * `commands`: submits `{{job.script}}` under the name `{{job.tag}}`.
 */
export type ToolCommand =
  | string
  | {
      run: string;
      timeout?: Duration;
    };
/**
 * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
 */
export type Duration = string;
/**
 * `commands`: prints the ids of all jobs named `{{job.tag}}`, a line each.
 */
export type ToolCommand1 =
  | string
  | {
      run: string;
      timeout?: Duration;
    };
/**
 * `commands`: prints how `{{job.id}}` stands.
 */
export type ToolCommand2 =
  | string
  | {
      run: string;
      timeout?: Duration;
    };
/**
 * `commands`: prints what the scheduler itself has to say of `{{job.id}}`.
 */
export type ToolCommand3 =
  | string
  | {
      run: string;
      timeout?: Duration;
    };
/**
 * `commands`: ends `{{job.id}}`.
 */
export type ToolCommand4 =
  | string
  | {
      run: string;
      timeout?: Duration;
    };
/**
 * Environment variables that all stages get, besides the ordinary ones such as `PATH` and `HOME`. A `*` stands for any letters: `WANDB_*`.
 */
export type VariableGlobs1 = string[];
/**
 * Environment variables whose values must appear nowhere, besides those whose names tell (`…_KEY`, `…_TOKEN`, `…_SECRET`, `…PASSWORD`).
 */
export type VariableGlobs2 = string[];
/**
 * `keep: best`: the files that an iteration may change, and which are kept or put back. The scopes of all stages unless stated.
 */
export type Globs1 = Path[];
/**
 * Files and globs the stage reads. A change makes it stale.
 */
export type Globs2 = Path[];
/**
 * Files and globs the stage writes. Each must exist and be non-empty afterwards.
 */
export type Globs3 = Path[];
/**
 * Globs the stage may write. Anything else it writes is undone and fails the run.
 */
export type Globs4 = Path[];
/**
 * Protected files of this stage, added to the global list.
 */
export type Globs5 = Path[];
/**
 * The check after a task: a person, a judge of another model family, or checks.
 */
export type Gate = ('human' | 'auto') | HumanGate | AutoGate | JudgeGate;
/**
 * Files that the person is shown; the outputs of the stage unless stated.
 */
export type Globs6 = Path[];
/**
 * What happens when work may not be sent back any more: a person decides, or the gate rejects (unless stated).
 */
export type Exhausted = 'human' | 'fail';
/**
 * A CEL expression.
 */
export type Expression = string;
/**
 * Files that the decision is about; the outputs of the stage unless stated.
 */
export type Globs7 = Path[];
/**
 * Files that the judge is shown; the outputs of the stage unless stated.
 */
export type Globs8 = Path[];
/**
 * Environment variables of the runner that this stage gets too, added to the global list.
 */
export type VariableGlobs3 = string[];

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
  report?: Report;
  /**
   * Money per million tokens, by model name.
   */
  prices?: {
    [k: string]: Price;
  };
  /**
   * The folder where `exec --record` keeps what agents answered, and from which agents of the backend `replay` answer; `cassettes` unless stated.
   */
  cassettes?: string;
  passEnv?: VariableGlobs1;
  secrets?: VariableGlobs2;
  /**
   * How agents are kept away from files they may not write.
   */
  sandbox?: 'auto' | 'bwrap' | 'none';
  iterate?: Iterate;
  autonomous?: Autonomous;
  /**
   * Who is asked, in this order, when a retry budget is spent or the design is wrong: agent names (for a task of a task file they may change that file), `instructions` (a person's new words, with which the tries begin anew; once for each task), `human` (the run ends and waits until somebody has mended the cause) or `fail`.
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
  /**
   * What answers: a coding CLI, any program (`command`), our own loop against an OpenAI-compatible endpoint (`api`), the first CLI that is installed (`auto`), or recordings (`replay`).
   */
  backend: 'claude' | 'codex' | 'gemini' | 'opencode' | 'command' | 'api' | 'auto' | 'replay';
  /**
   * The model, as the backend calls it; its own choice unless stated.
   */
  model?: string;
  /**
   * Who made the model (`anthropic`, `openai`, `google` …), where it cannot be told from backend and model. A judge or reviewer of the author's family is an error.
   */
  family?: string;
  /**
   * How long it remembers: `persistent` one session for the whole run, `fresh` one for each task (unless stated), `stateless` one for each call.
   */
  lifecycle?: 'persistent' | 'fresh' | 'stateless';
  limits?: AgentLimits;
  /**
   * The tools it may use, in the words of its backend; what its role calls for unless stated.
   */
  tools?: string[];
  /**
   * The program of a `command` agent.
   */
  run?: string;
  /**
   * `command` only: the program is a terminal program that stays open in a tmux session of its own, `STUDY-AGENT`.
   */
  interactive?: boolean;
  /**
   * Where the CLI is, if it is not on the `PATH`.
   */
  path?: string;
  /**
   * Further arguments for the CLI.
   */
  args?: string[];
  passEnv?: VariableGlobs;
  /**
   * `api` only: the endpoint, such as `https://api.openai.com/v1`.
   */
  baseUrl?: string;
  /**
   * `api` only: the environment variable that holds the key; no key is sent unless stated.
   */
  apiKeyEnv?: string;
  /**
   * `api` only; 0.2 unless stated.
   */
  temperature?: number;
  /**
   * `api` only: `text` for models that have no tool calls of their own; `native` unless stated.
   */
  toolCalls?: 'native' | 'text';
  /**
   * Where the agent cannot be reached its work is skipped and recorded as such.
   */
  optional?: boolean;
}
export interface AgentLimits {
  /**
   * Turns (steps) in one call.
   */
  turns?: number;
  /**
   * How long one call may take.
   */
  timeout?: string;
  /**
   * How long one call may stay silent.
   */
  idle?: string;
  /**
   * `api` only: how long one step may take.
   */
  step?: string;
  /**
   * Files that one call may change.
   */
  files?: number;
  /**
   * Money that one call may cost.
   */
  usd?: number;
  endpoint?: EndpointLimits;
}
/**
 * `auto` only: what holds instead where no CLI is there and the endpoint answers.
 */
export interface EndpointLimits {
  /**
   * Turns (steps) in one call.
   */
  turns?: number;
  /**
   * Files that one call may change.
   */
  files?: number;
}
/**
 * Ceilings. What would cross one is not started.
 */
export interface Budget {
  /**
   * Money in one run, resumed or not.
   */
  usdPerRun?: number;
  /**
   * Money in one day (UTC) over all runs and agent ids of this project.
   */
  usdPerDay?: number;
  /**
   * Time that one run may be at work, all its resumptions together.
   */
  time?: string;
  /**
   * GPU-hours of jobs in one run.
   */
  gpuHours?: number;
  /**
   * Calls of agents in one run.
   */
  callsPerRun?: number;
  /**
   * Tokens of agents in one run, in and out together.
   */
  tokensPerRun?: number;
}
export interface ParityCheck {
  /**
   * Arm → the file that sets it up (Python, JSON, YAML, TOML or .env), or a command that prints its values as JSON.
   */
  arms: {
    [k: string]: ParityArm;
  };
  /**
   * What must be equal: names, dotted paths, and groups such as `lora.*`.
   *
   * @minItems 1
   */
  params: string[];
  /**
   * What may differ → the reason, which the report shows.
   */
  except?: {
    [k: string]: string;
  };
  /**
   * The interpreter that loads Python and TOML files; `python3` unless stated.
   */
  python?: string;
}
/**
 * Where jobs run. Which keys belong to which type is checked when the config is read; docs/clusters.md tells of each.
 */
export interface Cluster {
  /**
   * `local`: processes of this machine that outlive the runner. `slurm` and `kubernetes`: by their own programs. `commands`: any other, by templates.
   */
  type: 'local' | 'slurm' | 'kubernetes' | 'commands';
  /**
   * How often the scheduler is asked how jobs stand; 60s unless stated, and 250ms for `local`.
   */
  poll?: string;
  /**
   * How long one question to the scheduler may take; 30s unless stated.
   */
  commandTimeout?: string;
  /**
   * How long a job that the scheduler does not know, or a scheduler that does not answer, is waited for; 30m unless stated.
   */
  patience?: string;
  /**
   * `local`: jobs at once; the number of processors unless stated.
   */
  slots?: number;
  /**
   * `local`: GPUs that jobs share out; none unless stated.
   */
  gpus?: number;
  /**
   * `slurm`: where jobs run unless their stage says otherwise.
   */
  partition?: string;
  /**
   * `slurm`: who pays, likewise.
   */
  account?: string;
  /**
   * `slurm`: the quality of service, likewise.
   */
  qos?: string;
  /**
   * `slurm`: more arguments for sbatch, as they are.
   */
  extra?: string[];
  /**
   * `kubernetes`: the image of jobs unless their stage says otherwise.
   */
  image?: string;
  /**
   * `kubernetes`: the namespace.
   */
  namespace?: string;
  /**
   * `kubernetes`: the context of kubectl.
   */
  context?: string;
  /**
   * `kubernetes`: the project's folder is mounted at the same path, by `volumes` or by the image.
   */
  shared?: boolean;
  /**
   * `kubernetes`: where the project is in the image, when its folder is not shared.
   */
  workdir?: string;
  /**
   * `kubernetes`: claims of volumes, and where they are mounted.
   */
  volumes?: {
    claim: string;
    path: string;
  }[];
  submit?: ToolCommand;
  /**
   * `commands`: a regular expression; its first group in what `submit` printed is the job's id.
   */
  id?: string;
  find?: ToolCommand1;
  state?: ToolCommand2;
  /**
   * `commands`: a regular expression for each state, looked for in what `state` printed. What fits none, or two, is not known.
   */
  states?: {
    waiting?: string;
    running?: string;
    completed?: string;
    failed?: string;
    cancelled?: string;
    'timed-out'?: string;
    deadline?: string;
    'out-of-memory'?: string;
    'node-failed'?: string;
    'not-started'?: string;
    gone?: string;
  };
  logs?: ToolCommand3;
  cancel?: ToolCommand4;
}
/**
 * A command to run when one of these events is recorded. It never fails a run.
 */
export interface Notification {
  /**
   * @minItems 1
   */
  on: (
    | 'run-started'
    | 'task-started'
    | 'task-finished'
    | 'task-failed'
    | 'task-skipped'
    | 'retry-scheduled'
    | 'escalated'
    | 'gate-opened'
    | 'gate-decided'
    | 'revision-requested'
    | 'budget-spent'
    | 'run-finished'
  )[];
  /**
   * Goes through `sh -c`. `{{event.summary}}`, `{{event.type}}`, `{{event.task}}`, `{{event.run}}` and `{{event.outcome}}` are filled in, and the whole event is on its standard input as JSON.
   */
  run: string;
}
/**
 * What is written about a run when it ends.
 */
export interface Report {
  /**
   * A Handlebars file that `execution.md` of each run is made from, instead of the built-in one. It may name all that `execution.json` holds.
   */
  template?: string;
  /**
   * Make `report.html` at the end of each run and print its path as the last line. `autoresearch report` makes it at any time.
   */
  html?: boolean;
}
export interface Price {
  input: number;
  output: number;
}
/**
 * The stages again and again. Each iteration is a run of its own; docs/iterate.md says what counts and when it ends.
 */
export interface Iterate {
  /**
   * The most iterations there can be. The baseline is not one of them.
   */
  max: number;
  /**
   * A CEL expression over `metric`, `best`, `baseline`, `metrics` and `iteration`. The loop ends when it holds after an iteration; when it ends otherwise, it has failed.
   */
  until?: string;
  metric?: IterateMetric;
  /**
   * The least by which the best number has to be beaten. A smaller win is no progress.
   */
  minEffect?: number;
  /**
   * How often the baseline is measured before anything is changed; once with `keep: best`, otherwise not at all, unless stated. The spread of the repeats is the noise floor: a win that is not larger is no progress.
   */
  repeats?: number;
  /**
   * The loop ends after so many iterations in a row without progress.
   */
  patience?: number;
  plateau?: Plateau;
  /**
   * The loop ends, and has failed, after so many failed iterations in a row; 3 unless stated.
   */
  failures?: number;
  /**
   * `best`: what an iteration changed is committed when it made progress, and put back otherwise; git is needed for that. `all`: whatever an iteration changed stays. `all` unless stated.
   */
  keep?: 'best' | 'all';
  files?: Globs1;
  /**
   * A file that says what is wanted: `{{iteration.goal}}`. No agent may change it.
   */
  goal?: string;
  /**
   * A file to which each iteration is added when it has been decided; `insights.md` unless stated.
   */
  insights?: string;
  /**
   * The folder with the table of results and a folder for each iteration, `{{iteration.dir}}`; `iterations` unless stated.
   */
  dir?: string;
  budget?: IterateBudget;
}
/**
 * The number that tells which iteration is better.
 */
export interface IterateMetric {
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  stage: string;
  /**
   * Its name there.
   */
  name: string;
  /**
   * Which of two numbers is better.
   */
  better: 'lower' | 'higher';
}
/**
 * The loop ends when many iterations together have won little.
 */
export interface Plateau {
  /**
   * So many iterations, the newest ones.
   */
  over: number;
  /**
   * The least by which the best number has to have become better in them.
   */
  gain: number;
}
/**
 * Ceilings over all iterations together.
 */
export interface IterateBudget {
  /**
   * Money for all iterations together.
   */
  usd?: number;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  time?: string;
}
/**
 * What stands in for a person in `--autonomous` mode.
 */
export interface Autonomous {
  /**
   * What a human gate becomes: one that a judge decides, or one that always rejects.
   */
  human: 'auto-judge' | 'fail';
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  judge?: string;
  /**
   * `auto-judge` only: what it judges by.
   *
   * @minItems 1
   */
  criteria?: string[];
  /**
   * `auto-judge` only: as in a gate.
   */
  votes?: number;
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
  inputs?: Globs2;
  outputs?: Globs3;
  /**
   * Output path → JSON Schema file that it must satisfy.
   */
  schema?: {
    [k: string]: Path;
  };
  /**
   * A CEL expression over `vars`, `matrix` and `name`, in a loop also `iteration`; when it is false the task is skipped.
   */
  when?: string;
  /**
   * Name → list of values, or a template naming a list variable. The stage becomes one task for each combination; `include` adds some, `exclude` takes some away.
   */
  matrix?: {
    /**
     * Further combinations, each with a value for every name.
     *
     * @minItems 1
     */
    include?: Combination[];
    /**
     * Combinations to leave out: all that have these values.
     *
     * @minItems 1
     */
    exclude?: Combination[];
    [k: string]: Scalar[] | string | Combination[] | undefined;
  };
  /**
   * How many tasks of a stage with a matrix or a task file may be at work at once; `--jobs` limits all of them together.
   */
  parallel?: number;
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  agent?: string;
  /**
   * Where the work happens: in the checkout, or in a git worktree of its own.
   */
  isolation?: 'none' | 'worktree';
  scope?: Globs4;
  protect?: Globs5;
  /**
   * Pairs of paths that must stay identical.
   */
  mirror?: Path[][];
  /**
   * External repositories to hold while the stage runs.
   */
  locks?: Path[];
  retry?: Retry;
  budget?: StageBudget;
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
  passEnv?: VariableGlobs3;
  /**
   * The folder the stage works in, relative to the config file.
   */
  cwd?: string;
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  on?: string;
  resources?: Resources;
  /**
   * `false`: run every time, also when nothing changed.
   */
  cache?: boolean;
  /**
   * Template of the commit message.
   */
  commit?: string;
}
export interface Combination {
  [k: string]: Scalar;
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
   * What mends the cause between two attempts: the name of an agent, or a command.
   */
  fix?: string | FixCommand;
  /**
   * Tries of a task in all, whatever their classes; five times `attempts` unless stated.
   */
  total?: number;
  /**
   * Your own classes of errors: a name, and a regular expression that is looked for in what a failed attempt wrote. They are tried before ours, in the order of their names.
   */
  classes?: {
    [k: string]: string;
  };
}
/**
 * A command that runs between two attempts. `AUTORESEARCH_ERROR`, `AUTORESEARCH_ERROR_CLASS`, `AUTORESEARCH_STDOUT` and `AUTORESEARCH_STDERR` tell it what went wrong and where the logs are.
 */
export interface FixCommand {
  run: string;
}
/**
 * Ceilings for all tasks of one stage in one run.
 */
export interface StageBudget {
  usd?: number;
  calls?: number;
  tokens?: number;
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
  evidence?: Globs6;
  revise?: Revise;
  exhausted?: Exhausted;
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
   * What must all hold: expressions over `metrics`, `outputs`, `tests`, `params`, `vars` and `matrix`, commands, files.
   *
   * @minItems 1
   */
  checks: (Expression | GateCheck)[];
  evidence?: Globs7;
  revise?: Revise;
  exhausted?: Exhausted;
}
/**
 * A command that has to exit with 0, or a file that has to be there and not be empty.
 */
export interface GateCheck {
  /**
   * Goes through `sh -c` in the folder of the stage.
   */
  command?: string;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  timeout?: string;
  /**
   * A file that has to be there and not be empty.
   */
  file?: string;
  /**
   * The JSON Schema that the file has to satisfy.
   */
  schema?: string;
}
export interface JudgeGate {
  kind: 'auto-judge';
  /**
   * A letter, then letters, digits, `-` or `_`; at most 64 characters.
   */
  agent: string;
  /**
   * What the work is judged by.
   *
   * @minItems 1
   */
  criteria: string[];
  evidence?: Globs8;
  /**
   * How often the judge is asked, each time afresh; more than half must pass. 1 unless stated.
   */
  votes?: number;
  /**
   * The score that a vote to pass needs at least; a vote without a score then does not count.
   */
  threshold?: number;
  calibrate?: Calibrate;
  revise?: Revise;
  exhausted?: Exhausted;
}
/**
 * Samples that the judge has to sort right before it may judge. Each path or glob is one sample.
 */
export interface Calibrate {
  /**
   * Samples that have to pass.
   *
   * @minItems 1
   */
  good: Path[];
  /**
   * Samples that must not pass.
   *
   * @minItems 1
   */
  bad: Path[];
}
/**
 * Environment variables of the stage.
 */
export interface Env {
  [k: string]: string;
}
/**
 * What the jobs of a stage ask for.
 */
export interface Resources {
  partition?: string;
  account?: string;
  qos?: string;
  gpus?: number;
  cpus?: number;
  /**
   * A whole number and a unit: `16G`.
   */
  memory?: string;
  /**
   * A whole number and a unit: `500ms`, `30s`, `5m`, `2h` or `1d`.
   */
  time?: string;
  image?: string;
  extra?: string[];
}
