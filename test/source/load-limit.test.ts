import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadModule, readTypescript } from '../../src/source/typescript.js';
import { tempProject } from '../config/temp-project.js';

const door = { defineConfig: (config: unknown) => config };
const name = 'autoresearch.config.ts';
const data = "export default { name: 'x', stages: {} };";

async function read(files: Readonly<Record<string, string>>, limitMs = 300) {
  const root = tempProject(files);
  const file = join(root, name);
  const result = await readTypescript(file, readFileSync(file, 'utf8'), { door, limitMs });
  if (result.ok) return result.value.value;
  return result.error.map(({ message, hint }) => ({ message, hint }));
}

const loops = [
  {
    message: 'evaluation was ended: it did not come to its end within 0.3 s',
    hint: 'Look for a loop that never ends, also in the files that it imports',
  },
];
const waits = [
  {
    message:
      'evaluation was ended: it waits for something that did not come within 3.0 s, or that cannot come any more',
    hint: 'Look at what it awaits: a config is data, so let a script fetch what it needs, and write it into a file',
  },
];

describe('a file that never ends is ended', () => {
  test.each([
    ['a loop', { [name]: `while (true) {}\n${data}` }],
    ['a loop that catches everything', { [name]: `for (;;) { try { while (true) {} } catch {} finally {} }\n${data}` }],
    [
      'a loop in a file that it imports',
      { [name]: `import './more.js';\n${data}`, 'more.ts': 'for (;;);\nexport {};' },
    ],
    ['a loop inside of a function', { [name]: `const f = (): never => { for (;;); };\nexport default { name: f() };` }],
    ['a pattern without an end', { [name]: `/^(a+)+$/.test('${'a'.repeat(60)}b');\n${data}` }],
  ])('%s', async (_what, files) => {
    expect(await read(files)).toEqual(loops);
  });

  test.each([
    ['for what never comes, while something else goes on', 'setInterval(() => {}, 5); await new Promise(() => {});'],
    ['for a timer of hours', 'await new Promise((done) => setTimeout(done, 1e8));'],
    ['over and over', 'for (;;) await new Promise((done) => setTimeout(done, 5));'],
  ])('one that waits %s', async (_what, text) => {
    // Long enough that no loaded machine takes what comes before the wait for a loop.
    expect(await read({ [name]: `${text}\n${data}` }, 3000)).toEqual(waits);
  });

  test('also the file of a behaviour', async () => {
    const root = tempProject({ 'stage.ts': 'while (true) {}' });
    const result = await loadModule(join(root, 'stage.ts'), { door, limitMs: 300 });
    expect(result).toMatchObject({ ok: false, error: [{ code: 'AR104', message: loops[0]!.message }] });
  });

  test('after that others are evaluated as before, and what they throw is theirs', async () => {
    expect(await read({ [name]: `while (true) {}\n${data}` })).toEqual(loops);
    expect(await read({ [name]: data }, 30_000)).toEqual({ name: 'x', stages: {} });
    expect(await read({ [name]: `await Promise.resolve();\n${data}` }, 30_000)).toEqual({ name: 'x', stages: {} });
    expect(await read({ [name]: `throw new Error('mine');` }, 30_000)).toEqual([
      { message: 'evaluation failed: mine', hint: undefined },
    ]);
  });
});
