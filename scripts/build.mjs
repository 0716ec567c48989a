// Bundles the CLI. Start-up is sacred, so: CommonJS (Node loads it sooner than ESM), one file for each third-party package,
// and one for each `import('./…')` of our own: compiling code is what start-up costs, and what is not read is not compiled.
// A module may stand in several of these files, so nothing may depend on there being only one of it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { keepCompiled } from './code-cache.mjs';

// For profiles: names stay as they are written.
const readable = process.argv.includes('--readable');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const vendored = {
  yaml: 'yaml',
  ajv: 'ajv',
  handlebars: 'handlebars',
  execa: 'execa',
  listr2: 'listr2',
  'cosmiconfig/dist/ExplorerSync.js': 'cosmiconfig',
  'simple-git': 'simple-git',
  sucrase: 'sucrase',
  '@marcbachmann/cel-js': 'cel-js',
  tinyglobby: 'tinyglobby',
  picomatch: 'picomatch',
  '@hpcc-js/wasm-graphviz': 'graphviz',
  vega: 'vega',
  'vega-lite': 'vega-lite',
  'vega-interpreter': 'vega-interpreter',
  pdfkit: 'pdfkit',
  'svg-to-pdfkit': 'svg-to-pdfkit',
  '@resvg/resvg-wasm': 'resvg',
};
// Files that the bundle reads by name.
const assets = {
  'dejavu-fonts-ttf/ttf/DejaVuSans.ttf': 'DejaVuSans.ttf',
  'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf': 'DejaVuSans-Bold.ttf',
  '@resvg/resvg-wasm/index_bg.wasm': 'resvg.wasm',
};
// What cosmiconfig would only need for loaders of its own, which are never asked, and for looking without waiting.
const unused = /^(js-yaml|import-fresh|parse-json|typescript|supports-color|fs\/promises)$/;
/** A table that sucrase fills letter by letter whenever it is loaded, which takes half of that time. */
const slowTable = {
  file: /sucrase\/dist\/esm\/parser\/util\/identifier\.js$/,
  loop: /for \(let i = 128; i < 65536; i\+\+\) \{\s*IS_IDENTIFIER_CHAR\[i\] = 1;\s*\}/,
  instead: 'IS_IDENTIFIER_CHAR.fill(1, 128);',
};
// Debugging switches that `yaml` looks up at every token; without them it parses a tenth faster.
const quiet = { 'process.env.LOG_TOKENS': 'undefined', 'process.env.LOG_STREAM': 'undefined' };
// The same package as ES modules is a third smaller once bundled.
const bundledAsEsm = new Set(['sucrase', 'vega', 'vega-lite', 'vega-interpreter']);
/** Of these only what is used. */
const used = {
  sucrase: '{ getFormattedTokens, transform }',
  vega: '{ parse, randomLCG, resetSVGDefIds, setRandom, View }',
  'vega-lite': '{ compile }',
  'vega-interpreter': '{ expressionInterpreter }',
};
// Charts are drawn without a canvas and read nothing, so what would look for either is left out.
const withoutCanvas = {
  'vega-canvas': './node_modules/vega-canvas/build/vega-canvas.browser.js',
  'vega-loader': './node_modules/vega-loader/build/vega-loader.browser.js',
};

const common = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning', legalComments: 'none' };
const define = {
  __VERSION__: JSON.stringify(version),
  __BUILD__: JSON.stringify(buildId()),
  'import.meta.dirname': '__dirname',
};

// Beside the old one, which is replaced at the end in one go: a run that is under way must not find half of either.
const out = `dist.new-${process.pid}`;
mkdirSync(join(out, 'vendor'), { recursive: true });
await Promise.all([
  buildParts('src/cli/main.ts', 'cli'),
  buildBin(),
  buildPart(resolve('src/cli/code-cache.ts'), 'code-cache', new Map()),
  buildPart(resolve('src/adapters/scribe/main.ts'), 'scribe', new Map()),
  buildDoor(),
  buildBrowser(),
  ...Object.keys(vendored).map(buildVendor),
]);
for (const [from, to] of Object.entries(assets)) copyFileSync(join('node_modules', from), join(out, 'vendor', to));
writeFileSync(join(out, 'vendor/LICENSES.txt'), licences());
execFileSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json', '--outDir', join(out, 'types')],
  { stdio: 'inherit' },
);
asciiOnly();
keepCompiled(out);
const old = `dist.old-${process.pid}`;
if (existsSync('dist')) renameSync('dist', old);
renameSync(out, 'dist');
rmSync(old, { recursive: true, force: true });

