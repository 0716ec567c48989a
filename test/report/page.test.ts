import { describe, expect, test } from 'vitest';
import { replay } from '../../src/journal/apply.js';
import type { JournalEntry } from '../../src/model/events/event.js';
import { drawChart } from '../../src/report/chart.js';
import { svgRunGraph } from '../../src/report/graph/graph-svg.js';
import type { ResultFile, RunFacts } from '../../src/report/history/run-facts.js';
import { reportPage } from '../../src/report/html/page.js';
import { executionRecord } from '../../src/report/record/execution.js';
import { spendOf, usdText } from '../../src/report/record/spend.js';
import { verdictOf } from '../../src/report/record/status.js';
import { structuredReturn } from '../../src/report/record/structured-return.js';
import { planOf } from '../support/run-rig.js';
import { golden } from './golden.js';

const hostile = '<script>alert(1)</script>"\'&`|[x](javascript:alert(1))';
const plan = planOf([
  { id: 'data', outputs: ['d.json'] },
  { id: 'train:seed=1', stage: 'train', needs: ['data'], matrix: { arm: 'a', seed: 1 } },
  { id: 'train:seed=2', stage: 'train', needs: ['data'], matrix: { arm: 'a', seed: 2 } },
  { id: 'check', uses: 'verify', needs: ['train:seed=1'] },
]);

/** A journal as it might stand, a second a line. Events of every kind are only shown here, so their form is all that counts. */
function journal(events: readonly object[]): JournalEntry[] {
  return events.map((event, seq) => ({
    ...event,
    seq,
    at: new Date(Date.UTC(2030, 0, 1, 10, 0, seq)).toISOString(),
    prev: '',
    hash: '',
  })) as unknown as JournalEntry[];
}

const begun = {
  type: 'run-started',
  journal: 1,
  run: '4-k3xw',
  name: 'study',
  planDigest: 'abc',
  tasks: 4,
  tool: '0.1.0',
  host: 'lab',
  pid: 1,
};
const started = (task: string, attempt = 1) => ({ type: 'task-started', task, attempt, reasons: [] });
const finished = (task: string, outputs: readonly object[] = []) => ({
  type: 'task-finished',
  task,
  attempt: 1,
  durationMs: 1000,
  fingerprint: { v: 1, behaviour: '', options: '', env: '', inputs: {}, upstream: {} },
  outputs,
  product: 'p',
});
const failed = (task: string, retrying: boolean) => ({
  type: 'task-failed',
  task,
  attempt: 1,
  durationMs: 1000,
  failure: { code: 'command-failed', exitCode: 7 },
  retrying,
  errorClass: 'exit 7',
  counted: true,
});
const place = { run: '4-k3xw', stage: 'train', task: 'train:seed=1', role: 'author', agent: 'coder' };
const spent = (call: string, more: object) => ({
  type: 'spend-recorded',
  ...place,
  call,
  source: 'reported',
  tokens: 0,
  wallMs: 1,
  gpuHours: 0,
  ...more,
});

function factsOf(events: readonly object[], files: readonly Omit<ResultFile, 'digest' | 'isChanged'>[] = []): RunFacts {
  const entries = journal([begun, ...events]);
  const known = entries.filter(({ type }) => !['gate-opened', 'gate-decided'].includes(type));
  return {
    entries,
    state: replay(known)!,
    plan,
    files: new Map(files.map((file) => [file.path, { ...file, digest: 'd', isChanged: false }])),
    tables: new Map(),
    toRoot: '../../../..',
  };
}

/** What a reader reads. */
const textOf = (page: string): string => page.replace(/<[^>]+>/g, '');

const log = (seed: number): string =>
  [1, 2, 3].map((step) => `${JSON.stringify({ step, loss: seed / step })}\n`).join('');

