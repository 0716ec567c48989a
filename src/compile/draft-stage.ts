import type { Stage } from '../model/generated/config.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';
import type { Description } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Templates } from '../source/template.js';
import { hasTemplate } from '../source/template-node.js';
import type { CompileInput } from './compile-input.js';
import { describeTask } from './describe-task.js';
import type { Draft } from './draft.js';
import { type Combination, expandMatrix } from './expand-matrix.js';
import { normalPath, type PathRules } from './path-rules.js';
import type { Problems } from './problems.js';
import { StageLimits } from './stage-limits.js';
import { StageOptions, sortedKeys } from './stage-options.js';
import { TemplateFields } from './template-fields.js';
import type { WhenRules } from './when-rules.js';

export interface DraftTools {
  readonly input: CompileInput;
  readonly templates: Templates;
  readonly problems: Problems;
  readonly when: WhenRules;
  readonly paths: PathRules;
}

/** All tasks of one stage, with templates filled in and options checked. */
export function draftStage(name: string, stage: Stage, tools: DraftTools): Draft[] {
  const { config, agentId, behaviours } = tools.input;
  const loaded = behaviours.get(stage.uses);
  const options = new StageOptions(name, stage, { loaded, problems: tools.problems });
  const fieldsFor = (id: string, matrix: Combination['matrix']): TemplateFields =>
    new TemplateFields(tools.templates, tools.problems, () => ({
      vars: config.vars ?? none,
      matrix: matrix ?? {},
      task: { id },
      stage: { name },
      name: config.name,
      agentId,
    }));
  const combinations = expandMatrix(name, stage, { fields: fieldsFor('', undefined), problems: tools.problems });
  const patterns = outputPatterns(stage, combinations[0], { fieldsFor, at: ['stages', name, 'outputs'] });
  return combinations.map((combination) => {
    const fields = fieldsFor(combination.id, combination.matrix);
    const draft = draftTask({ name, stage, combination, options, loaded, fields }, tools);
    if (patterns) draft.task.outputPatterns = patterns;
    return draft;
  });
}

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
}

const nothing: readonly never[] = [];
const none = {};

function draftTask({ name, stage, combination, fields, options, loaded }: TaskParts, tools: DraftTools): Draft {
  const { config } = tools.input;
  const { problems } = tools;
  const { paths } = tools;
  const at = ['stages', name];
  const list = (key: 'inputs' | 'outputs', rule: 'inside' | 'anywhere'): readonly string[] =>
    stage[key] === undefined
      ? nothing
      : fields.texts(stage[key], [...at, key]).map((path, index) => paths[rule](path, [...at, key, index]));
  const inputs = list('inputs', 'anywhere');
  const outputs = list('outputs', 'inside');
  const filled = options.fill(fields);
  const matrix = combination.matrix ?? none;
  const facts = { task: combination.id, stage: name, inputs, outputs, matrix, vars: config.vars ?? none };
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
    cache: stage.cache ?? true,
    description,
  };
  if (combination.matrix) task.matrix = combination.matrix;
  if (stage.gate !== undefined) task.gate = sortedKeys(stage.gate);
  const timeoutMs = stage.timeout === undefined ? undefined : limits.duration(stage.timeout, 'timeout');
  if (timeoutMs !== undefined) task.timeoutMs = timeoutMs;
  const idleMs = stage.idle === undefined ? undefined : limits.duration(stage.idle, 'idle');
  if (idleMs !== undefined) task.idleMs = idleMs;
  const skip =
    stage.when === undefined ? undefined : tools.when.skip(name, { vars: facts.vars, matrix, name: config.name });
  if (skip) task.skip = skip;
  if (fields.raw.length > 0) task.rawShell = fields.raw;
  const { reads, writes } = description;
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

function envOf(
  env: Readonly<Record<string, string>>,
  fields: TemplateFields,
  at: readonly string[],
): Record<string, string> {
  return sortedKeys(
    Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fields.text(value, [...at, key])])),
  );
}

interface SchemaTools {
  readonly fields: TemplateFields;
  readonly paths: PathRules;
  readonly at: readonly string[];
  readonly outputs: readonly string[];
  readonly problems: Problems;
}

function schemaOf(stage: Stage, { fields, paths, at, outputs, problems }: SchemaTools): Record<string, string> {
  const schemas = new Map<string, string>();
  for (const [output, file] of Object.entries(stage.schema ?? {})) {
    const place = [...at, 'schema', output];
    const path = paths.inside(fields.text(output, place), place);
    const here = { kind: 'config', pointer: pointerOf(...place), key: true } as const;
    if (schemas.has(path))
      problems.add({ code: 'AR108', message: `${path} has two schemas`, at: here, hint: 'Keep one of the two' });
    schemas.set(path, paths.inside(fields.text(file, place), place));
    if (outputs.includes(path) || hasTemplate(path)) continue;
    problems.add({
      code: 'AR506',
      message: `${path} has a schema but is not an output of this stage`,
      at: here,
      hint: outputs.length > 0 ? `Its outputs are ${outputs.join(', ')}` : 'Add it to "outputs"',
    });
  }
  return sortedKeys(Object.fromEntries(schemas));
}