/**
 * One letter above Latin-1 makes V8 hold and scan all of a file as twice as many bytes. In strings esbuild writes them as escapes itself;
 * what it leaves stands in regular expressions and tagged templates, where the escapes mean the same.
 */
function asciiOnly() {
  for (const folder of [out, join(out, 'vendor')])
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.cjs'))) {
      const file = join(folder, name);
      const [text, mode] = [readFileSync(file, 'utf8'), statSync(file).mode];
      const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      if (ascii !== text) writeFileSync(file, ascii, { mode });
    }
}

/** Another build may make another plan of the same config, so each set of sources has a name. */
function buildId() {
  const sum = createHash('sha256').update(version);
  for (const folder of ['src', 'stages', 'schemas']) {
    for (const name of readdirSync(folder, { recursive: true }).sort()) {
      if (/\.(ts|js|json)$/.test(name)) sum.update(name).update(readFileSync(join(folder, name)));
    }
  }
  return sum.digest('hex').slice(0, 16);
}

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
    outfile: `${out}/${part}.cjs`,
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

/** `src/report/plan/plan-text.ts` → `report-plan-plan-text`. */
function partName(file) {
  return relative('.', file)
    .replace(/^src\//, '')
    .replace(/(\/index)?\.\w+$/, '')
    .replaceAll('/', '-');
}

/** Executable, because a project that links to this folder (`npm install /path`) runs this very file, also after it was built anew. */
async function buildBin() {
  await build({
    ...common,
    define,
    format: 'cjs',
    entryPoints: ['src/cli/bin.ts'],
    outfile: `${out}/bin.cjs`,
    banner: { js: '#!/usr/bin/env node' },
  });
  chmodSync(`${out}/bin.cjs`, 0o755);
}

function buildDoor() {
  return build({ ...common, format: 'esm', entryPoints: ['src/index.ts'], outfile: `${out}/index.js` });
}

/** What the dashboard runs in the browser; served as a file. */
function buildBrowser() {
  return build({
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: !readable,
    logLevel: 'warning',
    entryPoints: ['src/browser/app.ts'],
    outfile: `${out}/vendor/dashboard.js`,
  });
}

function buildVendor(name) {
  const esm = bundledAsEsm.has(name);
  const contents = esm
    ? `export ${used[name] ?? '*'} from ${JSON.stringify(name)};`
    : `module.exports = require(${JSON.stringify(name)});`;
  return build({
    ...common,
    format: 'cjs',
    minify: true,
    stdin: { contents, resolveDir: '.' },
    outfile: `${out}/vendor/${vendored[name]}.cjs`,
    define: quiet,
    plugins: [
      { name: 'unused', setup: leaveOut },
      { name: 'fill-at-once', setup: fillAtOnce },
    ],
    alias: name.startsWith('vega') ? withoutCanvas : {},
    ...(esm ? { mainFields: ['module', 'main'] } : {}),
  });
}

/** Nothing stands for a package that is never asked; a bundle must not look for it at run time. */
function leaveOut({ onResolve, onLoad }) {
  onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }));
  onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
}

function fillAtOnce({ onLoad }) {
  onLoad({ filter: slowTable.file }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    if (!slowTable.loop.test(text)) throw new Error(`${path} is not what it was: see slowTable in scripts/build.mjs`);
    return { contents: text.replace(slowTable.loop, slowTable.instead) };
  });
}

/** The notices that the bundled packages, and what they bring along, ask to be kept. */
function licences() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const wanted = new Set([...Object.keys(vendored).map((name) => name.replace(/\/dist\/.*/, '')), 'dejavu-fonts-ttf']);
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
