import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import type { Templates } from '../../source/template/template.js';
import type { Problems } from '../problems.js';

/** What a notification may speak of. The run fills in the values. */
const sample = { type: 'run-finished', summary: 'words', task: 'task', run: '1-abcd', outcome: 'passed', time: 'now' };

/** A notification whose template is wrong would only be noticed in the night that it was meant for. */
export function checkNotify({ notify = [], vars = {}, name }: Config, templates: Templates, problems: Problems): void {
  for (const [index, { run }] of notify.entries()) {
    const rendered = templates.render(run, { event: sample, vars, name }, { mode: 'shell' });
    if (rendered.ok) continue;
    for (const problem of rendered.error) problems.inText(pointerOf('notify', index, 'run'), problem);
  }
}
