import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { compileSchema } from '../../src/source/schema/schema.js';
import { readYaml } from '../../src/source/yaml.js';
import { taskWords } from '../../src/tasks/task-fields.js';
import { problemsOf } from './task-text.js';

const schema = JSON.parse(
  readFileSync(new URL('../../schemas/tasks.schema.json', import.meta.url), 'utf8'),
) as JsonSchema & {
  $defs: { task: { properties: Record<string, unknown> } };
};

const compiled = await compileSchema(schema);

async function fitsSchema(text: string): Promise<boolean> {
  if (!compiled.ok) throw new Error(compiled.error);
  const read = await readYaml('tasks.yaml', text);
  return read.ok && compiled.value(read.value.value).length === 0;
}

const task = (more: string) => `- { id: a, title: A, ${more} }`;

describe('the schema for editors and the reader', () => {
  test('know the same words', () => {
    const words = [...Object.values(taskWords.fields).flat(), ...taskWords.passedOver];
    expect(Object.keys(schema.$defs.task.properties).sort()).toEqual([...words].sort());
  });

  test.each([
    readFileSync(new URL('../fixtures/task-files/tasks.yaml', import.meta.url), 'utf8'),
    '- { id: a, title: A }',
    '- { name: a }',
    '- { id: 1.5, description: A }',
    'a: { title: A }',
    'tasks: { a: { title: A } }',
    'version: 2\nx-shared: 1\ntasks: [{ id: a, title: A }]',
    task('depends_on: []'),
    task('deps: null, files: null, verify: null, must_haves: null'),
    task('files: [a.ts, { path: b.ts }, "src/**"], verify: [make, { run: make test }]'),
    task('must_haves: [x, y]'),
    task('must_haves: { truths: x, artifacts: [a.ts, { path: b.ts, min_lines: 3 }], key_links: [{ from: a, to: b }] }'),
    task('wave: 0, autonomous: no, tags: [x], notes: anything'),
  ])('accept %j', async (text) => {
    expect({ schema: await fitsSchema(text), reader: await problemsOf(text) }).toEqual({ schema: true, reader: [] });
  });

  test.each([
    '',
    '[]',
    '{}',
    'words',
    'tasks: []',
    'tasks: soon',
    'version: 1',
    '- words',
    '- title: A',
    '- id: a',
    '- { id: true, title: A }',
    '- { id: a/b, title: A }',
    '- { id: .a, title: A }',
    '- { id: -a, title: A }',
    '- { id: [], title: A }',
    '- { id: a, title: [A] }',
    'tasks: [{ id: a, title: A }]\nother: 1',
    task('colour: red'),
    task('depend_on: [b]'),
    task('blocks: [b]'),
    task('depends_on: { b: 1 }'),
    task('depends_on: [[b]]'),
    task('files: [/etc/passwd]'),
    task('files: [../x]'),
    task('files: ["C:/x"]'),
    task('files: [~/x]'),
    task('files: [""]'),
    task('files: [{ name: x }]'),
    task('verify: [{ look: x }]'),
    task('verify: [""]'),
    task('wave: -1'),
    task('wave: 1.5'),
    task('wave: soon'),
    task('autonomous: perhaps'),
    task('must_haves: { truth: x }'),
    task('must_haves: { artifacts: [{ provides: x }] }'),
    task('must_haves: { artifacts: [{ path: a, min_lines: many }] }'),
    task('must_haves: { key_links: [{ from: x }] }'),
  ])('object to %j', async (text) => {
    expect({ schema: await fitsSchema(text), reader: (await problemsOf(text)).length > 0 }).toEqual({
      schema: false,
      reader: true,
    });
  });
});