describe('what a run comes to', () => {
  const done = plan.tasks.flatMap(({ id }) => [started(id), finished(id)]);
  const end = { type: 'run-finished', outcome: 'passed', durationMs: 1 };

  test('success needs a verification without gaps; one without a score is none', () => {
    const report = (text: string) => [{ path: 'V.md', task: 'check', text }];
    const sound = report('---\nstatus: passed\nscore: 2/2\ngaps: []\n---\n');
    expect(verdictOf(factsOf([...done, end], sound))).toEqual({ status: 'SUCCESS', reason: 'all 4 tasks passed' });
    const gaps = report('---\nstatus: gaps_found\nscore: 1/2\ngaps:\n  - "b is missing"\n---\n');
    expect(verdictOf(factsOf([...done, end], gaps))).toEqual({ status: 'PARTIAL', reason: 'check leaves 1 gap' });
    expect(structuredReturn(executionRecord(factsOf([...done, end], gaps))).VERIFICATION).toBe('gaps_found 1/2');
  });

  test('what is violated has failed, what did nothing too, and what stopped in between is partial', () => {
    const outcome = (events: readonly object[]) => verdictOf(factsOf(events)).status;
    expect(outcome([...done, { ...end, outcome: 'violated' }])).toBe('FAILED');
    expect(outcome([{ ...end, outcome: 'cancelled' }])).toBe('PARTIAL');
    expect(outcome([started('data'), finished('data'), { ...end, outcome: 'cancelled' }])).toBe('PARTIAL');
    expect(outcome([])).toBe('FAILED');
  });

  test('money that nobody knows is never nothing', () => {
    const words = (events: readonly object[]) => usdText(spendOf(journal([begun, ...events])).total);
    const invoked = (call: string) => ({ type: 'agent-invoked', ...place, call, attempt: 1 });
    expect(words([invoked('1'), spent('1', { usd: 0.1 }), invoked('2'), spent('2', { usd: 0.2 })])).toBe('0.3 USD');
    expect(words([invoked('1'), spent('1', {})])).toBe('unknown (1 call)');
    expect(words([invoked('1')])).toBe('unknown (1 call)');
    expect(words([spent('1', { usd: 0.5 }), spent('2', {}), invoked('3')])).toBe('0.5 USD and 2 calls of unknown cost');
    expect(words([spent('1', { usd: 2, source: 'cap' })])).toBe('2 USD (2 of it assumed)');
  });
});

