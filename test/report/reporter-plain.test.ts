import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.js';
import type { RunInfo } from '../../src/model/ports.js';
import { PlainReporter } from '../../src/report/live/reporter-plain.js';
import { golden } from './golden.js';
import { samplePlan, sampleTask, study } from './sample-plan.js';
import {
  HandClock,
  retryScheduled,
  runInfo,
  started,
  type TestTarget,
  taskCached,
  taskFailed,
  taskFinished,
  taskSkipped,
  taskStarted,
  testTarget,
} from './sample-run.js';

interface Rig {
  readonly reporter: PlainReporter;
  readonly clock: HandClock;
  readonly target: TestTarget;
}

function rig(plan: Plan, options: { verbose?: boolean; color?: boolean; info?: Partial<RunInfo> } = {}): Rig {
  const clock = new HandClock();
  const target = testTarget({ color: options.color ?? false });
  const reporter = new PlainReporter(target, { verbose: options.verbose ?? false, clock });
  reporter.runStarted(plan, runInfo(options.info));
  return { reporter, clock, target };
}

const [one, two, three] = [
  'train:arm=constant,seed=1',
  'train:arm=constant,seed=2',
  'train:arm=constant,seed=3',
] as const;

function smallRun({ reporter, clock }: Rig): void {
  reporter.recorded(started(study().plan));
  reporter.recorded(taskCached('data'));
  reporter.recorded(taskStarted(one));
  reporter.recorded(taskStarted(two));
  reporter.ephemeral({ type: 'output', task: one, line: '\u001B[1mepoch\u001B[0m 1' });
  clock.move(2100);
  reporter.recorded(taskFinished(one));
  reporter.recorded(taskFailed(two, undefined, { retrying: true }));
  reporter.recorded(retryScheduled(two, 2, 10_000));
  clock.move(10_000);
  reporter.recorded(taskStarted(two, 2));
  reporter.ephemeral({ type: 'notice', text: 'the disk is nearly full' });
  reporter.recorded(taskFailed(two, { code: 'timed-out', afterMs: 120_000 }, { attempt: 2 }));
  reporter.recorded(taskStarted(three, 3));
  reporter.ephemeral({ type: 'stopping', signal: 'SIGINT', running: 1 });
  reporter.recorded(taskFailed(three, { code: 'cancelled', signal: 'SIGINT' }));
  reporter.recorded(taskSkipped('summarise', [two]));
}

const tail = (): string[] => ['epoch 1\r\u001B[Kepoch 2', 'Error: loss is NaN', '    at train (train.mjs:31:9)'];

test('told to stop, it counts down until what still runs is killed', async () => {
  const run = rig(study().plan, { info: { graceMs: 3000 } });
  for (const task of [one, two, three]) run.reporter.recorded(taskStarted(task));
  run.reporter.recorded(taskFailed(three, undefined, { retrying: true }));
  const before = run.target.text;
  run.reporter.ephemeral({ type: 'stopping', signal: 'SIGINT', running: 3 });
  run.clock.move(1000);
  run.reporter.recorded(taskFailed(two, { code: 'cancelled', signal: 'SIGINT' }));
  run.clock.move(10_000);
  run.reporter.recorded(taskFailed(one, { code: 'cancelled', signal: 'SIGINT' }));
  expect(run.target.text.slice(before.length).split('\n')).toEqual([
    'Stopping because of SIGINT; 2 running, killed in 3 s. Once more kills now.',
    'Stopping because of SIGINT; 2 running, killed in 2 s. Once more kills now.',
    expect.stringContaining(two),
    'Stopping because of SIGINT; 1 running, killed in 1 s. Once more kills now.',
    'Stopping because of SIGINT; 1 running, being killed.',
    expect.stringContaining(one),
    '',
  ]);
  await run.reporter.close();
  expect(run.clock.pending).toBe(0);
});

