import type { Stage } from '../../model/generated/config.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import type { Description } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { StageFacts } from '../../model/stage.js';
import type { Templates } from '../../source/template/template.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { CompileInput } from '../compile-input.js';
import { type Combination, expandMatrix } from '../expand/expand-matrix.js';
import type { Expanded } from '../expand/expand-tasks.js';
import { axesOf } from '../expand/matrix-changes.js';
import { iterationIn } from '../iterate/iteration-names.js';
import type { Problems } from '../problems.js';
import { normalPath, type PathRules } from '../rules/path-rules.js';
import type { WhenRules } from '../rules/when-rules.js';
import { describeTask } from './describe-task.js';
import type { Draft } from './draft.js';
import type { draftGate as DraftGate } from './draft-gate.js';
import { gateInto } from './gate-into.js';
import { StageLimits } from './stage-limits.js';
import { StageOptions, sortedKeys } from './stage-options.js';
import { schemaOf } from './stage-schema.js';
import { taskAgent } from './task-agent.js';
import { taskCluster } from './task-cluster.js';
import { TemplateFields } from './template-fields.js';

export interface DraftTools {
  readonly input: CompileInput;
  readonly templates: Templates;
  readonly problems: Problems;
  readonly when: WhenRules;
  readonly paths: PathRules;
  /** By stage: what its task files make of it. */
  readonly expansions: ReadonlyMap<string, readonly Expanded[]>;
  /** Loaded for a config with gates. */
  readonly draftGate?: typeof DraftGate | undefined;
}

/** All tasks of one stage, with templates filled in and options checked. */
export function draftStage(name: string, stage: Stage, tools: DraftTools): Draft[] {
  const { config, agentId, behaviours } = tools.input;
  const loaded = behaviours.get(stage.uses);
  const options = new StageOptions(name, stage, { loaded, problems: tools.problems });
  const fieldsFor = (id: string, matrix: Combination['matrix'], problems = tools.problems): TemplateFields =>
    new TemplateFields(tools.templates, problems, () => ({
      vars: config.vars ?? none,
      matrix: matrix ?? {},
      task: { id },
      stage: { name },
      name: config.name,
      agentId,
      ...iterationIn(tools.input),
    }));
  const expanded = tools.expansions.get(name);
  if (expanded)
    return expanded.map((one) => {
      const combination = { id: one.id };
      const fields = fieldsFor(one.id, undefined);
      const parts = { name, stage: one.stage, combination, options, loaded, fields, own: one };
      const isInner = one.part.kind !== 'whole';
      return { ...draftTask(parts, tools), ...(one.after ? { after: one.after } : {}), isInner };
    });
  if (stage.parallel !== undefined && !stage.matrix && stage.uses !== 'tasks')
    tools.problems.add({
      code: 'AR368',
      message: 'parallel has no effect: the stage is one task',
      at: { kind: 'config', pointer: pointerOf('stages', name, 'parallel'), key: true },
    });
  const combinations = stage.matrix
    ? expandMatrix(name, stage.matrix, { fields: fieldsFor('', undefined), problems: tools.problems })
    : [{ id: name }];
  if (stage.matrix && combinations.length === 0) {
    // Its values are wrong, and told; what is wrong whatever they are is told with them, not after they have been mended.
    const { when: _when, gate: _gate, ...rest } = stage;
    const matrix = Object.fromEntries(Object.keys(axesOf(stage.matrix)).map((axis) => [axis, axis]));
    const problems = tools.problems.only(wrongAnyway);
    const parts = { name, stage: rest, combination: { id: name, matrix }, loaded };
    const own = {
      options: new StageOptions(name, stage, { loaded, problems }),
      fields: fieldsFor(name, matrix, problems),
    };
    draftTask({ ...parts, ...own }, { ...tools, problems });
    return [];
  }
  const patterns = outputPatterns(stage, combinations[0], { fieldsFor, at: ['stages', name, 'outputs'] });
  return combinations.map((combination) => {
    const fields = fieldsFor(combination.id, combination.matrix);
    const draft = draftTask({ name, stage, combination, options, loaded, fields }, tools);
    if (patterns) draft.task.outputPatterns = patterns;
    return draft;
  });
}

/** Keys and names, which are what they are whatever a matrix holds. */
const wrongAnyway: ReadonlySet<string> = new Set(['AR201', 'AR202', 'AR205', 'AR401', 'AR402']);

/** Undefined for a stage without a matrix, or whose outputs do not depend on it. */
function outputPatterns(
  { outputs }: Stage,
  first: Combination | undefined,
  {
    fieldsFor,
    at,
  }: { fieldsFor(id: string, matrix: Combination['matrix']): TemplateFields; readonly at: readonly string[] },
): readonly string[] | undefined {
  if (!first?.matrix || !outputs?.some((output) => output.includes('matrix.'))) return undefined;
  const open = Object.fromEntries(Object.keys(first.matrix).map((axis) => [axis, '*']));
  return fieldsFor(first.id, open).texts(outputs, at).map(normalPath);
}

interface TaskParts {
  readonly name: string;
  readonly stage: Stage;
  readonly combination: Combination;
  readonly fields: TemplateFields;
  readonly options: StageOptions;
  readonly loaded: LoadedBehaviour | undefined;
  /** What differs from the stage in a task of a task file. */
  readonly own?: Expanded;
}

const nothing: readonly never[] = [];
const none = {};

