import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempProject } from './temp-project.js';

const root = resolve(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'autoresearch-lazy-'));
const script = join(work, 'resolve.cjs');

beforeAll(async () => {
  await build({
    stdin: {
      contents: `export { resolveConfig } from ${JSON.stringify(join(root, 'src/config/resolve.ts'))};`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: script,
    packages: 'external',
    supported: { 'dynamic-import': false },
    logLevel: 'error',
    nodePaths: [join(root, 'node_modules')],
  });
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

/**
 * The packages that a fresh process has loaded after resolving the config of a folder. The small functions that the
 * generated validator takes from ajv's runtime folder are part of the validator.
 */
function packagesFor(files: Readonly<Record<string, string>>): string[] {
  const cwd = tempProject(files);
  const code = `
    const { resolveConfig } = require(${JSON.stringify(script)});
    resolveConfig({ cwd: ${JSON.stringify(cwd)}, set: ['n=2'], presetsDir: '/none', door: { defineConfig: (x) => x } }).then((result) => {
      const files = Object.keys(require.cache).filter((file) => !file.includes('/ajv/dist/runtime/'));
      const names = files.map((file) => file.split('/node_modules/')[1]?.split('/')[0]).filter(Boolean);
      console.log(JSON.stringify([result.ok, [...new Set(names)].sort()]));
    });`;
  const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
  const [ok, names] = JSON.parse(execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' })) as [
    boolean,
    string[],
  ];
  const wanted = ['ajv', 'cosmiconfig', 'handlebars', 'js-yaml', 'sucrase', 'typescript', 'yaml'];
  return [ok ? 'ok' : 'refused', ...names.filter((name) => wanted.includes(name))];
}

const stages = Array.from({ length: 10 }, (_, index) => `s${index}: { uses: 'command' }`).join(', ');

test('a TypeScript config needs cosmiconfig and sucrase, and nothing else', () => {
  const text = `import { defineConfig } from 'autoresearch'; export default defineConfig({ name: 'x', vars: { n: 1 }, stages: { ${stages} } });`;
  expect(packagesFor({ 'autoresearch.config.ts': text })).toEqual(['ok', 'cosmiconfig', 'sucrase']);
});

test('a JSON config needs cosmiconfig alone, a YAML one yaml too', () => {
  const value = { name: 'x', vars: { n: 1 }, stages: { a: { uses: 'command' } } };
  expect(packagesFor({ 'autoresearch.config.json': JSON.stringify(value) })).toEqual(['ok', 'cosmiconfig']);
  expect(packagesFor({ 'autoresearch.config.yaml': JSON.stringify(value) })).toEqual(['ok', 'cosmiconfig', 'yaml']);
});

test('a preset with parameters that are set right needs nothing more', () => {
  const preset =
    'params:\n  n: { type: integer, minimum: 1, description: N., default: 1 }\n  t: { type: string, enum: [a, b], description: T. }\n' +
    'variants: { t: { a: { agents: { c: { backend: codex, limits: { turns: "{{vars.n}}" } } } } } }\n';
  const study = 'name: x\nextends: [./lab.yaml]\nvars: { t: a }\nstages: { a: { uses: agent, agent: c } }\n';
  const files = (vars: string) => ({ 'lab.yaml': preset, 'autoresearch.config.yaml': study.replace('t: a', vars) });
  expect(packagesFor(files('t: a'))).toEqual(['ok', 'cosmiconfig', 'yaml']);
  expect(packagesFor(files('t: c'))).toEqual(['refused', 'ajv', 'cosmiconfig', 'yaml']);
});

test('ajv is loaded only to say what is wrong', () => {
  expect(packagesFor({ 'autoresearch.config.json': '{ "name": 3, "vars": { "n": 1 } }' })).toEqual([
    'refused',
    'ajv',
    'cosmiconfig',
  ]);
});
