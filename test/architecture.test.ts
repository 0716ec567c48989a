import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

/** The flow: a folder imports only what stands before it. Leaves import the model alone. */
const allowed: Record<string, readonly string[]> = {
  model: [],
  source: ['model'],
  stage: ['model'],
  graph: ['model'],
  config: ['model', 'source'],
  compile: ['model', 'source', 'graph'],
  tasks: ['model', 'source', 'graph'],
  journal: ['model'],
  values: ['model'],
  run: ['model', 'source', 'graph', 'journal'],
  report: ['model', 'source', 'graph', 'journal'],
  verify: ['model', 'source', 'graph', 'journal'],
  adapters: ['model', 'source', 'stage', 'graph', 'config', 'compile', 'journal', 'run'],
  cli: [
    'model',
    'source',
    'stage',
    'graph',
    'config',
    'compile',
    'tasks',
    'journal',
    'run',
    'report',
    'verify',
    'values',
    'adapters',
    '(door)',
  ],
  '(door)': ['model', 'stage'],
  browser: [],
};

/** Each package has one door. */
const doors: Record<string, string> = {
  yaml: 'src/source/yaml-library.ts',
  ajv: 'src/source/schema/schema.ts',
  handlebars: 'src/source/template/template-grammar.ts',
  sucrase: 'src/source/sucrase.ts',
  '@marcbachmann/cel-js': 'src/source/expression/expression.ts',
  cosmiconfig: 'src/config/find.ts',
  picomatch: 'src/source/glob.ts',
  execa: 'src/adapters/command/execa.ts',
  'simple-git': 'src/adapters/git/git-facts.ts',
  tinyglobby: 'src/adapters/disk/glob-search.ts',
  listr2: 'src/report/live/listr-rows.ts',
  '@hpcc-js/wasm-graphviz': 'src/report/graph/graph-svg.ts',
  pdfkit: 'src/adapters/figure/figure-pdf.ts',
  'svg-to-pdfkit': 'src/adapters/figure/figure-pdf.ts',
  '@resvg/resvg-wasm': 'src/adapters/figure/figure-png.ts',
  vega: 'src/report/chart.ts',
  'vega-lite': 'src/report/chart.ts',
  'vega-interpreter': 'src/report/chart.ts',
};

interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly lazy: boolean;
}

const files = filesBelow(src);
const imports = files.flatMap(importsOf);

describe('architecture', () => {
  it('imports point down the flow', () => {
    const wrong = imports.flatMap(({ from, specifier }) => {
      const target = localTarget(from, specifier);
      if (!target?.startsWith('src/')) return [];
      const [here, there] = [folderOf(from), folderOf(target)];
      return here === there || allowed[here]?.includes(there) ? [] : [`${from} → ${target}`];
    });
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports, type imports included', () => {
    const edges = new Map<string, string[]>();
    for (const { from, specifier, lazy } of imports) {
      const target = localTarget(from, specifier);
      if (target && !lazy) edges.set(from, [...(edges.get(from) ?? []), target]);
    }
    expect(circles(edges)).toEqual([]);
  });

  it('lets each package in through one door, and only when it is needed', () => {
    const used = imports.filter(
      ({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:') && specifier !== 'autoresearch',
    );
    const wrong = used.filter(({ from, specifier, typeOnly, lazy }) => {
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      return doors[name] !== from || (!typeOnly && !lazy);
    });
    expect(wrong.map(({ from, specifier }) => `${from} imports ${specifier}`)).toEqual([]);
    const missing = Object.entries(doors).filter(
      ([name, door]) => !used.some((one) => one.from === door && one.specifier.startsWith(name)),
    );
    expect(missing).toEqual([]);
  });

  it('keeps the pure folders pure', () => {
    const impure = imports.filter(
      ({ from, specifier }) =>
        ['model', 'graph', 'compile', 'journal', 'values'].includes(folderOf(from)) &&
        specifier.startsWith('node:') &&
        specifier !== 'node:crypto',
    );
    expect(impure.map(({ from, specifier }) => `${from} imports ${specifier}`)).toEqual([]);
  });

  it('stages import nothing but the public door and their own folder', () => {
    const wrong = filesBelow(join(root, 'stages'))
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier !== 'autoresearch' && !/^\.\/[\w-]+\.js$/.test(specifier));
    expect(wrong).toEqual([]);
  });

  it('has no folder that cannot be overlooked', () => {
    const inside = (folder: string): number => files.filter((file) => dirname(file) === folder).length;
    expect([...new Set(files.map((file) => dirname(file)))].filter((folder) => inside(folder) > 36)).toEqual([]);
  });

  it('is described by files that are there', () => {
    const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/`((?:[\w-]+\/)+[\w-]+\.m?ts)`/g)].map(([, path]) => path!),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)) && !existsSync(join(src, path)))).toEqual([]);
  });

  it('has small files with telling names', () => {
    const long = files.filter(
      (file) => !file.includes('/generated/') && readFileSync(join(root, file), 'utf8').split('\n').length > 260,
    );
    expect(long).toEqual([]);
    expect(
      files.filter(
        (file) =>
          /(^|[/-])(utils?|helpers|common|manager|service)\.ts$/.test(file) || !/\/[a-z0-9-]+(\.d)?\.ts$/.test(file),
      ),
    ).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return name.endsWith('.ts') ? [relative(root, path)] : [];
  });
}

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?([^'"]*?from\s+)?['"]([^'"]+)['"]/gm)) {
    const named = match[2] ?? '';
    const onlyTypes =
      match[1] !== undefined ||
      (/^\{.*\}\s*from\s+$/s.test(named) &&
        named
          .replace(/[{}]|from\s+$/g, '')
          .split(',')
          .every((part) => /^\s*(type\s|$)/.test(part)));
    found.push({ from, specifier: match[3]!, typeOnly: onlyTypes, lazy: false });
  }
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g))
    found.push({ from, specifier: match[1]!, typeOnly: false, lazy: true });
  return found;
}

function localTarget(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = relative(root, resolve(root, dirname(from), specifier));
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(join(root, source)) ? source : path;
}

function folderOf(file: string): string {
  const parts = file.split('/');
  return parts.length === 2 ? '(door)' : parts[1]!;
}

function circles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[][] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    state.set(file, 'open');
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}
