import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import { loadModule, readTypescript } from '../../src/source/typescript.js';
import { snapshot, tempProject } from '../config/temp-project.js';

const door = { defineConfig: (config: unknown) => config, defineStage: (stage: unknown) => stage };

/** Reads the first of the files. */
async function read(files: Readonly<Record<string, string>> | string) {
  const all = typeof files === 'string' ? { 'autoresearch.config.ts': files } : files;
  const root = tempProject(all);
  const [name = ''] = Object.keys(all);
  const file = join(root, name);
  const before = snapshot(root);
  const result = await readTypescript(file, readFileSync(file, 'utf8'), { door });
  expect(snapshot(root)).toEqual(before);
  return { root, result, text: all[name as keyof typeof all] as string };
}

async function value(files: Readonly<Record<string, string>> | string): Promise<unknown> {
  const { result } = await read(files);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  expect(result.value.mistakes ?? []).toEqual([]);
  return result.value.value;
}

/** The mistakes, with the underlined text instead of offsets and names instead of absolute paths. */
async function mistakes(files: Readonly<Record<string, string>> | string) {
  const { root, result } = await read(files);
  const found = result.ok ? (result.value.mistakes ?? []) : result.error;
  return found.map(({ at, ...rest }: Diagnostic) => {
    if (at?.kind !== 'file') return { ...rest, at };
    const { range, pointer } = at;
    const before = range && readFileSync(at.file, 'utf8').slice(0, range.start);
    return {
      ...rest,
      file: at.file.replace(`${root}/`, ''),
      ...(pointer === undefined ? {} : { pointer }),
      ...(range
        ? { line: before!.split('\n').length, text: readFileSync(at.file, 'utf8').slice(range.start, range.end) }
        : {}),
    };
  });
}

describe('a key that is written twice (AR108)', () => {
  test('in the config and in files that it imports, not in what is installed', async () => {
    const files = {
      'autoresearch.config.ts':
        "import { more } from './more.js';\nimport 'lib';\nexport default { vars: { n: 1, n: 2 }, stages: { ...more } };",
      'more.ts': "export const more = { a: { uses: 'x' }, a: { uses: 'y' } };",
      'node_modules/lib/package.json': '{"name":"lib","main":"lib.ts"}',
      'node_modules/lib/lib.ts': 'export const a = { b: 1, b: 2 };',
    };
    expect((await mistakes(files)).map(({ related, ...rest }) => ({ ...rest, first: related?.length }))).toEqual([
      {
        code: 'AR108',
        message: 'the key "n" is written twice',
        hint: 'Keep one of the two',
        file: 'autoresearch.config.ts',
        line: 3,
        text: 'n',
        first: 1,
      },
      {
        code: 'AR108',
        message: 'the key "a" is written twice',
        hint: 'Keep one of the two',
        file: 'more.ts',
        line: 1,
        text: 'a',
        first: 1,
      },
    ]);
  });
});

