import { describe, expect, test } from 'vitest';
import { apply } from '../../src/journal/apply.js';
import type { JournalEntry } from '../../src/model/events/event.js';
import type { Plan } from '../../src/model/plan.js';
import type { RunState, TaskState } from '../../src/model/state/run-state.js';
import { runsText } from '../../src/report/history/runs-text.js';
import { runsJson, statusJson } from '../../src/report/history/status-json.js';
import { statusText } from '../../src/report/history/status-text.js';
import { type SummaryInput, summaryText } from '../../src/report/history/summary.js';
import { golden } from './golden.js';
import { samplePlan, sampleTask, study } from './sample-plan.js';
import { entry, started, taskCached, taskFailed, taskFinished, taskSkipped, taskStarted } from './sample-run.js';

const { plan } = study();
const train = plan.tasks.filter(({ stage }) => stage === 'train').map(({ id }) => id);
const startedAt = Date.parse('2030-01-01T10:00:00Z');

/** The state that a run of these events leads to, by the same road as in life. */
function stateOf(of: Plan, events: readonly JournalEntry[]): RunState {
  let state: RunState | undefined;
  for (const event of [started(of), ...events]) state = apply(state, event);
  return state!;
}

const ran = (id: string, end: JournalEntry): JournalEntry[] => [taskStarted(id), end];
const finished = (outcome: 'passed' | 'failed' | 'cancelled', signal?: string): JournalEntry => ({
  ...entry({ type: 'run-finished', outcome, durationMs: 12_000, ...(signal === undefined ? {} : { signal }) }),
  at: '2030-01-01T10:00:12.000Z',
});
const excluded = entry({
  type: 'task-skipped',
  task: 'figure',
  cause: 'excluded',
  reasons: [{ code: 'when-false', detail: 'vars.figures is false' }],
});

const failedState = (): RunState =>
  stateOf(plan, [
    taskCached('data'),
    ...train.slice(0, 8).flatMap((id) => ran(id, taskFinished(id))),
    ...ran(train[8]!, taskFailed(train[8]!, { code: 'command-failed', exitCode: 3 }, { retrying: true })),
    taskStarted(train[8]!, 2),
    taskFailed(train[8]!, { code: 'timed-out', afterMs: 120_000 }, { attempt: 2 }),
    ...ran(train[9]!, taskFailed(train[9]!, { code: 'output-missing', outputs: ['results/schedule-5.json'] })),
    taskSkipped('summarise', [train[8]!, train[9]!]),
    taskSkipped('verdict', [train[8]!, train[9]!]),
    excluded,
    finished('failed'),
  ]);

const passedState = (): RunState =>
  stateOf(plan, [
    taskCached('data'),
    ...[...train, 'summarise', 'verdict'].flatMap((id) => ran(id, taskFinished(id))),
    excluded,
    finished('passed'),
  ]);

const stoppedState = (): RunState =>
  stateOf(plan, [
    taskCached('data'),
    ...ran(train[0]!, taskFinished(train[0]!)),
    ...ran(train[1]!, taskFailed(train[1]!, { code: 'cancelled', signal: 'SIGINT' })),
    finished('cancelled', 'SIGINT'),
  ]);

const runningState = (): RunState =>
  stateOf(plan, [
    taskCached('data'),
    ...ran(train[0]!, taskFinished(train[0]!)),
    taskStarted(train[1]!),
    taskStarted(train[2]!),
    taskFailed(train[2]!, undefined, { retrying: true }),
  ]);

const input = (state: RunState, of: Plan = plan): SummaryInput => ({
  plan: of,
  state,
  runDir: '/lab/.autoresearch/default/runs/4-k3xw',
  cwd: '/lab',
  color: false,
  tail: (task) =>
    task === train[8]
      ? Array.from({ length: 20 }, (_, index) => `\u001B[31mline ${index + 1}\u001B[0m of the log`)
      : [],
});

