// Bundles the CLI. Start-up is sacred, so: CommonJS (Node loads it sooner than ESM), one file for each third-party package,
// and one for each `import('./…')` of our own: compiling code is what start-up costs, and what is not read is not compiled.
// A module may stand in several of these files, so nothing may depend on there being only one of it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

// For profiles: names stay as they are written.
const readable = process.argv.includes('--readable');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const vendored = {
  yaml: 'yaml',
  ajv: 'ajv',
  handlebars: 'handlebars',
  execa: 'execa',
  listr2: 'listr2',
  'cosmiconfig/dist/Explorer.js': 'cosmiconfig',
  'simple-git': 'simple-git',
  sucrase: 'sucrase',
  '@marcbachmann/cel-js': 'cel-js',
  tinyglobby: 'tinyglobby',
  picomatch: 'picomatch',
  '@hpcc-js/wasm-graphviz': 'graphviz',
};
// What cosmiconfig would only need for loaders of its own, which are never asked.
const unused = /^(js-yaml|import-fresh|parse-json|typescript|supports-color)$/;
// Debugging switches that `yaml` looks up at every token; without them it parses a tenth faster.
const quiet = { 'process.env.LOG_TOKENS': 'undefined', 'process.env.LOG_STREAM': 'undefined' };
// The same package as ES modules is a third smaller once bundled.
const bundledAsEsm = new Set(['sucrase']);

const common = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning', legalComments: 'none' };
const define = { __VERSION__: JSON.stringify(version), 'import.meta.dirname': '__dirname' };

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/vendor', { recursive: true });
await Promise.all([
  buildParts('src/cli/main.ts', 'cli'),
  buildBin(),
  buildDoor(),
  ...Object.keys(vendored).map(buildVendor),
]);
writeFileSync('dist/vendor/LICENSES.txt', licences());
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], { stdio: 'inherit' });

/** Builds an entry and everything it imports lazily, and what those import lazily. */
async function buildParts(entry, name) {
  const parts = new Map([[resolve(entry), name]]);
  for (const [file, part] of parts) await buildPart(file, part, parts);
}

function buildPart(file, part, parts) {
  return build({
    ...common,
    define,
    minify: !readable,
    format: 'cjs',
    // Then `import()` becomes `require()`, which these files are made for.
    supported: { 'dynamic-import': false },
    entryPoints: [file],
    outfile: `dist/${part}.cjs`,
    alias: { autoresearch: './src/index.ts' },
    // Node takes the whole of a CommonJS file for its default export, so a behaviour has to be the whole of its file.
    ...(file.includes('/stages/') ? { footer: { js: 'module.exports = module.exports.default;' } } : {}),
    plugins: [
      {
        name: 'parts',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
            Object.hasOwn(vendored, path) ? { path: `./vendor/${vendored[path]}.cjs`, external: true } : undefined,
          );
          onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
            if (kind !== 'dynamic-import') return undefined;
            const target = resolve(resolveDir, path).replace(/\.js$/, (ending) =>
              path.includes('/generated/') ? ending : '.ts',
            );
            if (!parts.has(target)) parts.set(target, partName(target));
            return { path: `./${parts.get(target)}.cjs`, external: true };
          });
        },
      },
    ],
  });
}

/** `src/report/plan-text.ts` → `report-plan-text`. */
function partName(file) {
  return relative('.', file)
    .replace(/^src\//, '')
    .replace(/(\/index)?\.\w+$/, '')
    .replaceAll('/', '-');
}

function buildBin() {
  return build({
    ...common,
    define,
    format: 'cjs',
    entryPoints: ['src/cli/bin.ts'],
    outfile: 'dist/bin.cjs',
    banner: { js: '#!/usr/bin/env node' },
    external: ['./cli.cjs'],
  });
}

function buildDoor() {
  return build({ ...common, format: 'esm', entryPoints: ['src/index.ts'], outfile: 'dist/index.js' });
}

function buildVendor(name) {
  const esm = bundledAsEsm.has(name);
  const contents = esm
    ? `export * from ${JSON.stringify(name)};`
    : `module.exports = require(${JSON.stringify(name)});`;
  return build({
    ...common,
    format: 'cjs',
    minify: true,
    stdin: { contents, resolveDir: '.' },
    outfile: `dist/vendor/${vendored[name]}.cjs`,
    define: quiet,
    plugins: [{ name: 'unused', setup: leaveOut }],
    ...(esm ? { mainFields: ['module', 'main'] } : {}),
  });
}

/** Nothing stands for a package that is never asked; a bundle must not look for it at run time. */
function leaveOut({ onResolve, onLoad }) {
  onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }));
  onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
}

/** The notices that the bundled packages, and what they bring along, ask to be kept. */
function licences() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const wanted = new Set(Object.keys(vendored).map((name) => name.replace(/\/dist\/.*/, '')));
  for (const name of wanted)
    for (const next of Object.keys(lock[`node_modules/${name}`]?.dependencies ?? {})) wanted.add(next);
  const notices = [...wanted].sort().map((name) => {
    const folder = join('node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${about.version} (${about.license})\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`;
  });
  return notices.join('\n\n----\n\n');
}
