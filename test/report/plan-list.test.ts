import { expect, test } from 'vitest';
import { planList } from '../../src/report/plan/plan-list.js';
import { decideAll, samplePlan, sampleTask, study } from './sample-plan.js';

test('every task that would run, in order, a line for each command', () => {
  const { plan, decisions } = study();
  expect([...planList(plan, decisions)].slice(-3)).toEqual([
    'train:arm=schedule,seed=5  node scripts/train.mjs --arm schedule --seed 5 --epochs 40 --lr 0.0003 --batch 32 --out results/schedule-5.json',
    'summarise  fill in templates/summary.hbs',
    'verdict  node scripts/verdict.mjs --strict --alpha 0.05',
  ]);
  expect([...planList(plan, decisions)]).toHaveLength(9);
});

test('several commands are several lines, a command of several lines is one', () => {
  const plan = samplePlan([[sampleTask('a', { description: { summary: 's', commands: ['one', 'two\nthree\n'] } })]]);
  expect([...planList(plan, decideAll(plan))]).toEqual(['a  one', 'a  two \\n three']);
});

test('waves decide the order, not the list of tasks', () => {
  const [a, b] = [sampleTask('a', { needs: ['b'] }), sampleTask('b')];
  const plan = { ...samplePlan([[b], [a]]), tasks: [a, b] };
  expect([...planList(plan, decideAll(plan))].map((line) => line[0])).toEqual(['b', 'a']);
});

test('a hundred thousand tasks come one by one', () => {
  const plan = samplePlan([Array.from({ length: 100_000 }, (_, index) => sampleTask(`t${index}`))]);
  const lines = planList(plan, decideAll(plan));
  expect(lines.next().value).toBe('t0  node scripts/t0.mjs');
  let count = 1;
  for (const _ of lines) count++;
  expect(count).toBe(100_000);
});
