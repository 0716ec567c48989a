import { expect, test } from 'vitest';
import { replay } from '../../src/journal/apply.js';
import type { JournalEntry } from '../../src/model/events/event.js';
import { dashboardView } from '../../src/report/dashboard/views.js';
import type { RunFacts } from '../../src/report/history/run-facts.js';
import { reportPage } from '../../src/report/html/page.js';
import { cpuSeconds } from '../support/cpu-seconds.js';
import { planOf } from '../support/run-rig.js';

/** A run of so many tasks of one stage, each a second long, of which one failed; and one that needs them all. */
function large(count: number): RunFacts {
  const ids = Array.from({ length: count }, (_, seed) => `train:seed=${seed}`);
  const plan = planOf([
    ...ids.map((id, seed) => ({ id, stage: 'train', matrix: { seed } })),
    { id: 'collect', needs: ids },
  ]);
  const fingerprint = { v: 1, behaviour: '', options: '', env: '', inputs: {}, upstream: {} };
  const events: object[] = [
    {
      ...{ type: 'run-started', journal: 1, run: '1-aaaa', name: 'large', planDigest: plan.digest, tasks: count + 1 },
      ...{ tool: '0.1.0', host: 'lab', pid: 1 },
    },
    ...ids.flatMap((task, at) => [
      { type: 'task-started', task, attempt: 1, reasons: [] },
      at === count - 1
        ? {
            ...{
              type: 'task-failed',
              task,
              attempt: 1,
              durationMs: 1,
              errorClass: 'x',
              counted: true,
              retrying: false,
            },
            failure: { code: 'command-failed', exitCode: 7 },
          }
        : { type: 'task-finished', task, attempt: 1, durationMs: 1000, fingerprint, outputs: [], product: 'p' },
    ]),
  ];
  const entries = events.map((event, seq) => ({
    ...{ seq, at: new Date(Date.UTC(2030, 0, 1, 10, 0, 0, seq * 10)).toISOString(), prev: '', hash: '' },
    ...event,
  })) as unknown as JournalEntry[];
  return { entries, plan, state: replay(entries)!, files: new Map(), tables: new Map(), root: '', runDir: '' } as never;
}

test('a report of a thousand tasks is a matter of a second or so', async () => {
  const facts = large(999);
  await reportPage(large(3));
  let page = '';
  const took = await cpuSeconds(async () => {
    page = await reportPage(facts);
  });
  expect(page).toContain('train:seed=998');
  // Twice as long as on a slow machine.
  expect(took).toBeLessThan(6);
});

test('of ten thousand tasks every view stays small enough to be looked at, and what failed is in it', async () => {
  const facts = large(10_000);
  const sizes: Record<string, number> = {};
  for (const view of ['top', 'graph', 'tasks', 'logs', 'timeline', 'curves', 'trouble', 'checks', 'environment'])
    sizes[view] = (await dashboardView(view, facts, { filter: '', page: 0 }))!.length;
  expect(Object.entries(sizes).filter(([, size]) => size > 2_000_000)).toEqual([]);
  const tasks = (await dashboardView('tasks', facts, { filter: '', page: 49 }))!;
  expect(tasks.match(/<tr>/g)!.length).toBeLessThanOrEqual(201);
  expect(tasks).toContain('10001 tasks, page 50 of 51');
  const failed = (await dashboardView('tasks', facts, { filter: 'failed', page: 0 }))!;
  expect(failed).toContain('1 task, page 1 of 1');
  expect(failed).toContain('train:seed=9999');
  expect(await dashboardView('trouble', facts, { filter: '', page: 0 })).toContain('train:seed=9999');
});