describe('loading', () => {
  test('types, enums, satisfies and as const leave data behind', async () => {
    const text = `
import { defineConfig, type Config } from 'autoresearch';
import type { Missing } from './missing.js';
enum Size { small = 1, large }
interface Shape { readonly a: number }
const shape = { a: Size.large } satisfies Shape;
const many = [1, 2] as const;
export default defineConfig({ name: 'x', vars: { ...shape, many: [...many] as number[], n: 1_000, o: shape?.a ?? 0 } } as Config);
`;
    expect(await value(text)).toEqual({ name: 'x', vars: { a: 2, many: [1, 2], n: 1000, o: 2 } });
  });

  test.each([
    ['ts', 'export default { n: 1 as number }'],
    ['mts', 'export default { n: 1 as number }'],
    ['cts', 'module.exports = { n: 1 as number }'],
    ['js', 'export default { n: 1 }'],
    ['mjs', 'export default { n: 1 }'],
    ['cjs', 'module.exports = { n: 1 }'],
  ])('.%s', async (ending, text) => {
    expect(await value({ [`autoresearch.config.${ending}`]: text })).toEqual({ n: 1 });
  });

  test('JavaScript that would be TypeScript of another meaning', async () => {
    expect(
      await value({ 'c.js': 'const [f, a, b, c] = [1, 2, 3, 4]; export default { x: [f < a, b > (c)] }' }),
    ).toEqual({ x: [true, false] });
  });

  test('imports of other files, in every way they may be written', async () => {
    const files = {
      'c.ts': `
import a from './a.ts';
import { b } from './b.js';
import { c } from './third';
import folder from './folder';
import data from './data.json' with { type: 'json' };
import * as all from './deep/all.mjs';
export default { a, b, c, folder, data, all: all.one + all.two };
`,
      'a.ts': 'export default 1 as number;',
      'b.ts': 'export const b: number = 2;',
      'b.js': 'export const b = "the compiled one, which may be old";',
      'third.mts': 'export const c = 3;',
      'folder/index.ts': "export { b as default } from '../b.js';",
      'data.json': '{ "n": [5] }',
      'deep/all.mjs': "export * from './one.ts'; export const two = 2;",
      'deep/one.ts': 'export const one: number = 1;',
    };
    expect(await value(files)).toEqual({ a: 1, b: 2, c: 3, folder: 2, data: { n: [5] }, all: 3 });
  });

  test('a JavaScript file that imports ./b.js gets ./b.js', async () => {
    const files = {
      'c.js': "import { b } from './b.js'; export default { b };",
      'b.ts': 'export const b = 1;',
      'b.js': 'export const b = 2;',
    };
    expect(await value(files)).toEqual({ b: 2 });
  });

  test('files that import each other, as in CommonJS', async () => {
    const files = {
      'c.ts': "import { a, fromB } from './a.ts'; export default { a, fromB: fromB() };",
      'a.ts':
        "import { b, aDuringB } from './b.ts'; export const a = 'a'; export const fromB = () => [b, String(aDuringB)];",
      'b.ts': "import { a } from './a.ts'; export const aDuringB = a; export const b = 'b';",
    };
    expect(await value(files)).toEqual({ a: 'a', fromB: ['b', 'undefined'] });
  });

  test('top-level await, dynamic import and import.meta', async () => {
    const files = {
      'c.ts': `const { n } = await import('./n.ts');
const text = 'import.meta stays in text';
export default { n, text, here: import.meta.url.endsWith('/c.ts'), dir: import.meta.dirname === __dirname, file: import . meta.filename };
`,
      'n.ts': 'export const n = 7;',
    };
    const result = (await value(files)) as Record<string, unknown>;
    expect(result).toMatchObject({ n: 7, text: 'import.meta stays in text', here: true, dir: true });
    expect(result.file).toMatch(/\/c\.ts$/);
  });

  test('packages: CommonJS, ES modules, only for import, waiting at the top level, and in TypeScript', async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    onTestFinished(() => void process.off('warning', listener));
    const pkg = (name: string, about: object, index: string, file = 'index.js') => ({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, ...about }),
      [`node_modules/${name}/${file}`]: index,
    });
    const files = {
      'c.ts': `
import { readFileSync } from 'node:fs';
import path from 'path';
import common from 'common';
import { esm } from 'esm';
import { onlyImport } from 'only-import';
import waits from 'waits';
import { typed } from 'typed';
export default { fs: typeof readFileSync, path: path.join('a', 'b'), common: common.n, esm, onlyImport, waits, typed };
`,
      ...pkg('common', {}, 'exports.n = 1;'),
      ...pkg('esm', { type: 'module' }, 'export const esm = 2;'),
      ...pkg('only-import', { type: 'module', exports: { import: './index.js' } }, 'export const onlyImport = 3;'),
      ...pkg('waits', { type: 'module', main: 'index.js' }, 'export default await Promise.resolve(4);'),
      ...pkg('typed', { main: 'index.ts' }, 'export const typed: number = 5;', 'index.ts'),
    };
    expect(await value(files)).toEqual({
      fs: 'function',
      path: 'a/b',
      common: 1,
      esm: 2,
      onlyImport: 3,
      waits: 4,
      typed: 5,
    });
    await new Promise((done) => setImmediate(done));
    expect(warnings.map(String)).toEqual([]);
  });

  test('a module of a behaviour, with the files it is made of', async () => {
    const root = tempProject({
      'stages/mine.ts':
        "import { defineStage } from 'autoresearch'; import { n } from './lib/n.ts'; import d from './d.json'; import 'node:fs'; export default defineStage({ name: 'mine', n, d, run: () => 1 }); export const extra = 2;",
      'stages/lib/n.ts': 'export const n = 3;',
      'stages/d.json': '{}',
    });
    const loaded = await loadModule(join(root, 'stages/mine.ts'), { door });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    expect(loaded.value.exports).toMatchObject({ default: { name: 'mine', n: 3 }, extra: 2 });
    expect(loaded.value.files).toEqual(
      ['stages/mine.ts', 'stages/lib/n.ts', 'stages/d.json'].map((name) => join(root, name)),
    );
    expect(loaded.value.text).toContain('defineStage');
    const missing = await loadModule(join(root, 'none.ts'), { door });
    expect(missing).toMatchObject({
      ok: false,
      error: [{ code: 'AR104', message: 'cannot read the file: ENOENT: no such file or directory' }],
    });
  });

  test('each load starts afresh', async () => {
    const root = tempProject({
      'c.ts': "import { n } from './n.ts'; export default n;",
      'n.ts': 'export const n = { count: 0 }; n.count += 1;',
    });
    for (let round = 0; round < 2; round++) {
      const loaded = await loadModule(join(root, 'c.ts'), { door });
      expect(loaded.ok && loaded.value.exports.default).toEqual({ count: 1 });
    }
  });
});

