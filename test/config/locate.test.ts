import { expect, test } from 'vitest';
import { LineIndex } from '../../src/config/line-index.js';
import type { Address, Diagnostic } from '../../src/model/diagnostic.js';
import { resolved } from './resolved.js';

const shell = (text: string) => `name: x\nstages:\n  a:\n    uses: command\n    with:\n${text}`;

/** The text that a part of `stages.a.with.run` is marked with, and its line. */
async function marked(files: Readonly<Record<string, string>>, part: string): Promise<string> {
  const { config, locate } = await resolved(files);
  const run = String((config.stages.a!.with as { run: string }).run);
  const start = run.indexOf(part);
  const [located] = locate([
    {
      code: 'AR402',
      message: 'm',
      at: { kind: 'config', pointer: '/stages/a/with/run', within: [start, start + part.length] },
    },
  ]);
  const { line, column, endColumn, text } = located!.place!;
  return `${line}: ${text!.slice(column! - 1, endColumn! - 1)}`;
}

test.each([
  ['plain', '      run: echo {{vars.a}} {{vars.b}}\n', '6: {{vars.b}}'],
  ['single quotes', "      run: 'echo {{vars.b}}'\n", '6: {{vars.b}}'],
  ['escapes elsewhere', '      run: "say \\"hi\\" {{vars.b}}"\n', '6: {{vars.b}}'],
  ['a block', '      run: |\n        echo {{vars.a}}\n        echo {{vars.b}}\n', '8: {{vars.b}}'],
  ['a folded block', '      run: >-\n        echo {{vars.a}}\n        and {{vars.b}}\n', '8: {{vars.b}}'],
])('a part of a text in YAML: %s', async (_, text, expected) => {
  expect(await marked({ 'autoresearch.config.yaml': shell(text) }, '{{vars.b}}')).toBe(expected);
});

test('the second of equal parts, in a block', async () => {
  const { locate } = await resolved({
    'autoresearch.config.yaml': shell('      run: |\n        {{x}}\n        {{x}}\n'),
  });
  const [located] = locate([
    { code: 'AR402', message: 'm', at: { kind: 'config', pointer: '/stages/a/with/run', within: [6, 11] } },
  ]);
  expect(located!.place).toMatchObject({ line: 8, column: 9, endColumn: 14 });
});

test('a part that the source spells otherwise: the whole text', async () => {
  const text = '{ "name": "x", "stages": { "a": { "uses": "command", "with": { "run": "a \\u007b{x}}" } } } }';
  expect(await marked({ 'autoresearch.config.json': text }, '{{x}}')).toBe('1: "a \\u007b{x}}"');
});

test('a part of a text in TypeScript, in quotes and in a template', async () => {
  const config = (run: string) =>
    `export default {\n  name: 'x',\n  stages: { a: { uses: 'command', with: { run: ${run} } } },\n};\n`;
  expect(await marked({ 'autoresearch.config.ts': config("'echo {{vars.b}}'") }, '{{vars.b}}')).toBe('3: {{vars.b}}');
  expect(await marked({ 'autoresearch.config.ts': config('`echo \\`\n{{vars.b}}`') }, '{{vars.b}}')).toBe(
    '4: {{vars.b}}',
  );
});

test('files, arguments, related places, and addresses that nothing wrote', async () => {
  const { root, locate } = await resolved({
    'autoresearch.config.yaml': 'name: x\nstages:\n  a: { uses: command }\n',
    'stages/mine.ts': 'one\ntwo three\n',
  });
  const at = (address: Address): Diagnostic => ({ code: 'AR305', message: 'm', at: address });
  const file = `${root}/stages/mine.ts`;
  expect(locate([at({ kind: 'file', file, range: { start: 8, end: 13 } })])[0]!.place).toEqual({
    file: 'stages/mine.ts',
    line: 2,
    column: 5,
    text: 'two three',
    endColumn: 10,
  });
  expect(locate([at({ kind: 'file', file: `${root}/gone.ts`, range: { start: 8, end: 13 } })])[0]!.place).toEqual({
    file: 'gone.ts',
  });
  expect(locate([at({ kind: 'argument', argument: '--x' })])[0]).toEqual({
    code: 'AR305',
    message: 'm',
    at: { kind: 'argument', argument: '--x' },
  });
  const around = {
    file: 'autoresearch.config.yaml',
    pointer: '/stages',
    line: 2,
    column: 1,
    text: 'stages:',
    endColumn: 7,
  };
  expect(locate([at({ kind: 'config', pointer: '/stages/none/uses' })])[0]!.place).toEqual(around);
  expect(locate([at({ kind: 'config', pointer: '/none' })])[0]!.place).toEqual({
    file: 'autoresearch.config.yaml',
    pointer: '',
  });
  expect(locate([at({ kind: 'config', pointer: '/stages/a', key: true })])[0]!.place).toEqual({
    file: 'autoresearch.config.yaml',
    pointer: '/stages/a',
    line: 3,
    column: 3,
    text: '  a: { uses: command }',
    endColumn: 4,
  });
  const related = [{ message: 'here', at: { kind: 'config', pointer: '/name' } as const }];
  expect(locate([{ code: 'AR502', message: 'm', related }])[0]!.relatedPlaces).toMatchObject([
    { message: 'here', place: { line: 1, column: 7 } },
  ]);
  expect(locate([{ code: 'AR101', message: 'm' }])).toEqual([{ code: 'AR101', message: 'm' }]);
});

test('a value over several lines is marked to the end of its first', async () => {
  const { locate } = await resolved({
    'autoresearch.config.json': '{ "name": "x", "stages": {\n  "a": { "uses": "x" } } }',
  });
  expect(locate([{ code: 'AR501', message: 'm', at: { kind: 'config', pointer: '/stages' } }])[0]!.place).toMatchObject(
    { line: 1, column: 26, endColumn: 27 },
  );
});

test('lines and columns at the edges of a text', () => {
  const lines = new LineIndex('ab\r\n\nc');
  expect(lines.place({ start: 0, end: 2 })).toEqual({ line: 1, column: 1, text: 'ab', endColumn: 3 });
  expect(lines.place({ start: 3, end: 4 })).toEqual({ line: 1, column: 3, text: 'ab', endColumn: 3 });
  expect(lines.place({ start: 4, end: 4 })).toEqual({ line: 2, column: 1, text: '', endColumn: 1 });
  expect(lines.place({ start: 5, end: 6 })).toEqual({ line: 3, column: 1, text: 'c', endColumn: 2 });
  expect(lines.place({ start: 6, end: 99 })).toEqual({ line: 3, column: 2, text: 'c', endColumn: 2 });
  expect(new LineIndex('').place({ start: 0, end: 0 })).toEqual({ line: 1, column: 1, text: '', endColumn: 1 });
});
