import { join, resolve } from 'node:path';
import { chain, layers, matrixConfig, stagesConfig, wide } from '../lib/graphs.mjs';
import { measure, ratio } from '../lib/measure.mjs';
import { didAll, exec, project } from '../lib/ours.mjs';
import { peers } from '../lib/peers.mjs';
import { writeFiles } from '../lib/work.mjs';

const base = 'bare Node loop';
const floor = resolve(import.meta.dirname, '../floors/run-graph.mjs');

/** Trivial commands, two at a time, from nothing: what the runner itself costs. */
export function throughput({ rounds, quick }) {
  const [count, depth, width, length] = quick ? [200, 10, 20, 100] : [1000, 10, 100, 500];
  return [
    graph(`${count} wide`, { tasks: wide(count), matrix: matrixConfig(count), rounds }),
    graph(`${depth} layers × ${width}`, { tasks: layers(depth, width), rounds }),
    graph(`chain of ${length}`, { tasks: chain(length), rounds }),
  ];
}

function graph(title, { tasks, matrix, rounds }) {
  const folder = title.replaceAll(/[^\w]+/g, '-');
  const floorFolder = writeFiles(`${folder}/floor`, { 'graph.json': tasks });
  const ours = (name, config) => {
    const made = project(`${folder}/${name.replaceAll(/[^\w]+/g, '-')}`, { 'autoresearch.config.json': config });
    return { name, ...made, run: made.run(...exec, '--jobs', '2'), check: didAll(made.cwd, tasks.length) };
  };
  const rows = measure(
    [
      { name: base, run: [process.execPath, floor, join(floorFolder, 'graph.json')], cwd: floorFolder },
      ours('autoresearch', stagesConfig(tasks)),
      ...(matrix ? [ours('autoresearch, one matrix', matrix)] : []),
      ...peers(folder, tasks),
    ].map((contender) => ({ ...contender, base })),
    { rounds, title },
  );
  const names = ['autoresearch', ...(matrix ? ['autoresearch, one matrix'] : [])];
  const targets = names.map((name) => ({
    target: `${title}: ${name}`,
    unit: `× ${base}`,
    limit: 1.25,
    measured: ratio(rows, name),
  }));
  return { title: `Trivial commands: ${title}, two at a time`, rows, targets };
}
