import type { Config } from '../../model/generated/config.js';
import { stageList } from '../../model/stage-list.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { Templates } from '../../source/template/template.js';
import type { CompileInput } from '../compile-input.js';
import { iterationIn } from '../iterate/iteration-names.js';
import type { Problems } from '../problems.js';
import type { PathRules } from '../rules/path-rules.js';
import { StageOptions } from '../task/stage-options.js';
import { TemplateFields } from '../task/template-fields.js';
import { type Expanded, expandTasks } from './expand-tasks.js';

interface Tools {
  readonly templates: Templates;
  readonly problems: Problems;
  readonly paths: PathRules;
}

/** Asks for the task files of each stage whose behaviour goes by some. */
export async function expandStages(
  input: CompileInput,
  { templates, problems, paths }: Tools,
): Promise<ReadonlyMap<string, readonly Expanded[]>> {
  const { config, behaviours, agentId, taskFiles } = input;
  const found = new Map<string, readonly Expanded[]>();
  for (const [name, stage] of stageList(config)) {
    const loaded = behaviours.get(stage.uses);
    if (!loaded?.behaviour.expands || !taskFiles) continue;
    const names = () => ({ ...namesOf(config), task: { id: name }, stage: { name }, agentId, ...iterationIn(input) });
    const fields = new TemplateFields(templates, problems, names);
    const { value, fit } = new StageOptions(name, stage, { loaded, problems }).fill(fields);
    // What does not fit has been complained about; the stage is then drafted as one task.
    if (!fit) continue;
    const source = loaded.behaviour.expands(value);
    const from = source.from.map((path) => paths.inside(path, ['stages', name, 'with', 'from']));
    const read = await taskFiles({ ...source, from });
    const match = await loadGlobMatch();
    const isMade = stageList(config).some(
      ([other, { outputs = [] }]) =>
        other !== name && outputs.some((output) => from.some((file) => match(output, file))),
    );
    // What another stage makes may be made better; whether it can be carried out is seen then.
    const files = read.kind === 'wrong' && isMade && name !== input.settled ? ({ kind: 'missing' } as const) : read;
    const at = ['stages', name, 'scope'];
    const scope = stage.scope && fields.texts(stage.scope, at).map((path, index) => paths.inside(path, [...at, index]));
    found.set(
      name,
      expandTasks(
        name,
        { ...stage, ...(scope ? { scope } : {}) },
        { from, files, problems, match, nobodyAsked: input.nobodyAsked ?? false },
      ),
    );
  }
  return found;
}

const namesOf = ({ name, vars = {} }: Config) => ({ name, vars, matrix: {} });
