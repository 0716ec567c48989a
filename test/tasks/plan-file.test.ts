import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { joinTasks, wavesOf } from '../../src/tasks/join-tasks.js';
import { planIdOf } from '../../src/tasks/plan-names.js';
import type { TaskList } from '../../src/tasks/task-list.js';
import { cpuSeconds } from '../support/cpu-seconds.js';
import { lines, problemsOf, read } from './task-text.js';

const folder = new URL('../fixtures/task-files/phase/', import.meta.url);
const fixture = (name: string) => read(readFileSync(new URL(name, folder), 'utf8'), name);
const step = '<task><name>Do it</name><action>now</action><verify><automated>make</automated></verify></task>\n';
const plan = (head: string, body = step) => `---\n${head}\n---\n${body}`;

async function joined(files: Record<string, string>, done: readonly string[] = []) {
  const lists: TaskList[] = [];
  for (const [file, text] of Object.entries(files)) lists.push(await read(text, file));
  return joinTasks(lists, { done });
}

const joinProblems = async (files: Record<string, string>, done?: readonly string[]) => {
  const result = await joined(files, done);
  const problems = result.ok ? result.value.warnings : result.error;
  return problems.map((problem) => `${problem.file} ${lines([problem])[0]}`);
};

describe('one plan', () => {
  test('frontmatter, steps, commands and prose', async () => {
    const { form, tasks, warnings } = await fixture('03-01-PLAN.md');
    expect(form).toBe('plan');
    expect(tasks).toHaveLength(1);
    expect(tasks[0]).toMatchObject({
      id: '03-01',
      title: 'Shape the reward so that short answers are not favoured.',
      files: ['rewards/shape.py'],
      verify: ['python -m pytest tests/rewards -q && test -s rewards/shape.py'],
      criteria: ['Look at the plot', 'All rewards are finite', '- No answer gains from being shorter'],
      wave: 1,
      autonomous: true,
      mustHaves: {
        truths: ['The shaped reward never exceeds the raw one'],
        artifacts: [{ path: 'rewards/shape.py', provides: 'The shaping function', contains: 'def shape' }],
        keyLinks: [],
      },
      steps: [{ name: 'Task 1: Write the shaping function', type: 'auto', place: { line: 27, column: 1 } }],
    });
    expect(lines(warnings)).toEqual(['33:5+5 warning: this <task> stands between ``` lines and is not read']);
  });

  test('headings instead of tags, and a human who takes part', async () => {
    expect((await fixture('03-02-configs-PLAN.md')).tasks[0]).toMatchObject({
      id: '03-02',
      title: 'Two configs that differ in one thing',
      verify: ['python configs/base.py > /tmp/base.json'],
      criteria: ['The two differ in the reward only'],
      steps: [
        { name: 'Write the base config', files: ['configs/base.py'] },
        { name: 'Derive the shaped one', files: ['configs/shaped.py'] },
      ],
    });
    expect((await fixture('03-03-PLAN.md')).tasks[0]).toMatchObject({
      autonomous: false,
      verify: ['python smoke.py --steps 5'],
      steps: [{ type: 'checkpoint:human-verify', action: 'A run of five steps' }],
    });
    const numbered = plan(
      'wave: 1',
      '## Tasks\n\n1. **Write it**\n   - with care\n2. Test it\n\n## After\n\n3. No step\n',
    );
    expect((await read(numbered, '01-01-PLAN.md')).tasks[0]?.steps.map(({ name }) => name)).toEqual([
      'Write it',
      'Test it',
    ]);
  });

  test('fences in fences hide no task', async () => {
    const nested = '    ```markdown\n    ```json\n    ```\n    ```\n    ```\n';
    const blocks = [1, 2, 3].map((at) => `<task>\n  <name>${at}</name>\n  <action>\n${nested}  </action>\n</task>\n`);
    const { tasks } = await read(plan('wave: 1', blocks.join('')), '01-01-PLAN.md');
    expect(tasks[0]?.steps.map(({ name }) => name)).toEqual(['1', '2', '3']);
  });

  test('a plan that begins with tests has features', async () => {
    const body = '<feature>\n<name>Parse</name>\n<behavior>1 → one</behavior>\n</feature>\n';
    expect((await read(plan('type: tdd', body), '01-01-PLAN.md')).tasks[0]?.steps).toMatchObject([
      { name: 'Parse', action: '1 → one' },
    ]);
  });

  test('prose never becomes a command', async () => {
    const verify = 'npm test passes; rm -rf / is never run';
    const text = plan('wave: 1', `<task><name>A</name><verify>${verify}</verify></task>`);
    const { tasks, warnings } = await read(text, '01-01-PLAN.md');
    expect(tasks[0]).toMatchObject({ verify: [], criteria: [verify] });
    expect(lines(warnings)).toEqual([
      '2:1+0 warning: the plan has no command that verifies it (Write a command as <automated>…</automated> inside of <verify>)',
    ]);
  });

  test('the id follows from the name of the file, else from phase and plan', async () => {
    expect(planIdOf('/p/01-02-PLAN.md')).toBe('01-02');
    expect(planIdOf('01-02-loader-PLAN.md')).toBe('01-02');
    expect(planIdOf('03-02A-PLAN.md')).toBe('03-02A');
    expect(planIdOf('03.1-02-plan.md')).toBe('03.1-02');
    expect(planIdOf('17-restore-06-PLAN.md')).toBe('17-restore-06');
    expect(planIdOf('PLAN.md')).toBeUndefined();
    expect((await read(plan('phase: 04-x\nplan: 08'), 'PLAN.md')).tasks[0]?.id).toBe('04-08');
  });

  test.each([
    ['', ['1:1+0 error: the plan has no frontmatter (Begin the file with a line "---")']],
    ['# A plan\n', ['1:1+0 error: the plan has no frontmatter (Begin the file with a line "---")']],
    ['\n---\nwave: 1\n', ['2:1+3 error: the frontmatter does not end (End it with a line "---")']],
    [plan('- a'), ['2:1+0 error: the frontmatter must be a map, not a list']],
    [
      plan('wave: 1', 'Words\n'),
      ['3:4+0 error: the plan has no tasks (Write each as <task> with <name>, <files>, <action>, <verify> and <done>)'],
    ],
    [
      plan('wave: [1\n'),
      ['4:1+1 error: flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      plan('a: 1\nwave: x'),
      ['2:1+1 warning: unknown key "a"', '3:7+1 error: wave must be a whole number from 0, not text'],
    ],
    [
      plan('phase: 1\nplan: 3'),
      ['3:7+1 warning: the file is plan "01-02", but its frontmatter says plan "3" (The name of the file counts)'],
    ],
    [
      plan('files_modified: [a.ts]', `<task><files>a.ts, /etc/hosts, b.ts\nN/A</files>\n`),
      [
        '4:1+6 warning: this <task> is not closed (Add </task>)',
        '4:1+6 warning: this <task> has no <name>',
        '2:1+0 warning: the plan has no command that verifies it (Write a command as <automated>…</automated> inside of <verify>)',
        '4:20+10 error: "/etc/hosts" leads out of the project (Name files below the project folder, relative to it)',
        '4:32+4 warning: "b.ts" is not among files_modified (List it there)',
      ],
    ],
    [
      plan(
        'autonomous: true',
        '<task type="checkpoint:decision"><name>Ask</name></task>\n<verification>`make`</verification>',
      ),
      ['2:1+0 warning: the plan says that it is autonomous, but "Ask" waits for a human'],
    ],
  ])('%j', async (text, expected) => {
    expect([...(await problemsOf(text, '01-02-PLAN.md'))].sort()).toEqual([...expected].sort());
  });

  test('a plan without a name', async () => {
    expect(await problemsOf(plan('wave: 1'), 'PLAN.md')).toEqual([
      '2:1+0 error: the plan has no id (Call the file NN-NN-PLAN.md, or write "phase" and "plan")',
    ]);
    expect(await problemsOf(plan('phase: ../x\nplan: 1'), 'PLAN.md')).toEqual([
      '3:7+1 error: the id "../x-1" holds a character that no file name may have (Use letters, digits and "-")',
    ]);
  });

  test('a body made to take long is read at once', async () => {
    const bodies = ['<task>\n', '```a\n', '<verify>', '<task\n', '<a>', '{,', '## Tasks\n1. x\n'].map((part) =>
      part.repeat(30_000),
    );
    const took = await cpuSeconds(async () => {
      for (const body of bodies) await problemsOf(plan('wave: 1', `<task><verify>${body}`), '01-01-PLAN.md');
    });
    expect(took).toBeLessThan(12);
  });
});

describe('plans together', () => {
  test('a phase', async () => {
    const lists = await Promise.all(readdirSync(folder).map(fixture));
    const result = await joinTasks(lists);
    if (!result.ok) throw new Error(lines(result.error).join('\n'));
    expect(result.value.form).toBe('plan');
    expect(result.value.tasks[2]?.dependsOn).toEqual(['03-01', '03-02']);
    expect(wavesOf(result.value.tasks)).toEqual([['03-01', '03-02'], ['03-03']]);
  });

  test('all the ways to name another plan', async () => {
    for (const name of [
      '05-01',
      '5-1',
      '"01"',
      '1',
      '05-01-PLAN',
      '05-01-PLAN.md',
      '05-data-01',
      'phases/05-data/05-01-PLAN.md',
    ]) {
      const result = await joined({
        '05-01-PLAN.md': plan('phase: 05-data\nplan: 01'),
        '05-02-PLAN.md': plan(`phase: 05-data\nplan: 02\ndepends_on: ${name}`),
      });
      expect([name, result.ok && result.value.tasks[1]?.dependsOn]).toEqual([name, ['05-01']]);
    }
  });

  test('a plan number is only good inside its phase', async () => {
    const files = {
      '05-01-PLAN.md': plan('phase: 05-data\nplan: 01'),
      '06-02-PLAN.md': plan('phase: 06-model\nplan: 02\ndepends_on: ["01"]'),
    };
    expect(await joinProblems(files)).toEqual([
      '06-02-PLAN.md 4:14+4 error: "06-02" depends on "01", which is not a task',
    ]);
  });

  test('what only shows when they are together', async () => {
    expect(
      await joinProblems({
        'a/01-01-PLAN.md': plan('wave: 1\ndepends_on: [01-03]\nfiles_modified: [x.ts]'),
        'a/01-02-PLAN.md': plan('wave: 2\nfiles_modified: [y.ts]\ndepends_on: [01-09]'),
        'a/01-03-PLAN.md': plan('wave: 2\ndepends_on: [01-01]\nfiles_modified: [x.ts]'),
        'b/01-03-PLAN.md': plan('wave: 2'),
      }),
    ).toEqual([
      'a/01-01-PLAN.md 3:14+5 error: "01-01" and "01-03" wait for each other: "01-01" → "01-03" → "01-01" (Take one link out)',
      'a/01-02-PLAN.md 4:14+5 error: "01-02" depends on "01-09", which is not a task (Did you mean "01-01"?)',
      'b/01-03-PLAN.md 2:1+0 error: the id "01-03" is also that of a task in a/01-03-PLAN.md',
    ]);
  });

  test('plans of an earlier phase that are done may be depended on', async () => {
    const files = { '02-01-PLAN.md': plan('depends_on: [01-04]') };
    expect(await joinProblems(files)).toHaveLength(1);
    expect(await joinProblems(files, ['01-04'])).toEqual([]);
  });

  test('no plans are not a plan', async () => {
    expect(await joinTasks([])).toEqual({
      ok: false,
      error: [{ severity: 'error', message: 'there are no tasks', file: '', line: 1, column: 1, length: 0 }],
    });
  });
});
