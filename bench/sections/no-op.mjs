import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileConfig, fileGraph, snakefile, sourceFiles } from '../lib/file-graph.mjs';
import { measure, ratio } from '../lib/measure.mjs';
import { project } from '../lib/ours.mjs';
import { snakemakeIsMissing } from '../lib/peers.mjs';
import { writeFiles } from '../lib/work.mjs';

const floors = resolve(import.meta.dirname, '../floors');
const statFloor = 'bare Node that stats the files';
const loopFloor = 'bare Node loop over the same commands';
const snake = 'snakemake (greedy)';

/** After a finished run: nothing to do, and one source that changed. */
export function noOp({ rounds, quick }) {
  const [depth, width] = quick ? [10, 20] : [10, 100];
  const large = quick ? 100 : 1000;
  return [
    // First, because snakemake removes so many files that for minutes new ones take longer.
    oneChanged(`${depth} layers × ${width}`, { graph: fileGraph(depth, width), rounds, limits: true }),
    nothingToDo(`${depth} layers × ${width}`, { graph: fileGraph(depth, width), rounds, limits: true }),
    nothingToDo(`${depth} layers × ${large}`, { graph: fileGraph(depth, large), rounds: Math.min(rounds, 3) }),
    oneChanged(`${depth} layers × ${large}`, { graph: fileGraph(depth, large), rounds: Math.min(rounds, 3) }),
  ];
}

function nothingToDo(title, { graph, rounds, limits }) {
  const folder = `nothing-to-do-${title.replaceAll(/[^\w]+/g, '-')}`;
  const ours = finished(`${folder}/autoresearch`, graph);
  const contenders = [
    {
      name: statFloor,
      base: statFloor,
      run: [process.execPath, join(floors, 'stat-files.mjs'), 'graph.json'],
      cwd: ours.cwd,
    },
    {
      name: 'autoresearch',
      base: statFloor,
      run: ours.run('exec', '--jobs', '2'),
      cwd: ours.cwd,
      check: ours.didNothing,
    },
  ];
  // A tenth of a minute for each thousand of its tasks is too long for a table that has no limit to show.
  if (limits) contenders.push(snakemake(`${folder}/snakemake`, graph));
  const rows = measure(contenders, { rounds, title: `nothing to do, ${title}` });
  const times = (name) => median(rows, 'autoresearch', name);
  return {
    title: `Nothing to do after a finished run: ${title}`,
    rows,
    targets: [
      target(`${title}, nothing to do`, statFloor, {
        limit: limits ? 2 : undefined,
        measured: ratio(rows, 'autoresearch'),
      }),
      ...(limits ? [target(`${title}, nothing to do`, snake, { limit: 0.15, measured: times(snake) })] : []),
    ],
  };
}

function oneChanged(title, { graph, rounds, limits }) {
  const folder = `one-changed-${title.replaceAll(/[^\w]+/g, '-')}`;
  const ours = finished(`${folder}/autoresearch`, graph);
  const floor = writeFiles(`${folder}/floor`, filesOf(graph));
  let word = 0;
  const edit = (cwd) => () => writeFileSync(join(cwd, graph.sources[0]), `changed for the ${++word}. time\n`);
  // So that the files are there: the loop only makes those that the source reaches.
  for (const { output } of graph.tasks) writeFileSync(join(floor, output), 'before\n');
  const rows = measure(
    [
      {
        name: loopFloor,
        base: loopFloor,
        run: [process.execPath, join(floors, 'rerun-graph.mjs'), 'graph.json'],
        cwd: floor,
        reset: edit(floor),
      },
      {
        name: 'autoresearch',
        base: loopFloor,
        run: ours.run('exec', '--jobs', '2', '--reporter', 'silent'),
        cwd: ours.cwd,
        reset: edit(ours.cwd),
        check: () => ours.did(graph.reached.length),
      },
    ],
    { rounds, title: `one changed source, ${title}` },
  );
  return {
    title: `One changed source, ${graph.reached.length} of ${graph.tasks.length} tasks run again: ${title}`,
    rows,
    targets: [
      target(`${title}, one changed source`, loopFloor, {
        limit: limits ? 1.3 : undefined,
        measured: ratio(rows, 'autoresearch'),
      }),
    ],
  };
}

const target = (what, base, { limit, measured }) => ({ target: what, unit: `× ${base}`, limit, measured });

const filesOf = (graph) => ({
  'graph.json': { files: graph.files, reached: graph.reached },
  'out/.keep': '',
  ...sourceFiles(graph, 'first'),
});

/** A project of ours after a run that did everything. */
function finished(name, graph) {
  const made = project(name, { 'autoresearch.config.json': fileConfig(graph), ...filesOf(graph) });
  const runs = join(made.cwd, '.autoresearch/default/runs');
  const [program, ...args] = made.run('exec', '--jobs', '2', '--reporter', 'silent');
  process.stderr.write(`\r\x1b[K${name}: a first run`);
  if (spawnSync(program, args, { cwd: made.cwd, stdio: 'inherit' }).status !== 0)
    throw new Error(`${name} did not pass`);
  // Right after a run nobody can tell whether a file was changed in the same tick of the clock; nobody types the next command so soon either.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  const newest = () => readdirSync(runs).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0];
  const did = (count) => {
    const done = readFileSync(join(runs, newest(), 'journal.jsonl'), 'utf8').split('"task-finished"').length - 1;
    return done === count ? undefined : `${done} of ${count} tasks were done`;
  };
  return { ...made, did, didNothing: () => (newest().startsWith('1-') ? undefined : 'another run was begun') };
}

function snakemake(name, graph) {
  const missing = snakemakeIsMissing();
  const cwd = writeFiles(name, { Snakefile: snakefile(graph), ...filesOf(graph) });
  const run = ['snakemake', '--cores', '2', '--scheduler', 'greedy', '--quiet'];
  if (!missing) {
    process.stderr.write(`\r\x1b[K${name}: a first run`);
    spawnSync(run[0], run.slice(1), { cwd, stdio: 'ignore' });
  }
  return { name: snake, base: statFloor, missing, run, cwd };
}

function median(rows, above, below) {
  const changed = rows.map((row) => (row.name === above ? { ...row, base: below } : row));
  return ratio(changed, above);
}
