import { expect, test } from 'vitest';
import type { Task } from '../../src/model/plan.js';
import { commitMessage } from '../../src/run/attempt/commit-message.js';
import { loadTemplates } from '../../src/source/template/template.js';
import { planOf } from '../support/run-rig.js';

const words = async (commit: string, more: object, facts: object = {}): Promise<string> => {
  const templates = await loadTemplates();
  const task = { ...planOf([{ id: 'exec:01-02' }]).tasks[0]!, stage: 'exec', commit, ...more } as Task;
  const known = { run: '1-abcd', name: 'study', attempt: 1, branch: 'auto/x', vars: {}, summary: ' did it \n' };
  const render = async (template: string, data: object): Promise<string> => {
    const text = templates.renderText(template, data as never);
    if (!text.ok) throw new Error(JSON.stringify(text.error));
    return text.value;
  };
  return commitMessage(task, { ...known, ...facts }, { render } as Parameters<typeof commitMessage>[2]);
};

const template = 'feat(auto-{{agentId}}-iter-{{iteration.number}}-{{task.item}}): {{summary}}';
const item = { part: { kind: 'item', isolated: true, item: { id: '01-02' } } };

test('bears agent id, iteration and plan; the first iteration where there is no loop', async () => {
  expect(await words(template, item)).toBe('feat(auto-default-iter-1-01-02): did it');
  const third = { agentId: 'b', iteration: { number: 3, of: 9 } };
  expect(await words(template, item, third)).toBe('feat(auto-b-iter-3-01-02): did it');
});

test('a task that stands in no file has no name there', async () => {
  expect(await words('{{task.id}}/{{task.item}}', {})).toBe('exec:01-02/');
});