describe('report.html', () => {
  const events = [
    started('data'),
    finished('data', [{ path: `out/${hostile}.json`, digest: 'x', size: 1, mtimeNs: '1', ctimeNs: '1', ino: '1' }]),
    started('train:seed=1'),
    failed('train:seed=1', true),
    {
      type: 'fix-finished',
      task: 'train:seed=1',
      attempt: 1,
      by: 'coder',
      ok: true,
      summary: `mended ${hostile}`,
      durationMs: 500,
    },
    { type: 'retry-scheduled', task: 'train:seed=1', attempt: 2, afterMs: 1000, errorClass: 'exit 7' },
    started('train:seed=1', 2),
    finished('train:seed=1'),
    started('train:seed=2'),
    failed('train:seed=2', false),
    {
      type: 'gate-opened',
      task: 'data',
      attempt: 1,
      kind: 'human',
      question: 'q1',
      evidence: [{ path: 'd.json', digest: 'e'.repeat(64) }],
    },
    {
      type: 'gate-decided',
      task: 'data',
      question: 'q1',
      verdict: 'reject',
      by: { kind: 'person', name: 'ada' },
      reasons: [`no: ${hostile}`],
    },
    spent('1', {}),
    { type: 'metrics-recorded', task: 'train:seed=1', attempt: 2, metrics: { loss: 0.25 } },
    { type: 'run-finished', outcome: 'failed', durationMs: 1 },
  ];
  const files = [1, 2].map((seed) => ({ path: `runs/${seed}.jsonl`, task: `train:seed=${seed}`, text: log(seed) }));
  const comparison = {
    control: 'a',
    treatment: 'b',
    metric: 'loss',
    verdict: 'inconclusive',
    mean: -0.1,
    interval: [-0.4, 0.2],
    confidence: 0.95,
    perSeed: [{ seed: 3, control: 0.5, treatment: 0.4, difference: -0.1 }],
  };
  const facts = () =>
    factsOf(events, [...files, { path: 'c.json', task: 'check', text: JSON.stringify(comparison, null, 2) }]);

  test('holds everything that happened, and nothing of it is markup', async () => {
    const page = await reportPage(facts());
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/href="(?!#|\.\.\/)/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    for (const words of ['exited with code 7', 'given up', 'reject', 'ada', 'inconclusive', 'unknown (1 call)', '95 %'])
      expect(textOf(page)).toContain(words);
    for (const id of [
      'comparison',
      'curves',
      'gates',
      'graph',
      'timeline',
      'trouble',
      'tasks',
      'spend',
      'environment',
      'origins',
    ])
      expect(page).toContain(`id="${id}"`);
    // Numbers lead to the journal's lines and to those of results.
    expect(page).toContain('title="journal.jsonl:12"');
    expect(page).toContain('title="runs/2.jsonl:3"');
    expect(page).toMatch(/title="journal\.jsonl:15">0\.25</);
    // Of a pair over several lines each number leads to its own.
    expect(page).toMatch(/title="c\.json:15">0\.5</);
    expect(page).toMatch(/title="c\.json:17">−0\.1</);
    expect(await reportPage(facts())).toBe(page);
  });

  test('leaves out what there is nothing to say about', async () => {
    const page = await reportPage(factsOf([started('data'), finished('data')]));
    for (const id of ['comparison', 'curves', 'gates', 'trouble', 'jobs', 'spend', 'validation', 'protection'])
      expect(page).not.toContain(`<section id="${id}"`);
  });

  test('a number that is none is said, and not drawn as something else', async () => {
    const text = '{"step":1,"loss":1}\n{"step":2,"loss":null}\n{"step":3,"loss":"NaN"}\n';
    const page = await reportPage(
      factsOf([started('data'), finished('data')], [{ path: 'l.jsonl', task: 'data', text }]),
    );
    expect(textOf(page)).toContain('2 lines of');
    expect(page).toContain('never taken for zero');
  });

  test('a job that failed, what mended it and what came of that are told, with its GPU-hours', async () => {
    const job = { task: 'data', cluster: 'hpc', order: 'o', before: {}, attempt: 1, gpus: 2 };
    const end = { type: 'job-finished', task: 'data', cluster: 'hpc', id: '7', requeues: 0, runMs: 90_000 };
    const because = { errorClass: 'job:gpu-memory', diagnosis: 'the GPU ran out of memory', fix: 'set BATCH=8' };
    const spent = { type: 'spend-recorded', role: 'job', stage: 'data', task: 'data', agent: 'hpc', usd: 0, tokens: 0 };
    const entries = journal([
      begun,
      started('data'),
      { ...job, type: 'job-submitting', tag: 'one', job: 0 },
      { ...end, tag: 'one', how: 'failed', exitCode: 1, gpuHours: 1 / 3 },
      { ...spent, call: 'one', source: 'reported', wallMs: 90_000, gpuHours: 1 / 3 },
      { type: 'parameters-changed', task: 'data', group: 'stage data', set: { BATCH: '8' }, to: [], downstream: [] },
      { ...job, type: 'job-submitting', tag: 'two', job: 1, because },
      { ...end, tag: 'two', how: 'completed', gpuHours: 0 },
      finished('data'),
    ]);
    const told = { ...facts(), entries, state: replay(entries)! };
    expect(executionRecord(told).fixes).toEqual([
      {
        ...{ task: 'data', attempt: 1, line: 4, errorClass: 'job:gpu-memory', what: 'the GPU ran out of memory' },
        ...{ durationMs: 90_000, counted: true, by: 'the table of errors', did: 'set BATCH=8', fixLine: 7 },
        afterwards: 'passed',
      },
    ]);
    const page = await reportPage(told);
    expect(page).toContain('was changed to BATCH=8, which holds for every arm');
    expect(textOf(page)).toContain('1 job used 0.333 GPU-hours');
    expect(page).toMatch(/<a class="from" href="#j4"[^>]*>0\.333<\/a>/);
    expect(page).toMatch(/<td class="num"><a class="from" href="#j5"[^>]*>0\.333<\/a><\/td>/);
  });

  test('graphs and charts are the same pictures every time', async () => {
    await golden('run-graph.svg', await svgRunGraph(plan, facts().state));
    const chart = await drawChart({
      width: 100,
      height: 60,
      data: {
        values: [
          { a: 1, b: 2 },
          { a: 2, b: 1 },
        ],
      },
      mark: 'line',
      encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
    } as never);
    await golden('chart.svg', chart.ok ? chart.value.svg : chart.error);
  });

  test('jobs are listed with how they ended', async () => {
    const job = { task: 'data', tag: 't1', cluster: 'slurm' };
    const entries = journal([
      begun,
      { type: 'job-submitting', ...job, order: 'o'.repeat(64) },
      { type: 'job-submitted', ...job, id: '77' },
      { type: 'job-state-changed', ...job, id: '77', state: 'running' },
      { type: 'job-finished', ...job, id: '77', how: 'completed', gpuHours: 0.5 },
    ]);
    const page = await reportPage({ ...factsOf([]), entries });
    expect(page).toContain('slurm 77');
    expect(executionRecord({ ...factsOf([]), entries }).jobs[0]).toMatchObject({
      id: '77',
      config: expect.any(String),
    });
    expect(page).toContain('✓ completed');
    expect(structuredReturn(executionRecord({ ...factsOf([]), entries })).JOB_IDS).toEqual(['77']);
  });
});
