import { openWorkspace } from '../../adapters/behaviours/project-workspace.js';
import { renderText } from '../../adapters/behaviours/render-text.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Task } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';
import { renderPrompt } from '../../run/agents/render-prompt.js';
import type { Project } from './open-project.js';
import { readMustHaves } from './read-must-haves.js';

/** Prompts of the user's own that cannot be made. A name that is misspelt in one should not be found out in the night. */
export async function promptProblems({ plan, behaviours, resolved }: Project, files: Files): Promise<Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const workspace = openWorkspace(resolved.root);
  const tools = {
    files,
    workspace,
    vars: resolved.config.vars ?? {},
    render: renderText,
    readMustHaves,
  };
  for (const [stage, task] of firstOfEach(plan.tasks.filter(isOwnPrompt))) {
    // One that another stage is still to make is looked at when it is there.
    if (files.expand([String(task.options.template)]).length === 0) continue;
    try {
      await renderPrompt(task, behaviours.get(task.uses)!.behaviour, tools);
    } catch (error) {
      problems.push({
        code: 'AR328',
        message: `the prompt cannot be made: ${(error as Error).message}`,
        at: { kind: 'config', pointer: pointerOf('stages', stage, 'with', 'template') },
        hint: `Correct the file; autoresearch render ${stage} shows the prompt`,
      });
    }
  }
  return problems;
}

const isOwnPrompt = ({ description, options, skip }: Task): boolean =>
  description.asks !== undefined && typeof options.template === 'string' && skip === undefined;

/** The tasks of a matrix share their template. */
const firstOfEach = (tasks: readonly Task[]): ReadonlyMap<string, Task> =>
  new Map([...tasks].reverse().map((task) => [task.stage, task]));