describe('syntax (AR103)', () => {
  test('found by the transformer', async () => {
    expect(await mistakes('export default {\n  name: "x"\n  vars: {},\n};\n')).toEqual([
      {
        code: 'AR103',
        message: 'unexpected token, expected ","',
        file: 'autoresearch.config.ts',
        line: 3,
        text: 'vars',
      },
    ]);
  });

  test('found only by the engine, at its column in the source', async () => {
    expect(await mistakes('const first: number = 1; const first = 2;\nexport default {};\n')).toEqual([
      {
        code: 'AR103',
        message: "identifier 'first' has already been declared",
        file: 'autoresearch.config.ts',
        line: 1,
        text: 'first',
      },
    ]);
    const [later] = await mistakes('export default {};\nconst long: Record<string, string> = {}; let a = 1, a = 2;\n');
    expect(later).toMatchObject({ line: 2, text: 'a' });
  });

  test('in a file that is imported', async () => {
    expect(
      await mistakes({
        'c.ts': "import { x } from './x.ts';\nexport default { x };",
        'x.ts': 'export const x = [1;\n',
      }),
    ).toEqual([{ code: 'AR103', message: 'unexpected token, expected ","', file: 'x.ts', line: 1, text: ';' }]);
    expect(
      await mistakes({ 'c.ts': "import x from './x.json';\nexport default { x };", 'x.json': '{ "a": }\n' }),
    ).toEqual([{ code: 'AR103', message: 'expected a value, but found "}"', file: 'x.json', line: 1, text: '}' }]);
  });

  test('await at the top level of an imported file', async () => {
    expect(
      await mistakes({
        'c.ts': "import { x } from './x.ts';\nexport default { x };",
        'x.ts': '\nexport const x = await 1;\n',
      }),
    ).toEqual([
      {
        code: 'AR103',
        message: 'await stands outside an async function',
        hint: 'Only the config file itself may use await at its top level, not a file that it imports',
        file: 'x.ts',
        line: 2,
        text: 'await',
      },
    ]);
  });
});

