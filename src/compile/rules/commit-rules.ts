import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import type { Templates } from '../../source/template/template.js';
import { axesOf } from '../expand/matrix-changes.js';
import type { Problems } from '../problems.js';

/** What the message of a commit may speak of. The run fills in the values. */
const sample = {
  name: 'study',
  agentId: 'default',
  run: '1-abcd',
  attempt: 1,
  agent: 'coder',
  branch: 'auto/x',
  summary: 'words',
};

/** A message that cannot be made would only be noticed when the work is done. */
export function checkCommits(config: Config, templates: Templates, problems: Problems): void {
  const { vars = {}, iterate } = config;
  for (const [name, { commit, matrix = {}, outputs, isolation }] of stageList(config)) {
    if (commit === undefined) continue;
    const values = Object.fromEntries(Object.keys(axesOf(matrix)).map((axis) => [axis, 'value']));
    const iteration = { number: 1, max: iterate?.max ?? 1 };
    const names = { ...sample, iteration, vars, matrix: values, task: { id: name, item: 'item' }, stage: { name } };
    const rendered = templates.render(commit, names, { mode: 'plain' });
    const at = pointerOf('stages', name, 'commit');
    if (!rendered.ok) for (const problem of rendered.error) problems.inText(at, problem);
    if (isolation === 'worktree' || (outputs?.length ?? 0) > 0) continue;
    problems.add({
      code: 'AR510',
      message: `${name} has a message for a commit and nothing to commit`,
      at: { kind: 'config', pointer: at, key: true },
      hint: 'Add outputs, which are what is committed, or isolation: worktree',
    });
  }
}
