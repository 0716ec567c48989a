import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setAside, work, writeFiles } from './work.mjs';

const npmPeers = ['wireit', 'nx'];
const peersFolder = join(work, 'peers');
const npmBin = (name) => join(peersFolder, 'node_modules/.bin', name);

/** `--peers`: brings wireit and nx from npm into a temporary folder. The others are Debian packages. */
export function installNpmPeers() {
  mkdirSync(peersFolder, { recursive: true });
  writeFileSync(join(peersFolder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...npmPeers], { cwd: peersFolder, stdio: 'inherit' });
}

/** All other runners on the same graph, two tasks at a time, from nothing. */
export function peers(graph, tasks) {
  return [make, ninja, doit, snakemake, wireit, nx].map((peer) => peer(graph, tasks));
}

function make(graph, tasks) {
  const rules = tasks.map(({ id, needs }) => `${id}: ${needs.join(' ')}\n\t@true\n`);
  const all = `.PHONY: all ${tasks.map(({ id }) => id).join(' ')}\nall: ${tasks.map(({ id }) => id).join(' ')}\n`;
  const cwd = writeFiles(`${graph}/make`, { Makefile: `${all}${rules.join('')}` });
  return { name: 'make', missing: without('make', 'make'), run: ['make', '-s', '-j2'], cwd };
}

function ninja(graph, tasks) {
  const rules = tasks.map(({ id, needs }) => `build ${id}: run${needs.length > 0 ? ` ${needs.join(' ')}` : ''}\n`);
  const cwd = writeFiles(`${graph}/ninja`, { 'build.ninja': `rule run\n  command = true\n${rules.join('')}` });
  const reset = () => setAside(join(cwd, '.ninja_log'));
  return { name: 'ninja', missing: without('ninja', 'ninja-build'), run: ['ninja', '--quiet', '-j2'], cwd, reset };
}

function doit(graph, tasks) {
  const list = JSON.stringify(tasks.map(({ id, needs }) => [id, needs]));
  const dodo = `import json\nDOIT_CONFIG = {"verbosity": 0}\ndef task_bench():\n    for name, needs in json.loads('''${list}'''):\n        yield {"basename": name, "actions": ["true"], "task_dep": needs}\n`;
  const cwd = writeFiles(`${graph}/doit`, { 'dodo.py': dodo });
  const reset = () => {
    for (const left of ['.doit.db', '.doit.db.db', '.doit.db.dat', '.doit.db.dir', '.doit.db.bak'])
      setAside(join(cwd, left));
  };
  return {
    name: 'doit',
    missing: without('doit', 'python3-doit'),
    run: ['doit', '-n', '2', '-P', 'thread'],
    cwd,
    reset,
  };
}

function snakemake(graph, tasks) {
  const rules = tasks.map(({ id, needs }) => {
    const inputs = needs.map((need) => JSON.stringify(`done/${need}`)).join(', ');
    return `rule ${id}:\n${inputs ? `    input: ${inputs}\n` : ''}    output: touch("done/${id}")\n    shell: "true"\n`;
  });
  const all = `rule all:\n    input: ${tasks.map(({ id }) => JSON.stringify(`done/${id}`)).join(', ')}\n`;
  const cwd = writeFiles(`${graph}/snakemake`, { Snakefile: `${all}${rules.join('')}` });
  const reset = () => {
    for (const left of ['done', '.snakemake']) setAside(join(cwd, left));
  };
  const run = ['snakemake', '--cores', '2', '--scheduler', 'greedy', '--quiet'];
  return { name: 'snakemake (greedy)', missing: without('snakemake', 'snakemake'), run, cwd, reset };
}

function wireit(graph, tasks) {
  const entries = tasks.map(({ id, needs }) => [id, { command: 'true', dependencies: needs }]);
  const all = ['all', { dependencies: tasks.map(({ id }) => id) }];
  const scripts = Object.fromEntries([...entries, all].map(([id]) => [id, 'wireit']));
  const cwd = writeFiles(`${graph}/wireit`, {
    'package.json': { name: 'bench', scripts, wireit: Object.fromEntries([...entries, all]) },
  });
  const reset = () => setAside(join(cwd, '.wireit'));
  const env = {
    PATH: `${join(peersFolder, 'node_modules/.bin')}:${process.env.PATH}`,
    WIREIT_PARALLEL: '2',
    WIREIT_CACHE: 'none',
    WIREIT_LOGGER: 'simple',
  };
  return { name: 'wireit', missing: withoutNpm('wireit'), run: ['npm', 'run', '--silent', 'all'], cwd, env, reset };
}

function nx(graph, tasks) {
  const target = ({ needs }) => ({
    executor: 'nx:run-commands',
    options: { command: 'true' },
    dependsOn: needs,
    cache: false,
  });
  const targets = Object.fromEntries(tasks.map((task) => [task.id, target(task)]));
  targets.all = { executor: 'nx:noop', dependsOn: tasks.map(({ id }) => id) };
  // nx looks for itself beside the workspace, so its folder has to be the one where it was installed.
  const cwd = writeFiles(`peers/${graph}`, {
    'nx.json': {},
    'package.json': { name: 'workspace' },
    'project.json': { name: 'bench', targets },
  });
  const env = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true', CI: 'true', NX_VERBOSE_LOGGING: 'false' };
  const run = [npmBin('nx'), 'run', 'bench:all', '--parallel=2', '--skip-nx-cache', '--output-style=static'];
  return { name: 'nx', missing: withoutNpm('nx'), run, cwd, env };
}

export const snakemakeIsMissing = () => without('snakemake', 'snakemake');

const without = (program, debian) =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? undefined : `apt-get install ${debian}`;

const withoutNpm = (name) => (existsSync(npmBin(name)) ? undefined : 'node bench/run.mjs --peers');