describe('evaluation (AR104)', () => {
  test('something is thrown, at its place', async () => {
    expect(await mistakes('const shape: { a?: { b: number } } = {};\n\nexport default { n: shape.a!.b };\n')).toEqual([
      {
        code: 'AR104',
        message: "evaluation failed: TypeError: Cannot read properties of undefined (reading 'b')",
        file: 'autoresearch.config.ts',
        line: 3,
        text: 'b',
      },
    ]);
  });

  test('something is thrown in an imported file', async () => {
    const files = {
      'c.ts': "import { check } from './check.ts';\nexport default check();\n",
      'check.ts': "export function check(): never {\n  throw new Error('set SEED first\\nmore');\n}\n",
    };
    expect(await mistakes(files)).toEqual([
      { code: 'AR104', message: 'evaluation failed: set SEED first', file: 'check.ts', line: 2, text: 'new' },
    ]);
  });

  test('something is thrown after waiting, or is no error at all', async () => {
    expect(await mistakes("await Promise.resolve();\nthrow new RangeError('late');\n")).toEqual([
      {
        code: 'AR104',
        message: 'evaluation failed: RangeError: late',
        file: 'autoresearch.config.ts',
        line: 2,
        text: 'new',
      },
    ]);
    expect(await mistakes("throw 'text';\n")).toEqual([
      { code: 'AR104', message: 'evaluation failed: text', file: 'autoresearch.config.ts' },
    ]);
  });

  test('no default export', async () => {
    for (const text of ["export const config = { name: 'x' };\n", '', 'const x = 1;\n']) {
      expect(await mistakes(text)).toEqual([
        {
          code: 'AR104',
          message: 'the file has no default export',
          hint: 'Write "export default defineConfig({ … })"',
          file: 'autoresearch.config.ts',
        },
      ]);
    }
  });

  test('an import that leads nowhere, at the importer', async () => {
    const files = {
      'c.ts': "// './shard.ts' is elsewhere\nimport { x } from './shard.ts';\nexport default { x };\n",
      'shared.ts': 'export const x = 1;',
    };
    expect(await mistakes(files)).toEqual([
      {
        code: 'AR104',
        message: 'cannot find "./shard.ts", which is imported here',
        hint: 'Did you mean "./shared.ts"?',
        file: 'c.ts',
        line: 2,
        text: "'./shard.ts'",
      },
    ]);
    expect(await mistakes("import { z } from 'no-such-package';\nexport default { z };\n")).toEqual([
      {
        code: 'AR104',
        message: 'cannot find "no-such-package", which is imported here',
        hint: 'Install it: npm install no-such-package',
        file: 'autoresearch.config.ts',
        line: 1,
        text: "'no-such-package'",
      },
    ]);
  });

  test('a name that is not exported: of the public door, of another file', async () => {
    expect(await mistakes("import { defineConfg } from 'autoresearch';\nexport default defineConfg({});\n")).toEqual([
      {
        code: 'AR104',
        message: '"autoresearch" has no export "defineConfg"',
        hint: 'Did you mean "defineConfig"?',
        file: 'autoresearch.config.ts',
        line: 1,
        text: 'defineConfg',
      },
    ]);
    expect(
      await mistakes({
        'c.ts': "import { make } from './x.ts';\nexport default make();\n",
        'x.ts': 'export const made = 1;',
      }),
    ).toEqual([
      {
        code: 'AR104',
        message: 'evaluation failed: make is not a function; is it exported by the file it is imported from?',
        file: 'c.ts',
        line: 2,
        text: 'make',
      },
    ]);
  });
});

