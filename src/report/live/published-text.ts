import type { TestResult } from '../../model/agents/published.js';
import type { RunState } from '../../model/state/run-state.js';
import { plainLine } from '../words/plain-line.js';

/** `5 of 6 tests passed`; what was skipped is said, because it was not checked. */
export function testsText(tests: readonly TestResult[]): string {
  const count = (status: TestResult['status']): number => tests.filter((test) => test.status === status).length;
  const skipped = count('skipped');
  return `${count('passed')} of ${tests.length} tests passed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** How many there are, and every one that did not pass; the first few of many. */
export function checklistLines(tests: readonly TestResult[] = []): string[] {
  if (tests.length === 0) return [];
  const open = tests.filter(({ status }) => status !== 'passed').sort(failedFirst);
  const more = open.length - mostOpen;
  return [
    testsText(tests),
    ...open.slice(0, mostOpen).map(openText),
    ...(more > 0 ? [`  and ${more} more that did not pass`] : []),
  ];
}

const failedFirst = (a: TestResult, b: TestResult): number => a.status.localeCompare(b.status);

const openText = ({ name, status, detail = '' }: TestResult): string =>
  plainLine(`  ${status} ${name}${detail === '' ? '' : `: ${detail}`}`);

const mostOpen = 12;

/** `loss 0.51, accuracy 0.93`; the first few of many. */
export function metricsText(metrics: { readonly [name: string]: number }): string {
  const all = Object.entries(metrics).map(([name, value]) => `${name} ${Number(value.toPrecision(6))}`);
  return all.length <= most ? all.join(', ') : `${all.slice(0, most).join(', ')} and ${all.length - most} more`;
}

const most = 6;

/** What the tasks of a run have published, a line each, with every test that failed below it. */
export function publishedLines({ tasks }: RunState): string[] {
  const lines: string[] = [];
  const telling = [...tasks.values()].filter(({ tests, metrics }) => tests ?? metrics);
  for (const { id, tests, metrics } of telling.slice(0, mostTasks)) {
    const said = [...(tests ? [testsText(tests)] : []), ...(metrics ? [metricsText(metrics)] : [])];
    lines.push(`  ${id}: ${said.join('; ')}`);
    for (const { name, status, detail = '' } of tests ?? [])
      if (status !== 'passed') lines.push(plainLine(`    ${status} ${name}${detail === '' ? '' : `: ${detail}`}`));
  }
  if (telling.length > mostTasks) lines.push(`  and ${telling.length - mostTasks} more tasks with results`);
  return lines.length === 0 ? [] : ['', ...lines];
}

const mostTasks = 20;
