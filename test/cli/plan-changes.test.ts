import { expect, test } from 'vitest';
import { planChanges } from '../../src/cli/project/plan-changes.js';
import type { Task } from '../../src/model/plan.js';
import { planOf, type Stages, type Study } from '../compile/study.js';
import { Project } from '../support/project.js';

const seeds = Array.from({ length: 30 }, (_, seed) => seed) as [number, ...number[]];
const tasksOf = async (stages: Stages, more: Omit<Study, 'stages'> = {}): Promise<readonly Task[]> =>
  (await planOf({ stages, ...more })).tasks;
const changes = async (then: Stages, now: Stages): Promise<string[]> =>
  planChanges(await tasksOf(then), await tasksOf(now));
const run = (text: string) => ({ with: { run: text } });

test('nothing changed, nothing told', async () => {
  expect(await changes({ a: run('x') }, { a: run('x') })).toEqual([]);
});

test('the tasks of a stage share a line, with old and new', async () => {
  const train = (timeout: string) => ({ train: { matrix: { seed: seeds }, timeout } });
  expect(await changes(train('2m'), train('5m'))).toEqual(['train ×30: timeout 2m → 5m']);
});

test('a task alone has its own name', async () => {
  const train = (timeout: string) => ({ train: { matrix: { seed: [1] as [number] }, timeout } });
  expect(await changes(train('90s'), train('1500ms'))).toEqual(['train:seed=1: timeout 90s → 1500ms']);
});

test('values that differ from task to task are not shown, and the tasks still share a line', async () => {
  const train = (words: string) => ({ train: { matrix: { seed: seeds }, ...run(`${words} {{matrix.seed}}`) } });
  expect(await changes(train('a'), train('b'))).toEqual(['train ×30: with.run']);
});

test('tasks of one stage in which different things changed have lines of their own', async () => {
  const then = await tasksOf({ train: { matrix: { seed: [1, 2, 3] } } });
  const now = then.map((task, index) => (index === 0 ? { ...task, cache: !task.cache } : { ...task, idleMs: 1000 }));
  expect(planChanges(then, now)).toEqual([
    'train:seed=1: cache true → false',
    'train ×2 (train:seed=2 and train:seed=3): idle none → 1s',
  ]);
});

test.each<[string, Stages[string], Stages[string]]>([
  ['with.run x → y', run('x'), run('y')],
  ['with.run', run('a command that is too long to show'), run('y')],
  ['with.run', run('TOKEN_KEY=a'), run('y')],
  ['retry.attempts 1 → 2', {}, { retry: { attempts: 2 } }],
  ['retry.fix none → coder', { retry: { attempts: 2 } }, { retry: { attempts: 2, fix: 'coder' } }],
  ['env.SEED 1 → 2, env.MORE none → x', { env: { SEED: '1' } }, { env: { SEED: '2', MORE: 'x' } }],
  ['env.LOGIN', { env: { LOGIN: 'http://me:abc@x' } }, { env: { LOGIN: 'y' } }],
  ['passEnv', { passEnv: ['A'] }, { passEnv: ['A', 'B'] }],
  ['inputs', {}, { inputs: ['in'] }],
  ['outputs', {}, { outputs: ['out'] }],
  ['cwd . → sub', {}, { cwd: 'sub' }],
  ['idle 1h → none', { idle: '1h' }, {}],
  ['when', {}, { when: 'false' }],
  ['gate none → human', { outputs: ['o'] }, { outputs: ['o'], gate: 'human' }],
])('in the words of the config: %s', async (words, then, now) => {
  const agents = { coder: { backend: 'command', run: 'x' } } as const;
  expect(planChanges(await tasksOf({ a: then }, { agents }), await tasksOf({ a: now }, { agents }))).toEqual([
    `a: ${words}`,
  ]);
});

test('another behaviour is told once, not by its code and description as well', async () => {
  const then = await tasksOf({ a: { uses: 'fake', with: {} } });
  const now = [{ ...then[0]!, uses: './mine.ts', behaviour: 'other', description: { summary: 'other' } }];
  expect(planChanges(then, now)).toEqual(['a: uses fake → ./mine.ts']);
  expect(planChanges(then, [{ ...then[0]!, behaviour: 'other' }])).toEqual(['a: code of the behaviour']);
});

test('an edge that follows from files is told where the files are, and by the task that now waits', async () => {
  const b = { inputs: ['x'] };
  expect(await changes({ a: {}, b }, { a: { outputs: ['x'] }, b })).toEqual(['a: outputs', 'b: needs']);
});

test('what is new and what is gone, by stage', async () => {
  const old = { a: {}, old: { matrix: { seed: seeds } } };
  const fresh = { a: {}, fresh: { matrix: { seed: seeds } }, b: {} };
  expect(await changes(old, fresh)).toEqual([
    'fresh ×30 is new: fresh:seed=0, fresh:seed=1, fresh:seed=2 and 27 more',
    'b is new',
    'old ×30 is gone: old:seed=0, old:seed=1, old:seed=2 and 27 more',
  ]);
});

test('which tasks of a stage are gone or new is said', async () => {
  const train = (...seed: [number, ...number[]]) => ({ train: { matrix: { seed } } });
  expect(await changes(train(1, 2, 3, 4), train(1, 2, 7, 8, 9, 10))).toEqual([
    'train ×4 is new: train:seed=7, train:seed=8, train:seed=9 and train:seed=10',
    'train ×2 is gone: train:seed=3 and train:seed=4',
  ]);
});

test('a plan of another version may have fields that this one does not know', async () => {
  const [task] = await tasksOf({ a: {} });
  expect(planChanges([{ ...task!, colour: 'red' } as unknown as Task], [task!])).toEqual(['a: colour red → none']);
});

test('exec of a saved plan names them', async () => {
  const config = (seeds: string) =>
    `name: study\nstages: { train: { uses: command, matrix: { seed: [${seeds}] }, with: { run: 'true' } } }\n`;
  const project = new Project({ 'autoresearch.config.yaml': config('1, 2, 3') });
  await project.run('plan', '--out', 'plan.json');
  project.write('autoresearch.config.yaml', config('1'));
  const { code, stdout, stderr } = await project.run('exec', '--plan', 'plan.json');
  expect(code).toBe(2);
  expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain('train ×2 is gone: train:seed=2 and train:seed=3');
});
