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
  const count = quick ? 200 : 1000;
  // `true` is done by a shell itself. What has to be executed, and what only a shell can read, takes other ways through the runner.
  const more = [
    { title: `${count} wide, a program`, tasks: wide(count, 'uname') },
    { title: `${count} wide, a line for a shell`, tasks: wide(count, 'test -d . && true') },
  ];
  return [...graphsOf(quick), ...more].map((graph) => alone(graph, rounds));
}

/**
 * The same graphs by other runners. A section of its own that comes last: they make and remove thousands of files, and for minutes after that ext4 is
 * slow to make new ones.
 */
export const others = ({ rounds, quick }) => graphsOf(quick).map((graph) => withPeers(graph, rounds));

function graphsOf(quick) {
  const [count, depth, width, length] = quick ? [200, 10, 20, 100] : [1000, 10, 100, 500];
  return [
    { title: `${count} wide`, tasks: wide(count), matrix: matrixConfig(count) },
    { title: `${depth} layers × ${width}`, tasks: layers(depth, width) },
    { title: `chain of ${length}`, tasks: chain(length) },
  ];
}

function alone({ title, tasks, matrix }, rounds) {
  const contenders = [
    floorOf(title, tasks),
    ours(title, 'autoresearch', { config: stagesConfig(tasks), tasks }),
    ...(matrix ? [ours(title, 'autoresearch, one matrix', { config: matrix, tasks })] : []),
  ];
  const rows = measure(contenders, { rounds, title });
  const targets = contenders.slice(1).map(({ name }) => ({
    target: `${title}: ${name}`,
    unit: `× ${base}`,
    limit: 1.25,
    measured: ratio(rows, name),
  }));
  return { title: `Trivial commands: ${title}, two at a time`, rows, targets };
}

function withPeers({ title, tasks }, rounds) {
  const contenders = [
    floorOf(title, tasks),
    ours(title, 'autoresearch', { config: stagesConfig(tasks), tasks }),
    ...peers(folderOf(title), tasks).map((peer) => ({ ...peer, base })),
  ];
  const rows = measure(contenders, { rounds, title: `${title}, others` });
  return { title: `The same beside others: ${title}, two at a time`, rows, targets: [] };
}

const folderOf = (title) => title.replaceAll(/[^\w]+/g, '-');

function floorOf(title, tasks) {
  const cwd = writeFiles(`${folderOf(title)}/floor`, { 'graph.json': tasks });
  return { name: base, base, run: [process.execPath, floor, join(cwd, 'graph.json')], cwd };
}

function ours(title, name, { config, tasks }) {
  const made = project(`${folderOf(title)}/${folderOf(name)}`, { 'autoresearch.config.json': config });
  return { name, base, ...made, run: made.run(...exec, '--jobs', '2'), check: didAll(made.cwd, tasks.length) };
}
