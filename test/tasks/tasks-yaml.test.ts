import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { wavesOf } from '../../src/tasks/join-tasks.js';
import { problemsOf, read } from './task-text.js';

const graphOf = async (text: string) =>
  Object.fromEntries((await read(text)).tasks.map(({ id, dependsOn }) => [id, dependsOn]));

describe('the forms that people write', () => {
  test('a file as documented', async () => {
    const list = await read(readFileSync(new URL('../fixtures/task-files/tasks.yaml', import.meta.url), 'utf8'));
    expect(list.warnings).toEqual([]);
    expect(list.form).toBe('tasks');
    expect(wavesOf(list.tasks)).toEqual([['env'], ['data', 'model'], ['4.10']]);
    expect(list.tasks[1]).toMatchObject({
      id: 'data',
      title: 'Prepare the corpus',
      description: '',
      dependsOn: ['env'],
      files: ['data/clean/**', 'src/data/clean.py'],
      verify: ['python -m src.data.clean --check', 'test -s data/clean/train.txt'],
      mustHaves: {
        truths: ['The split is the same on every machine'],
        artifacts: [
          {
            path: 'src/data/clean.py',
            provides: 'The cleaning of the corpus',
            exports: ['clean', 'split'],
            minLines: 20,
          },
        ],
        keyLinks: [{ from: 'src/data/clean.py', to: 'data/clean', via: 'writes the split', pattern: 'write_text' }],
      },
      autonomous: true,
      place: { line: 10, column: 5 },
    });
    expect(list.tasks[3]).toMatchObject({ id: '4.10', wave: 3, autonomous: false });
  });

  test.each([
    ['a list', '- { id: a, title: A }\n- { id: b, title: B, depends_on: [a] }\n'],
    ['a map with tasks', 'tasks:\n- { id: a, title: A }\n- { id: b, title: B, deps: [a] }\n'],
    ['a map from ids', 'a: { title: A }\nb: { title: B, dependencies: [a] }\n'],
    ['a map from ids below tasks', 'tasks: { a: { title: A }, b: { title: B, needs: a } }\n'],
    ['name for the id', '- { name: a }\n- { name: b, dependsOn: a }\n'],
    ['JSON', '[{"id": "a", "title": "A"}, {"id": "b", "title": "B", "requires": ["a"]}]'],
    [
      'line ends of Windows, and a mark at the beginning',
      '\uFEFF- id: a\r\n  title: A\r\n- id: b\r\n  title: B\r\n  after: a\r\n',
    ],
    ['an alias', '- &first { id: a, title: A }\n- { <<: *first, id: b, depends_on: [a] }\n'],
  ])('%s', async (_, text) => {
    expect(await graphOf(text)).toEqual({ a: [], b: ['a'] });
  });

  test('numbers stay what was written', async () => {
    expect(
      await graphOf('- { id: 01, title: A }\n- { id: 1.10, title: B, needs: 01 }\n- { id: 1.1, title: C }'),
    ).toEqual({
      '01': [],
      '1.10': ['01'],
      '1.1': [],
    });
  });

  test('one text stands for a list, and paths are worked out', async () => {
    const { tasks } = await read(
      '- { id: a, title: A, files_modified: "./src/a.ts, src/x/../{b,c}.ts", verify: make }',
    );
    expect(tasks[0]).toMatchObject({ files: ['src/a.ts', 'src/{b,c}.ts'], verify: ['make'] });
  });

  test('a task with a wave and without depends_on waits for the nearest earlier wave', async () => {
    const text = `
- { id: a, title: A, wave: 1 }
- { id: b, title: B, wave: 1 }
- { id: c, title: C, wave: 4 }
- { id: d, title: D, wave: 7, depends_on: [a] }
- { id: e, title: E }
`;
    expect(await graphOf(text)).toEqual({ a: [], b: [], c: ['a', 'b'], d: ['a'], e: [] });
    expect(wavesOf((await read(text)).tasks)).toEqual([
      ['a', 'b', 'e'],
      ['c', 'd'],
    ]);
  });
});