function draftTask({ name, stage, combination, fields, options, loaded, own }: TaskParts, tools: DraftTools): Draft {
  const { config } = tools.input;
  const { problems } = tools;
  const { paths } = tools;
  const at = ['stages', name];
  const list = (key: 'inputs' | 'outputs', rule: 'inside' | 'anywhere'): readonly string[] =>
    stage[key] === undefined
      ? nothing
      : fields.texts(stage[key], [...at, key]).map((path, index) => paths[rule](path, [...at, key, index]));
  const inputs = own?.inputs ?? list('inputs', 'anywhere');
  const outputs = own?.outputs ?? list('outputs', 'inside');
  const scope =
    own?.scope ??
    (stage.scope
      ? fields.texts(stage.scope, [...at, 'scope']).map((path, index) => paths.inside(path, [...at, 'scope', index]))
      : undefined);
  const filled = options.fill(fields);
  const matrix = combination.matrix ?? none;
  const facts = {
    task: combination.id,
    stage: name,
    inputs,
    outputs,
    matrix,
    vars: config.vars ?? none,
    ...(scope ? { scope } : {}),
    ...(own ? { part: own.part } : {}),
    ...whoWorks(stage),
  };
  const description: Description =
    loaded && filled.fit ? describeTask(loaded, filled.value, { facts, problems }) : { summary: '' };
  const limits = new StageLimits(fields, problems, at);
  // Assigned one by one, not spread: a plan may have a hundred thousand tasks. The order of keys is part of the digest.
  const task: Draft['task'] = {
    id: combination.id,
    stage: name,
    uses: stage.uses,
    behaviour: loaded?.digest ?? '',
    options: filled.value,
    needs: nothing,
    inferred: nothing,
    inputs,
    outputs,
    schema: stage.schema === undefined ? none : schemaOf(stage, { fields, paths, at, outputs, problems }),
    env: stage.env === undefined ? none : envOf(stage.env, fields, [...at, 'env']),
    cwd: stage.cwd === undefined ? '.' : paths.inside(fields.text(stage.cwd, [...at, 'cwd']), [...at, 'cwd']),
    retry: limits.retry(stage),
    cache: stage.cache ?? !description.always,
    description,
  };
  if (combination.matrix) task.matrix = combination.matrix;
  if (own) task.part = own.part;
  const passEnv = passedTo(stage, config);
  if (passEnv) task.passEnv = passEnv;
  if (stage.gate !== undefined) gateInto(task, stage.gate, { ...tools, fields });
  const agent = stage.agent === undefined ? undefined : config.agents?.[stage.agent];
  if (agent)
    task.agent = taskAgent(stage.agent!, agent, {
      auto: tools.input.autoAgents?.has(stage.agent!),
      replayed: tools.input.replay,
    });
  if (stage.on !== undefined || stage.resources || description.jobs) {
    const on = taskCluster(name, description, { config, fields, problems });
    if (on) task.on = on;
  }
  if (stage.parallel !== undefined) task.parallel = stage.parallel;
  if (scope) task.scope = scope;
  if (stage.protect) task.protect = stage.protect;
  if (stage.isolation === 'worktree') task.isolation = 'worktree';
  if (stage.commit !== undefined) task.commit = stage.commit;
  if (stage.locks) task.locks = stage.locks;
  if (stage.mirror) task.mirror = stage.mirror as [string, string][];
  const timeoutMs = stage.timeout === undefined ? undefined : limits.duration(stage.timeout, 'timeout');
  if (timeoutMs !== undefined) task.timeoutMs = timeoutMs;
  const idleMs = stage.idle === undefined ? undefined : limits.duration(stage.idle, 'idle');
  if (idleMs !== undefined) task.idleMs = idleMs;
  const skip =
    stage.when === undefined
      ? undefined
      : tools.when.skip(name, { vars: facts.vars, matrix, name: config.name, ...iterationIn(tools.input) });
  if (skip) task.skip = skip;
  if (fields.raw.length > 0) task.rawShell = fields.raw;
  const { writes } = description;
  const reads =
    description.looksAt === undefined ? description.reads : [...(description.reads ?? []), ...description.looksAt];
  return {
    task,
    config: stage,
    reads: filledIn(
      reads === undefined
        ? inputs
        : [...new Set([...inputs, ...reads.map((path) => paths.anywhere(path, [...at, 'with']))])],
    ),
    writes: filledIn(
      writes === undefined
        ? outputs
        : [...new Set([...outputs, ...writes.map((path) => paths.inside(path, [...at, 'with']))])],
    ),
  };
}

/** A path that could not be filled in has been complained about; that two tasks share it is no news. */
const filledIn = (paths: readonly string[]): readonly string[] =>
  paths.some(hasTemplate) ? paths.filter((path) => !hasTemplate(path)) : paths;

const whoWorks = ({ agent, retry }: Stage): Pick<StageFacts, 'agent' | 'fixer'> => ({
  ...(agent === undefined ? {} : { agent }),
  ...(retry?.fix === undefined ? {} : { fixer: typeof retry.fix === 'string' ? retry.fix : retry.fix.run }),
});

/** Sorted, so that another order in the config is no change. */
function passedTo(stage: Stage, config: Pick<Stage, 'passEnv'>): readonly string[] | undefined {
  if (stage.passEnv === undefined && config.passEnv === undefined) return undefined;
  const all = new Set([...(config.passEnv ?? nothing), ...(stage.passEnv ?? nothing)]);
  return all.size > 0 ? [...all].sort() : undefined;
}

function envOf(
  env: Readonly<Record<string, string>>,
  fields: TemplateFields,
  at: readonly string[],
): Record<string, string> {
  return sortedKeys(
    Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fields.text(value, [...at, key])])),
  );
}
