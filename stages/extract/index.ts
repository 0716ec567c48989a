import { defineStage, type StageResult, type TestResult } from 'autoresearch';
import { copiesIn, type ReadNumbers } from './copies.js';
import { healthOf } from './health.js';
import { type Metric, options, type Source } from './options.js';
import { problemsOf } from './problems.js';
import { readRun } from './read-run.js';
import type { Texts } from './records.js';
import { type RunResult, resultsText } from './results.js';
import { filled, type Key, keysOf, keyText } from './runs.js';

export default defineStage({
  name: 'extract',
  summary: 'Takes numbers out of logs and result files, and refuses those that cannot be believed',
  version: '2',
  options,
  describe(given) {
    const { metrics = {}, health = [], each, to, missing } = given;
    const sources: readonly Source[] = [...Object.values<Metric>(metrics), ...health];
    const keys = keysOf(each);
    const files = [
      ...new Set(sources.flatMap(({ from }) => (from === undefined ? [] : keys.map((key) => filled(from, key))))),
    ];
    const problems = problemsOf(given);
    return {
      summary:
        [
          ...(Object.keys(metrics).length > 0
            ? [`${Object.keys(metrics).join(', ')} of ${keys.length} ${keys.length === 1 ? 'run' : 'runs'}`]
            : []),
          ...(health.length > 0 ? [`health of ${health.map(({ from, run }) => from ?? run).join(', ')}`] : []),
        ].join('; ') || 'nothing',
      // What may be missing is not an input that has to be there, and what is looked at while it grows is never finished.
      ...(missing === 'record' || health.length > 0 ? { looksAt: files, always: true } : { reads: files }),
      ...(files.length === 0 ? {} : { mustBeNew: files }),
      commands: [
        ...new Set(sources.flatMap(({ run }) => (run === undefined ? [] : keys.map((key) => filled(run, key))))),
      ],
      ...(sources.some(({ run }) => run !== undefined) ? { always: true } : {}),
      repeats: true,
      ...(to === undefined ? {} : { writes: [to] }),
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: ({ metrics = {}, each }) =>
    keysOf(each).flatMap((key) => Object.keys(metrics).map((name) => recordedAs(name, key))),
  async run(given, context) {
    const tests: TestResult[] = [];
    const texts: Texts = new Map();
    for (const log of given.health ?? []) {
      const found = await healthOf(log, { context, texts });
      if ('failure' in found) return { ok: false, failure: found.failure };
      tests.push(...found.tests);
    }
    const runs: RunResult[] = [];
    const numbers: ReadNumbers[] = [];
    const wrong: string[] = [];
    for (const key of given.metrics ? keysOf(given.each) : []) {
      const found = await readRun(given, key, { context, texts });
      if ('failure' in found) return { ok: false, failure: found.failure };
      runs.push(found.run);
      numbers.push({ key, series: found.series });
      wrong.push(...found.wrong.map((line) => (keyText(key) === '' ? line : `${keyText(key)}: ${line}`)));
    }
    if (given.copies !== 'allow') wrong.push(...copiesIn(given, texts, numbers));
    if (runs.length > 0 && runs.every((run) => run.missing !== undefined)) wrong.push('every run is missing');
    const done = tests.length > 0 ? { tests } : {};
    for (const { name, status, detail } of tests)
      context.log(`${status === 'passed' ? '✓' : '✗'} ${name}${detail === undefined ? '' : `: ${detail}`}`);
    for (const line of wrong) context.log(`✗ ${line}`);
    if (wrong.length > 0) return { ok: false, failure: { code: 'metrics-unusable', lines: wrong }, ...done };
    if (given.to !== undefined && runs.length > 0) await context.writeFile(given.to, resultsText(given.to, runs));
    const sick = tests.flatMap(({ name, status, detail }) => (status === 'failed' ? [`${name}: ${detail}`] : []));
    if (sick.length > 0)
      return { ok: false, failure: { code: 'checks-failed', checked: tests.length, lines: sick }, ...done };
    return { ...told(runs, tests), ...done };
  },
});

const recordedAs = (name: string, key: Key): string => (keyText(key) === '' ? name : `${name}[${keyText(key)}]`);

function told(runs: readonly RunResult[], tests: readonly TestResult[]): Extract<StageResult, { ok: true }> {
  const missing = runs.filter((run) => run.missing !== undefined).length;
  const metrics: { [name: string]: number } = {};
  for (const { key, metrics: own = {} } of runs)
    for (const [name, value] of Object.entries(own)) metrics[recordedAs(name, key)] = value;
  const single = runs.length === 1 && keyText(runs[0]!.key) === '';
  const numbers = single
    ? Object.entries(metrics).map(([name, value]) => `${name} ${Number(value.toPrecision(6))}`)
    : runs.length > 0
      ? [`${runs.length - missing} of ${runs.length} runs read`]
      : [];
  const healthy = tests.length === 0 ? [] : [`${tests.length} signs of health`];
  return {
    ok: true,
    summary: [...numbers, ...healthy].join(', '),
    ...(Object.keys(metrics).length > 0 ? { metrics } : {}),
    product: JSON.stringify([metrics, tests]),
  };
}