describe('summaryText', () => {
  test('failed', async () => {
    await golden('summary-failed.txt', summaryText(input(failedState())));
  });

  test('failed, in colour and in ASCII', async () => {
    await golden('summary-failed-colour.txt', summaryText({ ...input(failedState()), color: true }));
    expect(summaryText({ ...input(failedState()), unicode: false })).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('passed', async () => {
    await golden('summary-passed.txt', summaryText(input(passedState())));
  });

  test('everything cached', () => {
    const state = stateOf(plan, [...plan.tasks.map(({ id }) => taskCached(id)), finished('passed')]);
    expect(summaryText({ ...input(state), durationMs: 300 })).toContain('✓ tiny-study passed in 0.3 s: 14 cached\n');
  });

  test('stopped', async () => {
    await golden('summary-stopped.txt', summaryText(input(stoppedState())));
  });

  test('outputs that were really written come before those that were promised', () => {
    const state = passedState();
    const verdict = state.tasks.get('verdict')!;
    const stamp = { size: 1, mtimeNs: '0', ctimeNs: '0', ino: '0', digest: '' };
    const outputs = Array.from({ length: 12 }, (_, index) => ({ ...stamp, path: `paper/${index}.pdf` }));
    const tasks = new Map(state.tasks).set('verdict', { ...verdict, outputs });
    const text = summaryText(input({ ...state, tasks }));
    expect(text).toContain('  results  paper/0.pdf\n');
    expect(text).toContain('           paper/7.pdf\n           and 4 more\n');
  });

  test('a thousand failures are a page, not a book', () => {
    const many = samplePlan([
      Array.from({ length: 1000 }, (_, index) => sampleTask(`t${index}`)),
      [sampleTask('end', { needs: ['t0'] })],
    ]);
    const events = many.tasks.slice(0, 1000).flatMap(({ id }) => ran(id, taskFailed(id)));
    const state = stateOf(many, [
      ...events,
      taskSkipped(
        'end',
        many.tasks.slice(0, 1000).map(({ id }) => id),
      ),
      finished('failed'),
    ]);
    let tails = 0;
    const text = summaryText({
      ...input(state, many),
      tail: () => {
        tails += 1;
        return ['boom'];
      },
    });
    expect(tails).toBe(5);
    expect(text.split('\n').length).toBeLessThan(70);
    expect(text).toContain('\n✗ t5  exited with code 1  .autoresearch/default/runs/4-k3xw/tasks/t5/1\n');
    expect(text).toContain('… and 975 more failed tasks (autoresearch status --json has all)');
    expect(text).toContain('○ 1 skipped because t0, t1 and 998 more did not pass: end');
  });

  test('a log that makes the line too long is left out, in colour as without', () => {
    const long = (index: number): string => `t:v=${'x'.repeat(index === 5 ? 38 : 39)}${index}`;
    const many = samplePlan([Array.from({ length: 7 }, (_, index) => sampleTask(long(index)))]);
    const failures = many.tasks.flatMap(({ id }, index) =>
      ran(id, taskFailed(id, { code: 'command-failed', exitCode: index + 1 })),
    );
    const state = stateOf(many, [...failures, finished('failed')]);
    for (const color of [false, true]) {
      const text = summaryText({ ...input(state, many), runDir: '/lab/r', color });
      expect(text).toContain(`r/tasks/${long(5)}/1`);
      expect(text).not.toContain(`r/tasks/${long(6)}/1`);
    }
  });

  test('tasks of a stage that failed alike share their words; another error, stage or number of tries does not', () => {
    const seeds = [1, 2, 3, 4, 5, 6].map((seed) => `train:seed=${seed}`);
    const many = samplePlan([[...seeds, 'other'].map((id) => sampleTask(id, { stage: id.split(':')[0]! }))]);
    const state = stateOf(many, [...many.tasks.flatMap(({ id }) => ran(id, taskFailed(id))), finished('failed')]);
    const asked: string[] = [];
    const of = (more: Partial<TaskState> = {}): string => {
      const tasks = new Map(state.tasks).set(seeds[1]!, { ...state.tasks.get(seeds[1]!)!, ...more });
      return summaryText({
        ...input({ ...state, tasks }, many),
        tail: (task) => {
          asked.push(task);
          return [`of ${task}`];
        },
      });
    };
    const text = of();
    expect(text).toContain(`
✗ train ×6  exited with code 1
  │ of train:seed=1
  log: .autoresearch/default/runs/4-k3xw/tasks/train:seed=1/1
  → Read the log, mend the cause and go on with autoresearch exec
  tasks: train:seed=1, train:seed=2, train:seed=3, train:seed=4, train:seed=5 and train:seed=6 (the log is of the first)

✗ other  exited with code 1
`);
    expect(asked).toEqual(['train:seed=1', 'other']);
    expect(text).toContain('7 failed');
    for (const other of [{ errorClass: 'another' }, { attempts: 2 }, { failures: { oom: 1 } }]) {
      const told = of(other);
      expect(told).toContain('✗ train ×5  exited');
      expect(told).toContain('✗ train:seed=2  exited');
    }
  });

  test('a spent day is over at midnight', () => {
    const budgetSpent = { ceiling: 'budget.usdPerDay', limit: 5, spent: 5, wanted: 1 } as const;
    const state: RunState = { ...stoppedState(), outcome: 'over-budget', budgetSpent };
    expect(summaryText(input(state))).toContain(
      'go on, once the ceiling is raised, or after 00:00 UTC; what passed is kept',
    );
  });

  test('a name that a shell would read is quoted in the command to type', () => {
    const odd = samplePlan([[sampleTask("t:v=it's $HOME")]]);
    const state = stateOf(odd, [...ran("t:v=it's $HOME", taskFailed("t:v=it's $HOME")), finished('failed')]);
    expect(summaryText(input(state, odd))).toContain("autoresearch logs 't:v=it'\\''s $HOME'");
  });
});

describe('statusText', () => {
  const status = (state: RunState, now = startedAt + 95_000): string =>
    statusText({ state, plan, runDir: '/lab/.autoresearch/default/runs/4-k3xw', cwd: '/lab', now, color: false });

  test('running, failed, stopped, passed', async () => {
    const texts = [
      status(runningState()),
      status(failedState(), startedAt + 3 * 3_600_000),
      status(stoppedState()),
      status(passedState()),
    ];
    await golden('status.txt', texts.join('\n--------\n'));
  });

  test.each([
    [
      { commit: '1a2b3c4d5e6f708192a3', branch: 'main', changedFiles: 2 },
      'from commit 1a2b3c4d5e on main and 2 changed files',
    ],
    [{ commit: '1a2b3c4d5e6f708192a3', changedFiles: 0 }, 'from commit 1a2b3c4d5e'],
    [{ branch: 'main', changedFiles: 5 }, 'from files without a commit on main'],
    [{ problem: 'not a git repository' }, 'commit not known: not a git repository'],
  ])('what the run started from: %j', (workspace, words) => {
    const state = { ...runningState(), workspace: { type: 'workspace-recorded', ...workspace } as const };
    expect(status(state)).toContain(`\n  ${words}\n`);
    expect(statusJson(state, plan).workspace).toEqual(workspace);
  });

  describe('a task that is tried again', () => {
    const id = train[2]!;
    const retrying = (more: Partial<TaskState>): RunState => {
      const state = runningState();
      const task = { ...state.tasks.get(id)!, attempts: 2, errorClass: 'quota', ...more };
      return { ...state, tasks: new Map(state.tasks).set(id, task) };
    };
    const lineOf = (text: string): string | undefined => text.split('\n').find((line) => line.includes('↻'));
    const fixedBy = (fix: string | { readonly run: string }, escalate?: readonly string[]): Plan => ({
      ...plan,
      tasks: plan.tasks.map((task) => (task.id === id ? { ...task, retry: { ...task.retry, fix } } : task)),
      ...(escalate ? { escalate } : {}),
    });
    const said = (state: RunState, of = plan, now = startedAt): string | undefined =>
      lineOf(statusText({ state, plan: of, runDir: '/x', cwd: '/lab', now, color: false }));
    const head = `  ↻ ${id}  exited with code 1, class quota, 2 tries so far, `;

    test('says when, on the clock of this machine', () => {
      const now = new Date(2030, 0, 1, 23, 18, 0).getTime();
      const dueAt = new Date(2030, 0, 1, 23, 30, 0).getTime();
      expect(said(retrying({ dueAt }), plan, now)).toBe(`${head}next try at 23:30:00 (in 12 m)`);
      expect(said(retrying({ dueAt }), plan, dueAt)).toBe(`${head}next try now`);
    });

    test('says who mends before', () => {
      expect(said(retrying({}), fixedBy('coder'))).toBe(`${head}being mended by agent coder`);
      expect(said(retrying({}), fixedBy({ run: 'free-it' }))).toBe(`${head}being mended by a command`);
      expect(said(retrying({ escalations: 2 }), fixedBy('coder', ['a', 'b', 'human']))).toBe(
        `${head}being mended by agent b`,
      );
      expect(said(retrying({}))).toBe(`${head}next try now`);
    });

    test('in JSON', () => {
      const tasks = (more: Partial<TaskState>) => statusJson(retrying(more), plan).tasks.find((task) => task.id === id);
      expect(tasks({ dueAt: startedAt, failures: { quota: 2 } })).toMatchObject({
        status: 'retrying',
        attempts: 2,
        errorClass: 'quota',
        failures: { quota: 2 },
        dueAt: '2030-01-01T10:00:00.000Z',
      });
      expect(tasks({})).toMatchObject({ dueAt: null });
    });
  });

  test.each([
    ['failed', `autoresearch logs ${train[8]} --cwd lab   or   autoresearch exec --cwd lab`],
    ['waiting', `autoresearch logs ${train[8]} --cwd lab   or   autoresearch exec --cwd lab`],
    [
      'over-budget',
      `autoresearch logs ${train[8]} --cwd lab   or   autoresearch cost --cwd lab   or   autoresearch exec --cwd lab`,
    ],
    ['violated', `autoresearch logs ${train[8]} --cwd lab`],
  ] as const)('what to type next after %s, with the options that were given', (outcome, words) => {
    const state: RunState = { ...failedState(), outcome };
    const text = statusText({
      state,
      plan,
      runDir: '/x',
      cwd: '/lab',
      now: startedAt,
      color: false,
      again: ' --cwd lab',
    });
    expect(text.endsWith(`\nNext: ${words}\n`)).toBe(true);
  });

  test('without a plan only what the journal names is known', () => {
    expect(statusText({ state: runningState(), runDir: '/x', cwd: '/lab', now: startedAt, color: false })).toContain(
      '  4 tasks: 1 passed, 1 cached, 1 running, 1 trying again\n',
    );
  });

  test('a run that has touched nothing yet', () => {
    expect(statusText({ state: stateOf(plan, []), runDir: '/x', cwd: '/lab', now: startedAt, color: false })).toContain(
      '  0 tasks: none\n',
    );
  });
});

describe('statusJson', () => {
  test('the shape that the contract lays down', async () => {
    await golden('status.json', `${JSON.stringify(statusJson(failedState(), plan), null, 2)}\n`);
  });

  test('tasks that have not been touched wait', () => {
    const { outcome, tasks, gates, spend } = statusJson(runningState(), plan);
    expect([outcome, gates, spend.usd, spend.unpricedCalls]).toEqual(['running', [], 0, 0]);
    expect(tasks).toHaveLength(14);
    expect(tasks.find(({ id }) => id === 'verdict')).toMatchObject({ status: 'waiting', attempts: 0, failure: null });
  });

  test('runs', () => {
    expect(runsJson([failedState()])).toEqual([
      {
        run: '4-k3xw',
        name: 'tiny-study',
        outcome: 'failed',
        startedAt: '2030-01-01T10:00:00.000Z',
        finishedAt: '2030-01-01T10:00:12.000Z',
        iteration: null,
        tasks: { cached: 1, passed: 8, failed: 2, skipped: 3 },
        set: [],
      },
    ]);
  });
});

describe('runsText', () => {
  test('a table', async () => {
    const day = 86_400_000;
    const states: RunState[] = [
      { ...runningState(), run: '12-a1b2', startedAt: startedAt + 10 * day },
      {
        ...failedState(),
        run: '11-c3d4',
        startedAt: startedAt + 10 * day - 40 * 60_000,
        finishedAt: startedAt + 10 * day - 1000,
      },
      { ...stoppedState(), run: '10-e5f6', startedAt: startedAt + 9 * day, finishedAt: startedAt + 9 * day + 90_000 },
      { ...passedState(), run: '9-g7h8', startedAt, finishedAt: startedAt + 3 * 3_600_000 },
    ];
    await golden('runs.txt', runsText(states, { now: startedAt + 10 * day + 5000, color: false }));
  });

  test('the words of other outcomes; a journal that cannot be trusted has no date', () => {
    const states: RunState[] = [
      { ...failedState(), outcome: 'waiting' },
      { ...failedState(), outcome: 'over-budget' },
      { ...stateOf(plan, []), outcome: 'violated', startedAt: 0 },
    ];
    expect(runsText(states, { now: startedAt + 60_000, color: false })).toBe(
      [
        'run     outcome             started       took  tasks',
        '4-k3xw  waits for a person  1 minute ago  12 s  8 passed, 1 cached, 2 failed, 3 skipped',
        '4-k3xw  over budget         1 minute ago  12 s  8 passed, 1 cached, 2 failed, 3 skipped',
        '4-k3xw  violated            ?             -',
        '',
      ].join('\n'),
    );
  });

  test('what was overridden, once somebody has overridden something', () => {
    const states: RunState[] = [{ ...passedState(), set: ['steps=10', 'arm=a b'] }, passedState()];
    expect(runsText(states, { now: startedAt + 60_000, color: false })).toBe(
      [
        'run     outcome  started       took  tasks                           set',
        '4-k3xw  passed   1 minute ago  12 s  12 passed, 1 cached, 1 skipped  steps=10 arm=a b',
        '4-k3xw  passed   1 minute ago  12 s  12 passed, 1 cached, 1 skipped',
        '',
      ].join('\n'),
    );
  });

  test('no runs', () => {
    expect(runsText([], { now: 0, color: false })).toBe(
      'Nothing has been run here yet. Start with autoresearch exec\n',
    );
  });
});