describe('a small run', () => {
  test('a line for each task that ends, and the log of what failed', async () => {
    const run = rig(study().plan, { info: { tail } });
    smallRun(run);
    await run.reporter.close();
    await golden('plain.txt', run.target.text);
    expect(run.clock.pending).toBe(0);
  });

  test('verbose', async () => {
    const run = rig(study().plan, { info: { tail }, verbose: true });
    smallRun(run);
    await golden('plain-verbose.txt', run.target.text);
  });

  test('colour', async () => {
    const run = rig(study().plan, { info: { tail }, color: true });
    smallRun(run);
    await golden('plain-colour.txt', run.target.text);
  });

  test('only the last fifteen lines of a log', () => {
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const { reporter, target } = rig(study().plan, { info: { tail: () => long } });
    reporter.recorded(taskFailed(one));
    expect(target.text.split('\n')).toHaveLength(1 + 15 + 1);
    expect(target.text).toContain('│ line 39');
  });

  test('a run that goes on says so, and what is different', () => {
    const { plan } = study();
    const { reporter, target } = rig(plan);
    reporter.recorded(
      started(
        plan,
        Array.from({ length: 12 }, (_, index) => `stage-${index} is new`),
      ),
    );
    expect(target.text).toContain(
      'tiny-study: going on with run 4-k3xw; 0 of 14 tasks done (autoresearch exec --new starts afresh)\n',
    );
    expect(target.text).toContain('  changed: stage-9 is new\n  and 2 more changes\n');
  });
});

describe('long silence', () => {
  test('says what still runs, every half minute', () => {
    const { reporter, target, clock } = rig(study().plan);
    for (const id of [one, two, three, 'train:arm=constant,seed=4', 'train:arm=constant,seed=5'])
      reporter.recorded(taskStarted(id));
    clock.move(95_000);
    expect(target.text).toMatchInlineSnapshot(`
      "still running: train:arm=constant,seed=1 (30 s), train:arm=constant,seed=2 (30 s), train:arm=constant,seed=3 (30 s) and 2 more
      still running: train:arm=constant,seed=1 (1 m), train:arm=constant,seed=2 (1 m), train:arm=constant,seed=3 (1 m) and 2 more
      still running: train:arm=constant,seed=1 (1 m 30 s), train:arm=constant,seed=2 (1 m 30 s), train:arm=constant,seed=3 (1 m 30 s) and 2 more
      "
    `);
  });

  test('says how long the rest will take, where earlier runs tell', () => {
    const { reporter, target, clock } = rig(study().plan, { info: { jobs: 2, earlierMs: () => 600_000 } });
    reporter.recorded(taskStarted('data'));
    clock.move(31_000);
    // Fourteen tasks of ten minutes, two at a time.
    expect(target.text).toBe('still running: data (30 s); about 1 h 10 m left of the run\n');
  });

  test('nothing is said while nothing runs, or while other lines come', () => {
    const { reporter, target, clock } = rig(study().plan);
    clock.move(100_000);
    expect(target.text).toBe('');
    reporter.recorded(taskStarted(one));
    clock.move(10_000);
    reporter.recorded(taskFinished('data'));
    clock.move(29_000);
    expect(target.text).toBe('✓ data  2.1 s\n');
  });
});

describe('a run of ten thousand', () => {
  test('is told by a few counts; every failure is told at once', () => {
    const plan = samplePlan([Array.from({ length: 10_000 }, (_, index) => sampleTask(`t${index}`))]);
    const { reporter, target, clock } = rig(plan, { info: { tail: () => ['boom'] } });
    reporter.recorded(started(plan));
    for (let index = 0; index < 10_000; index++) {
      reporter.recorded(taskStarted(`t${index}`));
      clock.move(2);
      reporter.recorded(index === 4321 ? taskFailed(`t${index}`) : taskFinished(`t${index}`, 2));
    }
    expect(target.text).toMatchInlineSnapshot(`
      "tiny-study: run 4-k3xw, 10000 tasks, at most 2 at once
      2500 of 10000 done · 7500 waiting · 5 s
      ✗ t4321  exited with code 1  1.5 s
        │ boom
      6822 of 10000 done · 3178 waiting · 1 failed · 13 s
      9322 of 10000 done · 678 waiting · 1 failed · 18 s
      "
    `);
    expect(target.writes).toHaveLength(5);
  });
});
