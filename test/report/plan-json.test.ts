import { expect, test } from 'vitest';
import { planJson } from '../../src/report/plan/plan-json.js';
import { golden } from './golden.js';
import { study } from './sample-plan.js';

test('the shape that the contract lays down', async () => {
  const { plan, decisions } = study();
  await golden('plan.json', `${JSON.stringify(planJson(plan, decisions), null, 2)}\n`);
});

test('every field of the contract is there for every task', () => {
  const { plan, decisions } = study();
  const json = planJson(plan, decisions);
  expect(Object.keys(json)).toEqual([
    'version',
    'name',
    'digest',
    'waves',
    'tasks',
    'worstCase',
    'escalate',
    'iterate',
  ]);
  for (const task of json.tasks) {
    expect(Object.keys(task).slice(0, 8)).toEqual([
      'id',
      'stage',
      'uses',
      'needs',
      'action',
      'reasons',
      'gate',
      'outputs',
    ]);
    expect(Object.values(task)).not.toContain(undefined);
  }
});

test('twice the same bytes', () => {
  const text = (): string => {
    const { plan, decisions } = study();
    return JSON.stringify(planJson(plan, decisions));
  };
  expect(text()).toBe(text());
});
