// Bundles the CLI. Start-up is sacred, so: CommonJS (Node loads it sooner than ESM), one file for our own code, and one
// file for each third-party package, which is only read when a command needs it.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const vendored = {
  yaml: 'yaml',
  ajv: 'ajv',
  handlebars: 'handlebars',
  execa: 'execa',
  listr2: 'listr2',
  cosmiconfig: 'cosmiconfig',
  'simple-git': 'simple-git',
  sucrase: 'sucrase',
  '@marcbachmann/cel-js': 'cel-js',
  tinyglobby: 'tinyglobby',
  picomatch: 'picomatch',
  '@hpcc-js/wasm-graphviz': 'graphviz',
};

const common = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning', legalComments: 'none' };

/** Leaves vendored packages outside, as files beside the bundle. */
const vendorPlugin = {
  name: 'vendor',
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      Object.hasOwn(vendored, path) ? { path: `./vendor/${vendored[path]}.cjs`, external: true } : undefined,
    );
  },
};

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/vendor', { recursive: true });
const define = { __VERSION__: JSON.stringify(version) };

await Promise.all([
  build({ ...common, define: { ...define, 'import.meta.dirname': '__dirname' }, minify: true, supported: { 'dynamic-import': false }, format: 'cjs', entryPoints: ['src/cli/main.ts'], outfile: 'dist/cli.cjs', plugins: [vendorPlugin], alias: { autoresearch: './src/index.ts' } }),
  build({ ...common, define, format: 'cjs', entryPoints: ['src/cli/bin.ts'], outfile: 'dist/bin.cjs', banner: { js: '#!/usr/bin/env node' }, external: ['./cli.cjs'] }),
  build({ ...common, format: 'esm', entryPoints: ['src/index.ts'], outfile: 'dist/index.js' }),
  ...Object.entries(vendored).map(([name, file]) =>
    build({ ...common, format: 'cjs', minify: true, stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: '.' }, outfile: `dist/vendor/${file}.cjs`, external: ['typescript'] }),
  ),
]);

writeFileSync('dist/vendor/LICENSES.txt', licences());
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' });

/** The notices that the bundled packages, and what they bring along, ask to be kept. */
function licences() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const wanted = new Set(Object.keys(vendored));
  for (const name of wanted) for (const next of Object.keys(lock[`node_modules/${name}`]?.dependencies ?? {})) wanted.add(next);
  return [...wanted].sort().map((name) => {
    const folder = join('node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${about.version} (${about.license})\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`;
  }).join('\n\n----\n\n');
}
