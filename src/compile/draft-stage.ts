import { parseDuration } from '../model/duration.js';
import type { Retry, Stage } from '../model/generated/config.js';
import type { JsonObject } from '../model/json.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';
import type { Description } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Templates } from '../source/template.js';
import type { CompileInput } from './compile-input.js';
import type { Draft } from './draft.js';
import { type Combination, expandMatrix } from './expand-matrix.js';
import { PathRules } from './path-rules.js';
import type { Problems } from './problems.js';
import { hasTemplates, type Names, TemplateFields } from './template-fields.js';
import type { WhenRules } from './when-rules.js';

export interface DraftTools {
  readonly input: CompileInput;
  readonly templates: Templates;
  readonly problems: Problems;
  readonly when: WhenRules;
}

/** All tasks of one stage, with templates filled in and options checked. */
export async function draftStage(name: string, stage: Stage, tools: DraftTools): Promise<Draft[]> {
  const loaded = tools.input.behaviours.get(stage.uses);
  const names = namesFor(name, tools.input);
  const fields = new TemplateFields(tools.templates, tools.problems, { ...names, matrix: {} });
  const drafts: Draft[] = [];
  const options = new StageOptions(name, stage, loaded);
  for (const combination of expandMatrix(name, stage, { fields, problems: tools.problems })) {
    const own = { ...names, matrix: combination.matrix ?? {}, task: { id: combination.id } };
    drafts.push(await draftTask({ name, stage, combination, names: own, options, ...(loaded ? { loaded } : {}) }, tools));
  }
  return drafts;
}

const namesFor = (stage: string, { config, agentId }: CompileInput): Names => ({
  vars: config.vars ?? {},
  stage: { name: stage },
  name: config.name,
  agentId,
});

interface TaskParts {
  readonly name: string;
  readonly stage: Stage;
  readonly combination: Combination;
  readonly names: Names;
  readonly options: StageOptions;
  readonly loaded?: LoadedBehaviour;
}

async function draftTask(parts: TaskParts, tools: DraftTools): Promise<Draft> {
  const { name, stage, combination, loaded } = parts;
  const fields = new TemplateFields(tools.templates, tools.problems, parts.names);
  const paths = new PathRules(tools.problems);
  const at = ['stages', name] as const;
  const list = (key: 'inputs' | 'outputs', rule: 'inside' | 'anywhere'): string[] =>
    fields.texts(stage[key] ?? [], [...at, key]).map((path, index) => paths[rule](path, [...at, key, index]));
  const inputs = list('inputs', 'anywhere');
  const outputs = list('outputs', 'inside');
  const options = await parts.options.fill(fields, tools.problems);
  const facts = { task: combination.id, stage: name, inputs, outputs, matrix: combination.matrix ?? {}, vars: tools.input.config.vars ?? {} };
  const description: Description = loaded && options.fit ? loaded.behaviour.describe(options.value, facts) : { summary: '' };
  const skip = tools.when.skip(name, { vars: facts.vars, matrix: facts.matrix, name: tools.input.config.name });
  return {
    id: combination.id,
    stage: name,
    uses: stage.uses,
    behaviour: loaded?.digest ?? '',
    ...(combination.matrix ? { matrix: combination.matrix } : {}),
    options: options.value,
    inputs,
    outputs,
    schema: schemaOf(stage, { fields, paths, at, outputs, problems: tools.problems }),
    env: Object.fromEntries(Object.entries(stage.env ?? {}).map(([key, value]) => [key, fields.text(value, [...at, 'env', key])])),
    cwd: stage.cwd === undefined ? '.' : paths.inside(fields.text(stage.cwd, [...at, 'cwd']), [...at, 'cwd']),
    ...durations(stage, fields, { at, problems: tools.problems }),
    retry: retryOf(stage, fields, { at, problems: tools.problems }),
    ...(stage.gate === undefined ? {} : { gate: stage.gate }),
    cache: stage.cache ?? true,
    description,
    ...(skip ? { skip } : {}),
    ...(fields.raw.length > 0 ? { rawShell: fields.raw } : {}),
    config: stage,
    reads: [...inputs, ...(description.reads ?? []).map((path) => paths.anywhere(path, [...at, 'with']))],
    writes: [...new Set([...outputs, ...(description.writes ?? []).map((path) => paths.inside(path, [...at, 'with']))])],
  };
}

