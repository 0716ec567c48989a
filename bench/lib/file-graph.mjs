/**
 * Layers of tasks that each write one small file out of two of the layer before; the first layer reads sources, each of which
 * serves two tasks. A task reaches twice as far with every layer, so that one changed source reaches about half of them all.
 */
export function fileGraph(depth, width) {
  const tasks = Array.from({ length: depth * width }, (_, index) => {
    const [layer, place] = [Math.floor(index / width), index % width];
    const before = (at) => `l${layer - 1}t${at % width}`;
    const needs = layer === 0 ? [] : [...new Set([before(place), before(place + 2 ** layer)])];
    const inputs = layer === 0 ? [source(place >> 1)] : needs.map(output);
    const id = `l${layer}t${place}`;
    return { id, needs, inputs, output: output(id), command: `cat ${inputs.join(' ')} > ${output(id)}` };
  });
  const sources = Array.from({ length: width / 2 }, (_, index) => source(index));
  return {
    tasks,
    sources,
    files: [...sources, ...tasks.map((task) => task.output)],
    reached: reachedFrom(source(0), tasks),
  };
}

const source = (index) => `src/s${index}.txt`;
const output = (id) => `out/${id}.txt`;

/** The tasks that have to run again when this source changes, with those of their needs that do too. */
function reachedFrom(changed, tasks) {
  const stale = new Set();
  for (const { id, needs, inputs } of tasks)
    if (inputs.includes(changed) || needs.some((need) => stale.has(need))) stale.add(id);
  return tasks
    .filter(({ id }) => stale.has(id))
    .map(({ id, needs, command }) => ({ id, command, needs: needs.filter((need) => stale.has(need)) }));
}

export const fileConfig = ({ tasks }) => ({
  name: 'bench',
  stages: Object.fromEntries(
    tasks.map(({ id, inputs, output, command }) => [
      id,
      { uses: 'command', with: { run: command }, inputs, outputs: [output] },
    ]),
  ),
});

export const sourceFiles = ({ sources }, word) =>
  Object.fromEntries(sources.map((path) => [path, `${path} ${word}\n`]));

export function snakefile({ tasks }) {
  const listed = (paths) => paths.map((path) => JSON.stringify(path)).join(', ');
  const rules = tasks.map(
    ({ id, inputs, output, command }) =>
      `rule ${id}:\n    input: ${listed(inputs)}\n    output: ${JSON.stringify(output)}\n    shell: ${JSON.stringify(command)}\n`,
  );
  return `rule all:\n    input: ${listed(tasks.map(({ output }) => output))}\n${rules.join('')}`;
}