describe('what is wrong with a file', () => {
  test.each([
    ['', ['1:1+0 error: there are no tasks (Write at least one task)']],
    ['# later\n', ['1:1+0 error: there are no tasks (Write at least one task)']],
    ['tasks: []', ['1:1+9 error: there are no tasks (Write at least one task)']],
    ['[]', ['1:1+2 error: there are no tasks (Write at least one task)']],
    ['{}', ['1:1+2 error: there are no tasks (Write at least one task)']],
    ['just words', ['1:1+10 error: the tasks must be a list, not text']],
    ['tasks: soon', ['1:8+4 error: the tasks must be a list, not text']],
    ['taks:\n  a: { title: A }', ['1:1+4 error: "tasks" is missing (Did you mean "tasks"?)']],
    ['version: 1', ['1:1+10 error: "tasks" is missing']],
    ['- write it\n- 7', ['1:3+8 error: a task must be a map, not text', '2:3+1 error: a task must be a map, not 7']],
    ['- title: A\n', ['1:3+8 error: a task has no id (Add an "id")']],
    ['- { id: true, title: A }', ['1:9+4 error: the id of a task must be text or a number, not true']],
    ['- id: a\n', ['1:7+1 error: the task "a" does not say what is to be done (Give it a "title")']],
    [
      '- { id: ../../etc, title: A }',
      ['1:9+9 error: the id "../../etc" holds a character that no file name may have (Use letters, digits and "-")'],
    ],
    ['- { id: .git, title: A }', ['1:9+4 error: the id ".git" begins with "." (Use letters, digits and "-")']],
    ['- { id: --force, title: A }', ['1:9+7 error: the id "--force" begins with "-" (Use letters, digits and "-")']],
    ['- { id: a, title: A }\n- { id: a, title: B }', ['2:9+1 error: the id "a" is also that of a task in line 1']],
    ['- id: a\n  title: A\n  id: b\n', ['3:3+2 error: the key "id" is written twice (Keep one of the two)']],
    ['- { id: a, title: A, wave: soon }', ['1:28+4 error: wave must be a whole number from 0, not text']],
    ['- { id: a, title: A, wave: -1 }', ['1:28+2 error: wave must be a whole number from 0, not -1']],
    ['- { id: a, title: A, autonomous: perhaps }', ['1:34+7 error: autonomous must be true or false, not text']],
    [
      '- { id: a, title: [x] }',
      [
        '1:9+1 error: the task "a" does not say what is to be done (Give it a "title")',
        '1:19+3 error: "title" must be text, not a list',
      ],
    ],
    [
      '- { id: a, title: A, verify: [{ look: at it }] }',
      ['1:31+15 error: verify must be a list of commands, not of a map'],
    ],
    ['- { id: a, title: A, depends_on: { b: 1 } }', ['1:34+8 error: depends_on must be a list of texts, not a map']],
    ['tasks: [\n', ['2:1+0 error: flow sequence in block collection must be sufficiently indented and end with a ]']],
    ['- { id: a, title: A, title: !x B }', ['1:29+2 error: unresolved tag: !x (Remove the tag: tasks are plain data)']],
    [
      '- &a { id: a, title: A, notes: *a }',
      ['1:32+2 error: [0].notes is a value that contains itself, not plain data'],
    ],
  ])('%j', async (text, expected) => {
    expect(await problemsOf(text)).toEqual(expected);
  });

  test('keys: a slip in what decides about order, scope or checks is an error, any other a warning', async () => {
    expect(
      await problemsOf(
        '- id: a\n  title: A\n  colour: red\n  verfy: make\n  depend_on: [b]\n  flies: x\n  blocks: [b]\n',
      ),
    ).toEqual([
      '3:3+6 warning: unknown key "colour"',
      '4:3+5 error: unknown key "verfy" (Did you mean "verify"?)',
      '5:3+9 error: unknown key "depend_on" (Did you mean "depends_on"?)',
      '6:3+5 error: unknown key "flies" (Did you mean "files"?)',
      '7:3+6 error: "blocks" is not read (Write "depends_on" in the task that has to wait)',
    ]);
    expect(await problemsOf('- { id: a, title: A, needs: [], deps: [] }')).toEqual([
      '1:33+4 error: "needs" and "deps" mean the same, and both are written (Keep one of the two)',
    ]);
  });

  test('must-haves that could not be checked', async () => {
    expect(
      await problemsOf(`- id: a
  title: A
  must_haves:
    truth: x
    artifacts: [{ provides: y }, ../out.txt, 3.5, { path: a.ts, min_lines: many }]
    key_links: [{ from: a.ts }, { to: a.ts }, [x]]
`),
    ).toEqual([
      '4:5+5 error: unknown key "truth" (Did you mean "truths"?)',
      '5:17+15 error: an artifact has no path',
      '5:34+10 error: "../out.txt" leads out of the project',
      '5:76+4 error: "min_lines" must be a whole number',
      '6:17+14 error: a key link has no "to"',
      '6:33+12 error: a key link has no "from"',
      '6:47+3 error: a key link must be a map, not a list',
    ]);
  });

  test('all problems come at once', async () => {
    expect(
      await problemsOf(`- { id: a, title: A, files: [/etc/passwd], needs: [bb] }
- { id: b, title: B, needs: [c], wave: 2, files: [x.ts] }
- { id: c, title: C, wave: 3, files: [x.ts], needs: [] }
- { id: d, title: D, files: [x.ts] }
`),
    ).toEqual([
      '1:30+11 error: "/etc/passwd" leads out of the project (Name files below the project folder, relative to it)',
      '1:52+2 error: "a" depends on "bb", which is not a task (Did you mean "b"?)',
      '2:40+1 error: "b" is of wave 2, but it waits for "c" of wave 3 (Put "b" into a later wave than 3)',
      '3:28+1 warning: "c" is of wave 3 but depends on nothing, so it starts at once (Leave "depends_on" out to wait for the wave before)',
      '4:30+4 error: "b" and "d" may run at the same time, and both write "x.ts" (Let "d" depend on "b")',
    ]);
  });
});