describe('what is different each time (AR119)', () => {
  test.each([
    ['Math.random()', ''],
    ['Date.now()', ''],
    ['new Date().toISOString().slice(0, 10)', ''],
    ['new Date().getFullYear()', ''],
    ['Date()', ''],
    ['randomUUID()', "import { randomUUID } from 'node:crypto';\n"],
    ['crypto.randomUUID()', ''],
    ['performance.now()', ''],
    ['stamp', "import { stamp } from './stamp.js';\n"],
  ])('%s', async (code, head) => {
    const before = [Date, Math.random, crypto, performance];
    const files = {
      'autoresearch.config.ts': `${head}export default { name: 'x', vars: { a: 1, b: ${code} } };`,
      'stamp.ts': 'export const stamp = `${Date.now()}`;',
    };
    expect(await mistakes(files)).toEqual([
      {
        code: 'AR119',
        message: 'vars.b is different each time: it depends on the time or on chance',
        hint: 'Write the value itself, or make it a variable and set it with --set',
        file: 'autoresearch.config.ts',
        pointer: '/vars/b',
        line: head === '' ? 1 : 2,
        text: code,
      },
    ]);
    expect([Date, Math.random, crypto, performance]).toEqual(before);
  });

  test('not a time that is written down, nor one that is looked at and not used', async () => {
    const text = `const begun = Date.now(); Math.random(); new Date();
export default { name: 'x', vars: { a: new Date(0).toISOString(), b: new Date('2026-01-31').getTime(), c: begun > 0 } };`;
    expect(await value(text)).toEqual({
      name: 'x',
      vars: { a: '1970-01-01T00:00:00.000Z', b: 1769817600000, c: true },
    });
  });

  test('a Date is still one, and not data', async () => {
    expect(await mistakes('export default { name: new Date(0), a: new Date() instanceof Date };')).toMatchObject([
      { code: 'AR105', pointer: '/name' },
    ]);
  });
});

describe('what is not data (AR105)', () => {
  test('all of it at once, each with its pointer and place', async () => {
    const text = `
class Point { x = 1 }
const loop: Record<string, unknown> = {}; loop.self = loop;
export default {
  list: [1, () => 1],
  map: { u: undefined, d: new Date(0), n: NaN, i: -Infinity, b: 1n, s: Symbol('s'), p: new Point(), m: new Map(), l: Promise.resolve(1) },
  loop,
  [Symbol.iterator]: 1,
};
`;
    // A symbol as a key hides the rest, so it is looked at by itself.
    expect(await mistakes(text)).toMatchObject([
      { message: 'the default export is an object with a symbol as a key, not plain data' },
    ]);
    const found = await mistakes(text.replace('  [Symbol.iterator]: 1,\n', ''));
    expect(
      found.map((each) => [each.code, 'pointer' in each && each.pointer, each.message, 'text' in each && each.text]),
    ).toEqual([
      ['AR105', '/list/1', 'list[1] is a function, not plain data', '() => 1'],
      ['AR105', '/map/u', 'map.u is undefined, not plain data', 'undefined'],
      ['AR105', '/map/d', 'map.d is a Date, not plain data', 'new Date(0)'],
      ['AR105', '/map/n', 'map.n is NaN, not plain data', 'NaN'],
      ['AR105', '/map/i', 'map.i is -Infinity, not plain data', '-Infinity'],
      ['AR105', '/map/b', 'map.b is a bigint, not plain data', '1n'],
      ['AR105', '/map/s', 'map.s is a symbol, not plain data', "Symbol('s')"],
      ['AR105', '/map/p', 'map.p is an instance of Point, not plain data', 'new Point()'],
      ['AR105', '/map/m', 'map.m is an instance of Map, not plain data', 'new Map()'],
      ['AR105', '/map/l', 'map.l is a promise, not plain data', 'Promise.resolve(1)'],
      ['AR105', '/loop/self', 'loop.self is a value that contains itself, not plain data', false],
    ]);
  });

  test('a default export that is a function or a promise', async () => {
    expect(await mistakes('export default () => ({});')).toMatchObject([
      { code: 'AR105', message: 'the default export is a function, not plain data' },
    ]);
    expect(await mistakes('export default Promise.resolve({});')).toMatchObject([
      { code: 'AR105', hint: 'Put "await" before it' },
    ]);
  });

  test('data that is only used twice is no circle', async () => {
    expect(await value('const one = { n: 1 }; export default { a: one, b: [one, one] };')).toEqual({
      a: { n: 1 },
      b: [{ n: 1 }, { n: 1 }],
    });
  });

  test('nesting without end', async () => {
    expect(
      await mistakes('let deep: unknown = 1; for (let n = 0; n < 5000; n++) deep = [deep]; export default { deep };'),
    ).toMatchObject([{ code: 'AR105' }]);
  });
});

