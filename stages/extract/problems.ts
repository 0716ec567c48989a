import type { ExtractOptions, Health, Metric, Source } from './options.js';
import { formatOf } from './records.js';
import { keysOf, keyText, unknownNames } from './runs.js';

/** What is wrong with the options, beyond what their schema can say. */
export function problemsOf(given: ExtractOptions): string[] {
  const { metrics, health = [], each, must, to, missing, copies } = given;
  if (!metrics && health.length === 0) return ['say what to read: metrics, or health'];
  const keys = keysOf(each).map(keyText);
  return [
    ...Object.entries<Metric>(metrics ?? {}).flatMap(([name, metric]) => [
      ...sourceProblems(metric, each).map((problem) => `${name}: ${problem}`),
      ...pickProblems(metric).map((problem) => `${name}: ${problem}`),
    ]),
    ...health.flatMap((log, index) => healthProblems(log).map((problem) => `health ${index + 1}: ${problem}`)),
    ...(metrics && to === undefined ? ['say where the results go: to'] : []),
    ...(!metrics && (to ?? each ?? must ?? missing ?? copies) !== undefined
      ? ['to, each, must, missing and copies are for metrics']
      : []),
    ...(new Set(keys).size < keys.length ? ['a value stands twice in each'] : []),
    ...Object.keys(each ?? {})
      .filter((name) => name === 'metrics' || name === 'missing')
      .map((name) => `each cannot have the name ${name}`),
    ...(metrics ? withoutEffect(each, Object.values<Metric>(metrics)) : []),
    ...(copies !== undefined && !each ? ['copies has no effect without each'] : []),
    ...Object.entries(must ?? {}).flatMap(([field, value]) =>
      unknownNames(String(value), each).map((name) => `must ${field}: there is no {${name}} in each`),
    ),
  ];
}

/** The same number under every value of a name is not a number of each of them. */
function withoutEffect(each: object = {}, metrics: readonly Metric[]): string[] {
  const written = metrics.flatMap(({ from, run, where = {} }) => [from, run, ...Object.values(where)]).join('\n');
  return Object.keys(each)
    .filter((name) => !written.includes(`{${name}}`))
    .map((name) => `each has ${name}, and every value of it reads the same: put {${name}} into from, run or where`);
}

function sourceProblems(source: Source, each: object | undefined): string[] {
  const { from, run, pattern, at } = source;
  if ((from === undefined) === (run === undefined)) return ['say either from, a file, or run, a command'];
  const format = formatOf(source);
  if (format === undefined) return [`the ending of ${from} does not say what it is: state format`];
  return [
    ...unknownNames(from ?? run!, each).map((name) => `there is no {${name}} in each`),
    ...(format === 'text' && pattern === undefined ? ['text needs a pattern'] : []),
    ...(format !== 'text' && pattern !== undefined ? [`pattern has no effect for ${format}`] : []),
    ...(at !== undefined && format !== 'json' && format !== 'yaml' ? [`at has no effect for ${format}`] : []),
    ...(pattern === undefined ? [] : patternProblems(pattern, source)),
  ];
}

/** Only names in the expression itself can be fields. */
function patternProblems(pattern: string, source: Source): string[] {
  const groups = [...pattern.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map(([, name]) => name!);
  if (groups.length === 0) return ['the pattern has no named group: (?<loss>…)'];
  const wanted = fieldsOf(source as Metric & Health);
  return wanted.filter((field) => !groups.includes(field)).map((field) => `the pattern has no group ${field}`);
}

const fieldsOf = ({ value, step, loss, reward, stepTime, where = {} }: Partial<Metric & Health>): string[] =>
  [value, step, loss, reward, stepTime, ...Object.keys(where)].filter((field): field is string => field !== undefined);

function pickProblems({ pick, better }: Metric): string[] {
  if (pick === 'best' && better === undefined) return ['say which is better: lower or higher'];
  return pick !== 'best' && better !== undefined ? ['better has no effect without pick: best'] : [];
}

function healthProblems(log: Health): string[] {
  const { stepTime, maxStepTime, loss, falling, step, reward } = log;
  return [
    ...sourceProblems(log, undefined),
    ...(maxStepTime !== undefined && stepTime === undefined ? ['maxStepTime needs stepTime, the field'] : []),
    ...(falling !== undefined && loss === undefined ? ['falling needs loss, the field'] : []),
    ...((step ?? stepTime ?? loss ?? reward) === undefined
      ? ['say what to look at: step, stepTime, loss or reward']
      : []),
  ];
}
