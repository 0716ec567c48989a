import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { yamlText } from '../../src/source/yaml-text.js';
import { joinTasks, wavesOf } from '../../src/tasks/join-tasks.js';
import { readTasks } from '../../src/tasks/read-tasks.js';
import { summaryProblems } from '../../src/tasks/summary-problems.js';
import { expectInside } from './task-text.js';

interface Drawn {
  readonly id: string;
  readonly needs: readonly string[];
}

/** Each task may need only those before it; then they are shuffled. */
const acyclic = fc
  .array(fc.array(fc.nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .map((rows) =>
    rows.map((row, index): Drawn => {
      const needs = index === 0 ? [] : [...new Set(row.map((one) => planId(one % index)))];
      return { id: planId(index), needs };
    }),
  )
  .chain((tasks) => fc.shuffledSubarray(tasks, { minLength: tasks.length }));

const planId = (index: number) => `07-${String(index + 1).padStart(2, '0')}`;
const graphOf = (tasks: readonly { id: string; dependsOn: readonly string[] }[]) =>
  new Map(tasks.map(({ id, dependsOn }) => [id, [...dependsOn].sort()]));

async function throughYaml(drawn: readonly Drawn[]) {
  const rows = drawn.map(({ id, needs }) => ({ id, title: `Do ${id}`, depends_on: needs, files: [`${id}.ts`] }));
  const result = await readTasks(await yamlText({ tasks: rows }), { file: 'tasks.yaml' });
  return result.ok ? result.value.tasks : [];
}

async function throughPlans(drawn: readonly Drawn[]) {
  const lists = [];
  for (const { id, needs } of drawn) {
    const head = await yamlText({ phase: '07-x', plan: id.slice(3), depends_on: needs, files_modified: [`${id}.ts`] });
    const text = `---\n${head}---\n<task><name>A</name><verify><automated>true</automated></verify></task>\n`;
    const result = await readTasks(text, { file: `${id}-PLAN.md` });
    if (result.ok) lists.push(result.value);
  }
  const joined = await joinTasks(lists);
  return joined.ok ? joined.value.tasks : [];
}

describe('any tasks without a circle', () => {
  test('are the same graph in both forms, and every wave comes after what it waits for', async () => {
    await fc.assert(
      fc.asyncProperty(acyclic, async (drawn) => {
        const expected = new Map(drawn.map(({ id, needs }) => [id, [...needs].sort()]));
        for (const tasks of [await throughYaml(drawn), await throughPlans(drawn)]) {
          expect(graphOf(tasks)).toEqual(expected);
          const waves = wavesOf(tasks);
          const waveOf = new Map(waves.flatMap((ids, wave) => ids.map((id) => [id, wave] as const)));
          for (const { id, dependsOn } of tasks)
            for (const need of dependsOn) expect(waveOf.get(need)!).toBeLessThan(waveOf.get(id)!);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('with one link back are a circle', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), async (length) => {
        const ring = Array.from({ length }, (_, at) => ({
          id: planId(at),
          title: 'T',
          needs: [planId((at + 1) % length)],
        }));
        const result = await readTasks(await yamlText(ring), { file: 'tasks.yaml' });
        expect(result.ok ? [] : result.error).toHaveLength(1);
      }),
      { numRuns: 10 },
    );
  });
});

const pieces = [
  ...[
    '- ',
    'id: ',
    'a',
    'title',
    ': ',
    '\n',
    '  ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '&x ',
    '*x',
    '<<: ',
    '"',
    "'",
    '|\n',
    '#',
    '?',
    '---\n',
  ],
  ...[
    'depends_on: ',
    'files: ',
    'wave: 1',
    'must_haves: ',
    'artifacts: ',
    '../',
    '**',
    '\r\n',
    '\uFEFF',
    '\t',
    '1.10',
    'null',
    '~',
  ],
  ...[
    '<task>',
    '</task>',
    '<task type="x">',
    '<verify>',
    '</verify>',
    '<files>',
    '```\n',
    '## Tasks\n',
    '1. ',
    '`x`',
    '__proto__: ',
  ],
];
const garbage = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 40 })
    .map((parts) => `---\n${parts.join('')}\n---\n${parts.reverse().join('')}`),
  fc.json().map((text) => `tasks: ${text}`),
);

describe('garbage', () => {
  test('never throws, always fails or has tasks, and points inside the text', async () => {
    await fc.assert(
      fc.asyncProperty(garbage, fc.constantFrom('tasks.yaml', '01-02-PLAN.md', 'PLAN.md'), async (text, file) => {
        const result = await readTasks(text, { file });
        const problems = result.ok ? result.value.warnings : result.error;
        expectInside(problems, text);
        if (result.ok) expect(result.value.tasks.length).toBeGreaterThan(0);
        else expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
        if (result.ok) await joinTasks([result.value, result.value]);
      }),
      { numRuns: 2500 },
    );
  });

  test('is no summary that throws', async () => {
    await fc.assert(
      fc.asyncProperty(garbage, async (text) => {
        expectInside(await summaryProblems(text, { id: '01-02', files: ['a.ts', 'src/**'] }), text);
      }),
      { numRuns: 500 },
    );
  });
});