describe('places', () => {
  const text = `import { defineConfig } from 'autoresearch';
const retry = { attempts: 3, 'back-off': "5s" } as const;
const shared: { needs: string[] } = { needs: ['one', \`two{\`] };
const stages = { one: { uses: 'command', retry }, two: { ...shared, uses: 'command' } };
// a comment with { and [ in it
const config = { name: 'x', /* , */ stages, list: [1, -2, ...[3], 4], re: /[{,]/.source, f: ((a) => a)({ name: 'no' }), 'it\\'s': 1, 12: 2, ["computed"]: 5, fn() { return { deep: 1 }; } };
export default defineConfig({ ...config, vars: { a: \`\${'}'}\` , b: cond ? { c: 1 } : 2, }, last: build({ x: 1 }) } satisfies Record<string, unknown>);
declare function build(value: object): object; declare const cond: boolean;
`;

  async function shown(pointer: string, what: 'key' | 'value', source = text): Promise<string | undefined> {
    const preamble = 'globalThis.cond = true; globalThis.build = (x: unknown) => x;\n';
    const root = tempProject({ 'c.ts': preamble + source });
    const result = await readTypescript(
      join(root, 'c.ts'),
      (preamble + source).replace(/fn\(\) \{.*?\}; \}/, 'fn: 1'),
      { door },
    );
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    const range = result.value.locate(pointer, what);
    return range && result.value.text.slice(range.start, range.end);
  }

  test.each([
    ['/name', 'key', 'name'],
    ['/name', 'value', "'x'"],
    ['/stages/one/uses', 'value', "'command'"],
    ['/stages/one/retry/attempts', 'value', '3'],
    ['/stages/one/retry/back-off', 'key', "'back-off'"],
    ['/stages/two/needs/1', 'value', '`two{`'],
    ['/stages/two/uses', 'key', 'uses'],
    ['/stages', 'value', 'stages'],
    ['/list/1', 'value', '-2'],
    ['/list/3', 'value', undefined],
    ['/list', 'key', 'list'],
    ["/it's", 'value', '1'],
    ['/12', 'value', '2'],
    ['/computed', 'key', '"computed"'],
    ['/vars/a', 'value', `\`\${'}'}\``],
    ['/vars/b/c', 'value', undefined],
    ['/last/x', 'value', undefined],
    ['/last', 'value', 'build({ x: 1 })'],
    ['/f/name', 'value', undefined],
    ['/nothing', 'key', undefined],
  ] as const)('%s %s', async (pointer, what, expected) => {
    expect(await shown(pointer, what)).toBe(expected);
  });

  test('a plain default export, a constant, and CommonJS', async () => {
    expect(await shown('/a/b', 'value', 'export default { a: { b: 1 } };')).toBe('1');
    expect(await shown('/a/b', 'value', 'const c: { a: { b: number } } = { a: { b: 2 } };\nexport default c;')).toBe(
      '2',
    );
    expect(await shown('/a/b', 'value', 'module.exports = { a: { b: 3 } };')).toBe('3');
    expect(await shown('/a/b', 'value', 'export default (Object.freeze({ a: { b: 4 } }));')).toBe('4');
  });

  test('a line that ends with CR LF', async () => {
    expect(await shown('/b', 'value', 'export default {\r\n  a: 1, // x\r\n  b: 2,\r\n};\r\n')).toBe('2');
  });

  test('constants that refer to each other end the search', async () => {
    expect(
      await shown('/x', 'value', 'var a = b; var b = a; export default { ...a, ...(b as object) };'),
    ).toBeUndefined();
  });
});
