import { defineStage, knownSource, sourceNeeds, type TestResult, type ValueSource } from 'autoresearch';
import { checkProblems, filesOf } from './kinds.js';
import { look } from './look.js';
import { loadNames } from './names.js';
import { type AssertOptions, options } from './options.js';

export default defineStage({
  name: 'assert',
  summary: 'Checks that things are as they must be: values, commands, files, checklists',
  version: '1',
  options,
  describe(given) {
    const { checks, from = {}, python, to } = given;
    const needs = Object.values<ValueSource>(from).map((source) => sourceNeeds(source, python));
    const problems = problemsOf(given);
    const commands = checks.flatMap(({ command }) =>
      command === undefined ? [] : [typeof command === 'string' ? command : command.join(' ')],
    );
    return {
      summary: `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}`,
      commands: [...needs.flatMap((need) => need.commands), ...commands],
      reads: [...new Set(needs.flatMap((need) => need.reads))],
      looksAt: [...new Set(checks.flatMap(filesOf))],
      ...mustBeNew(checks),
      always: true,
      repeats: true,
      ...(to === undefined ? {} : { writes: [to] }),
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: () => [],
  async run(given, context) {
    const names = await loadNames(given, context);
    if (!names.ok) return names;
    const tests: TestResult[] = [];
    // All of them, because who mends one failure at a time is told of the next one every time.
    for (const check of given.checks) {
      const found = await look(check, names.value, context);
      if ('failure' in found) return { ok: false, failure: found.failure, tests };
      tests.push(...found.tests);
    }
    for (const { name, status, detail } of tests)
      context.log(`${signs[status]} ${name}${detail === undefined ? '' : `: ${detail}`}`);
    if (given.to !== undefined) await context.writeFile(given.to, `${JSON.stringify({ tests }, null, 2)}\n`);
    const checked = tests.filter(({ status }) => status !== 'skipped').length;
    const lines = tests.flatMap(({ name, status, detail = '' }) => (status === 'failed' ? [`${name}: ${detail}`] : []));
    if (checked === 0) lines.push('nothing was checked');
    if (lines.length > 0) return { ok: false, failure: { code: 'checks-failed', checked, lines }, tests };
    const skipped = tests.length - checked;
    const summary = `${checked} ${checked === 1 ? 'check holds' : 'checks hold'}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    return { ok: true, summary, tests, product: JSON.stringify(tests) };
  },
});

function mustBeNew(checks: AssertOptions['checks']): { mustBeNew?: string[] } {
  const lists = checks.flatMap(({ tests }) => (tests === undefined ? [] : [tests]));
  return lists.length === 0 ? {} : { mustBeNew: lists };
}

const signs = { passed: '✓', failed: '✗', skipped: '-' } as const;

function problemsOf({ checks, from = {}, let: short = {} }: AssertOptions): string[] {
  return [
    ...checks.flatMap(checkProblems),
    ...Object.entries<ValueSource>(from).flatMap(([name, source]) => {
      const known = knownSource(source);
      return typeof known === 'string' ? [`from ${name}: ${known}`] : [];
    }),
    ...[...Object.keys(from), ...Object.keys(short)]
      .filter((name) => name === 'vars' || name === 'matrix')
      .map((name) => `${name} is given by the runner, so it cannot be a name of from or let`),
    ...Object.keys(short)
      .filter((name) => Object.hasOwn(from, name))
      .map((name) => `${name} stands in both from and let`),
  ];
}
