import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.js';
import type { RunInfo } from '../../src/model/ports.js';
import { openRows, type Rows } from '../../src/report/live/listr-rows.js';
import { TreeReporter } from '../../src/report/live/reporter-tree.js';
import { RunView } from '../../src/report/live/run-view.js';
import { treeFrame } from '../../src/report/live/tree-frame.js';
import { paint } from '../../src/report/words/paint.js';
import { symbols } from '../../src/report/words/symbols.js';
import { displayWidth } from '../../src/report/words/text-width.js';
import { golden } from './golden.js';
import { samplePlan, sampleTask, study } from './sample-plan.js';
import {
  gateDecided,
  gateOpened,
  HandClock,
  retryScheduled,
  runInfo,
  started,
  taskCached,
  taskFailed,
  taskFinished,
  taskStarted,
  testTarget,
} from './sample-run.js';
import { Screen } from './screen.js';

const train = (arm: string, seed: number): string => `train:arm=${arm},seed=${seed}`;

/** A run in the middle of things: one cached, two passed, one failed, two running, one pausing. */
function busyView(): RunView {
  const view = new RunView(study().plan, runInfo(), 0);
  view.apply(taskCached('data'), 0);
  view.apply(taskFinished(train('constant', 1)), 2000);
  view.apply(taskFinished(train('constant', 2), 61_000), 2000);
  view.apply(taskFailed(train('constant', 3), { code: 'output-missing', outputs: ['results/constant-3.json'] }), 3000);
  view.apply(taskStarted(train('constant', 4)), 3000);
  view.apply(taskStarted(train('schedule', 1)), 9500);
  view.apply(taskStarted(train('schedule', 2)), 9500);
  view.apply(taskFailed(train('schedule', 2), undefined, { retrying: true }), 10_000);
  view.apply(retryScheduled(train('schedule', 2), 2, 10_000), 10_000);
  return view;
}

const frame = (
  view: RunView,
  columns: number,
  rows: number,
  more: { color?: boolean; unicode?: boolean; notice?: string } = {},
): string[] =>
  treeFrame({
    view,
    now: 12_345,
    columns,
    rows,
    p: paint(more.color ?? false),
    s: symbols(more.unicode ?? true),
    ...(more.notice === undefined ? {} : { notice: more.notice }),
    lastLine: (task) =>
      task === train('constant', 4)
        ? '\u001B[32mepoch 7\u001B[0m  loss 0.221  accuracy 0.93 and a lot more to say about it'
        : undefined,
  });

describe('treeFrame', () => {
  test('at 80 and 120 columns, in ASCII and in colour', async () => {
    const forms = [
      frame(busyView(), 80, 23),
      frame(busyView(), 120, 23),
      frame(busyView(), 80, 23, { unicode: false }),
      frame(busyView(), 100, 23, { color: true, notice: 'Stopping because of SIGINT' }),
      frame(busyView(), 80, 6),
      frame(busyView(), 40, 4),
    ];
    await golden('tree-frames.txt', forms.map((lines) => `${lines.join('\n')}\n`).join('\n'));
  });

  test('never taller and never wider than it may be', () => {
    for (let rows = 1; rows < 20; rows++) {
      for (const columns of [20, 40, 80, 120]) {
        const lines = frame(busyView(), columns, rows, { notice: 'x'.repeat(200) });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(displayWidth(line)).toBeLessThan(columns);
      }
    }
  });

  test('what stands before its gate has a line, and who builds on it waits for the gate, not for a slot', () => {
    const view = new RunView(
      samplePlan([[sampleTask('make')], [sampleTask('use', { needs: ['make'] })]]),
      runInfo(),
      0,
    );
    view.apply(taskStarted('make'), 0);
    view.apply(taskFinished('make'), 2000);
    view.waiting(3);
    view.apply(gateOpened('make', 'auto-judge'), 5345);
    expect(frame(view, 80, 9).slice(1)).toEqual([
      '  ✓ make  2.1 s',
      '  ◆ make  is before its judge  7 s',
      '  · use   waits for the gate of make',
    ]);
    view.apply(gateDecided('make', 'pass'), 6000);
    expect(frame(view, 80, 9).slice(1)).toEqual(['  ✓ make  2.1 s', '  · use   waits for a free slot']);
    // Asked again, and sent back: it is not at its gate any more.
    view.apply(gateOpened('make', 'human'), 7000);
    view.apply(taskStarted('make', 2), 8000);
    expect(view.gates.size).toBe(0);
  });

  test('more tasks at once than lines: a number stands for the rest', () => {
    const plan = samplePlan([Array.from({ length: 64 }, (_, index) => sampleTask(`t${index}`))]);
    const view = new RunView(plan, runInfo(), 0);
    for (const { id } of plan.tasks) view.apply(taskStarted(id), 0);
    const lines = frame(view, 80, 8);
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toBe('  … 58 more running');
  });
});