/** The options of a stage. Where they hold no template all tasks share one object, and it is checked once. */
class StageOptions {
  readonly #name: string;
  readonly #written: JsonObject;
  readonly #loaded: LoadedBehaviour | undefined;
  readonly #varies: boolean;
  #shared: Promise<boolean> | undefined;

  constructor(name: string, stage: Stage, loaded: LoadedBehaviour | undefined) {
    this.#name = name;
    this.#written = (stage.with ?? {}) as JsonObject;
    this.#loaded = loaded;
    this.#varies = hasTemplates(this.#written);
  }

  async fill(fields: TemplateFields, problems: Problems): Promise<{ readonly value: JsonObject; readonly fit: boolean }> {
    if (!this.#varies) {
      this.#shared ??= this.#check(this.#written, problems);
      return { value: this.#written, fit: await this.#shared };
    }
    const value = fields.options(this.#written, ['stages', this.#name, 'with'], this.#loaded?.behaviour.options ?? {});
    return { value, fit: await this.#check(value, problems) };
  }

  async #check(value: JsonObject, problems: Problems): Promise<boolean> {
    const found = this.#loaded?.validate(value) ?? [];
    const issues = found instanceof Promise ? await found : found;
    for (const { pointer, key, ...issue } of issues) {
      problems.add({ ...issue, at: { kind: 'config', pointer: pointerOf('stages', this.#name, 'with') + pointer, ...(key ? { key } : {}) } });
    }
    return issues.length === 0;
  }
}

interface FieldTools {
  readonly at: readonly string[];
  readonly problems: Problems;
}

interface SchemaTools extends FieldTools {
  readonly fields: TemplateFields;
  readonly paths: PathRules;
  readonly outputs: readonly string[];
}

function schemaOf(stage: Stage, { fields, paths, at, outputs, problems }: SchemaTools): Record<string, string> {
  const schemas: Record<string, string> = {};
  for (const [output, file] of Object.entries(stage.schema ?? {})) {
    const place = [...at, 'schema', output];
    const path = paths.inside(fields.text(output, place), place);
    schemas[path] = paths.inside(fields.text(file, place), place);
    if (outputs.includes(path)) continue;
    problems.add({
      code: 'AR506',
      message: `${path} has a schema but is not an output of this stage`,
      at: { kind: 'config', pointer: pointerOf(...place), key: true },
      hint: outputs.length > 0 ? `Its outputs are ${outputs.join(', ')}` : `Add it to "outputs"`,
    });
  }
  return schemas;
}

function durations(stage: Stage, fields: TemplateFields, tools: FieldTools): { timeoutMs?: number; idleMs?: number } {
  const timeoutMs = durationOf(stage.timeout, fields, { ...tools, at: [...tools.at, 'timeout'] });
  const idleMs = durationOf(stage.idle, fields, { ...tools, at: [...tools.at, 'idle'] });
  return { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(idleMs === undefined ? {} : { idleMs }) };
}

function durationOf(written: string | undefined, fields: TemplateFields, { at, problems }: FieldTools): number | undefined {
  if (written === undefined) return undefined;
  const text = fields.text(written, at);
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  if (text === written && hasTemplates(written)) return undefined;
  problems.add({
    code: 'AR206',
    message: ms === 0 ? 'a limit of no time at all would end every attempt' : `${at.at(-1)} must be a duration, but is "${text}"`,
    at: { kind: 'config', pointer: pointerOf(...at) },
    hint: 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d',
  });
  return undefined;
}

function retryOf(stage: Stage, fields: TemplateFields, tools: FieldTools): Retry {
  if (stage.retry?.backoff === undefined) return stage.retry ?? { attempts: 1 };
  const at = [...tools.at, 'retry', 'backoff'];
  const backoff = fields.text(stage.retry.backoff, at);
  if (parseDuration(backoff) === undefined) durationOf(stage.retry.backoff, fields, { ...tools, at });
  return { ...stage.retry, backoff };
}