describe('bounds', () => {
  test('aliases that stand for more than memory holds', async () => {
    const bomb = Array.from(
      { length: 12 },
      (_, at) => `l${at}: &l${at} [${Array(10).fill(at === 0 ? 'x' : `*l${at - 1}`)}]`,
    );
    expect(await problemsOf(`${bomb.join('\n')}\ntasks: *l11\n`)).toEqual([
      '6:38+3 error: l5[7] is aliases that stand for more than 1000000 values, not plain data',
    ]);
  });

  test('deep nesting, thousands of mistakes, thousands of tasks', async () => {
    expect(await problemsOf(`[${'['.repeat(100_000)}`)).not.toEqual([]);
    const mistakes = await problemsOf('- x\n'.repeat(3000));
    expect(mistakes).toHaveLength(1001);
    expect(mistakes.at(-1)).toBe('3001:1+0 error: 2000 more problems are not listed');
    const many = Array.from({ length: 2001 }, (_, at) => `- { id: t${at}, title: T }`).join('\n');
    expect(await problemsOf(many)).toEqual(['2001:9+5 error: there are more than 2000 tasks']);
  });

  test('a shared list of files and a chain of thousands of tasks', async () => {
    const files = `[${Array.from({ length: 300 }, (_, at) => `d${at}/*.ts`)}]`;
    const shared = Array.from(
      { length: 300 },
      (_, at) => `- { id: t${at}, title: T, files: ${at === 0 ? `&f ${files}` : '*f'} }`,
    );
    expect(await problemsOf(shared.join('\n'))).toEqual([
      expect.stringContaining('error: there are more than 20000 files to compare'),
    ]);
    const chain = Array.from({ length: 2000 }, (_, at) => `- { id: t${at}, title: T, wave: ${at}, files: [x] }`);
    expect((await read(chain.join('\n'))).tasks.at(-1)?.dependsOn).toEqual(['t1998']);
  });
});