/** Rows that only count, for tests of when the reporter draws. */
function countingRows(): { rows: Rows; frames: string[][]; closed: () => number } {
  const frames: string[][] = [];
  let closes = 0;
  return {
    frames,
    closed: () => closes,
    rows: {
      draw: (lines) => void frames.push([...lines]),
      close: async () => {
        closes += 1;
      },
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('when it draws', () => {
  test('a run that is over at once never opens a view', async () => {
    const clock = new HandClock();
    const target = testTarget();
    const reporter = new TreeReporter(target, { clock, open: () => Promise.reject(new Error('opened')) });
    const { plan } = study();
    reporter.runStarted(plan, runInfo());
    reporter.recorded(started(plan));
    clock.move(100);
    reporter.recorded(taskFinished('data'));
    await reporter.close();
    expect(target.text).toBe('tiny-study: run 4-k3xw, 14 tasks, at most 2 at once\n✓ data  2.1 s\n');
    expect(clock.pending).toBe(0);
  });

  test('ten thousand tasks in ten seconds: a hundred frames, one timer', async () => {
    const clock = new HandClock();
    const counted = countingRows();
    const plan = samplePlan([Array.from({ length: 10_000 }, (_, index) => sampleTask(`t${index}`))]);
    const target = testTarget();
    const reporter = new TreeReporter(target, { clock, open: async () => counted.rows });
    let asked = 0;
    const info: Partial<RunInfo> = {
      lastLine: () => {
        asked += 1;
        return 'line';
      },
    };
    reporter.runStarted(plan, runInfo(info));
    reporter.recorded(started(plan));
    clock.move(500);
    await settle();
    for (let index = 0; index < 10_000; index++) {
      reporter.recorded(taskStarted(`t${index}`));
      clock.move(1);
      reporter.recorded(taskFinished(`t${index}`, 1));
      expect(clock.pending).toBeLessThanOrEqual(1);
    }
    expect(counted.frames.length).toBeLessThanOrEqual(102);
    expect(counted.frames.length).toBeGreaterThan(50);
    expect(asked).toBeLessThanOrEqual(110);
    await reporter.close();
    expect(counted.closed()).toBe(1);
    expect(target.writes).toHaveLength(1);
  });

  test('an idle run is looked at four times a second and drawn only when it looks different', async () => {
    const clock = new HandClock();
    const counted = countingRows();
    const { plan } = study();
    const reporter = new TreeReporter(testTarget(), { clock, open: async () => counted.rows });
    reporter.runStarted(plan, runInfo());
    reporter.recorded(taskStarted('data'));
    clock.move(500);
    await settle();
    clock.move(10_000);
    expect(counted.frames.length).toBeGreaterThanOrEqual(10);
    expect(counted.frames.length).toBeLessThanOrEqual(22);
    await reporter.close();
    clock.move(10_000);
    expect(counted.frames.length).toBeLessThanOrEqual(22);
  });

  test('told to stop, it counts down until what still runs is killed', async () => {
    const clock = new HandClock();
    const counted = countingRows();
    const reporter = new TreeReporter(testTarget(), { clock, open: async () => counted.rows });
    reporter.runStarted(study().plan, runInfo({ graceMs: 2000 }));
    reporter.recorded(taskStarted('data'));
    clock.move(500);
    await settle();
    reporter.ephemeral({ type: 'stopping', signal: 'SIGTERM', running: 1 });
    clock.move(3000);
    reporter.recorded(taskFailed('data', { code: 'cancelled', signal: 'SIGTERM' }));
    clock.move(100);
    const notices = counted.frames.map((lines) => lines.at(-1)!.trim()).filter((line) => line.startsWith('Stopping'));
    expect([...new Set(notices)]).toEqual([
      'Stopping because of SIGTERM; 1 running, killed in 2 s. Once more kills now.',
      'Stopping because of SIGTERM; 1 running, killed in 1 s. Once more kills now.',
      'Stopping because of SIGTERM; 1 running, being killed.',
      'Stopping because of SIGTERM.',
    ]);
    await reporter.close();
  });

  test('closed while the view is still being loaded', async () => {
    const clock = new HandClock();
    const counted = countingRows();
    let open = (_: Rows): void => {};
    const loading = new Promise<Rows>((resolve) => {
      open = resolve;
    });
    const reporter = new TreeReporter(testTarget(), { clock, open: () => loading });
    reporter.runStarted(study().plan, runInfo());
    clock.move(500);
    const closing = reporter.close();
    open(counted.rows);
    await closing;
    expect([counted.frames.length, counted.closed()]).toEqual([0, 1]);
  });

  test('a view that cannot be loaded does not end the run', async () => {
    const clock = new HandClock();
    const target = testTarget();
    const reporter = new TreeReporter(target, { clock, open: () => Promise.reject(new Error('no such file')) });
    reporter.runStarted(study().plan, runInfo());
    clock.move(500);
    await settle();
    reporter.recorded(taskFinished('data'));
    await reporter.close();
    expect(target.text).toBe('The live view could not be opened: no such file\n✓ data  2.1 s\n');
  });

  test('what is said while the view is up is left behind when it goes', async () => {
    const clock = new HandClock();
    const target = testTarget();
    const reporter = new TreeReporter(target, { clock, open: async () => countingRows().rows });
    reporter.runStarted(study().plan, runInfo());
    clock.move(500);
    await settle();
    reporter.ephemeral({ type: 'notice', text: 'the disk is nearly full' });
    expect(target.text).toBe('');
    await reporter.close();
    expect(target.text).toBe('the disk is nearly full\n');
  });
});

describe('listr2 as the view', () => {
  test('draws all slots in one write, hides empty ones, leaves nothing behind', async () => {
    const target = testTarget({ columns: 40, rows: 10 });
    const screen = new Screen(40, 10);
    const rows = await openRows(target, 12);
    rows.draw(['head', '  one', '  two']);
    const first = target.writes.length;
    screen.write(target.text);
    expect(screen.text).toBe('head\n  one\n  two');
    rows.draw(['head again', '  one']);
    expect(target.writes).toHaveLength(first + 1);
    screen.write(target.writes.at(-1)!);
    expect(screen.text).toBe('head again\n  one');
    const before = target.writes.length;
    await rows.close();
    screen.write(target.writes.slice(before).join(''));
    expect(screen.text).toBe('');
    expect(screen.cursorVisible).toBe(true);
    const closed = target.writes.length;
    rows.draw(['too late']);
    await settle();
    expect(target.writes).toHaveLength(closed);
  });

  test('leaves the process alone: its streams, its signals', async () => {
    const [out, err, listeners] = [process.stdout.write, process.stderr.write, process.listenerCount('SIGINT')];
    const rows = await openRows(testTarget(), 3);
    rows.draw(['x']);
    expect([process.stdout.write, process.stderr.write]).toEqual([out, err]);
    expect(process.listenerCount('SIGINT')).toBe(listeners);
    await rows.close();
  });

  test('ten thousand tasks through the real thing: writes are bounded', async () => {
    const clock = new HandClock();
    const target = testTarget();
    const plan: Plan = samplePlan([Array.from({ length: 10_000 }, (_, index) => sampleTask(`t${index}`))]);
    let opened: Promise<Rows> | undefined;
    const reporter = new TreeReporter(target, {
      clock,
      open: (where, slots) => {
        opened = openRows(where, slots);
        return opened;
      },
    });
    reporter.runStarted(plan, runInfo());
    clock.move(500);
    await opened;
    await settle();
    for (let index = 0; index < 10_000; index++) {
      reporter.recorded(taskStarted(`t${index}`));
      clock.move(1);
      reporter.recorded(taskFinished(`t${index}`, 1));
    }
    await reporter.close();
    expect(target.writes.length).toBeLessThanOrEqual(110);
    expect(target.text.length).toBeLessThan(100_000);
  });
});
