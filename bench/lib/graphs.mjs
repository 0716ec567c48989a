/** The graphs that all runners are given. A task is `{ id, needs, command }`; its command is `true` unless said otherwise. */
export const wide = (count, command) => Array.from({ length: count }, (_, index) => task(`t${index}`, [], command));

/** Each task needs two of the layer before. */
export const layers = (depth, width) =>
  Array.from({ length: depth * width }, (_, index) => {
    const [layer, place] = [Math.floor(index / width), index % width];
    const name = (at) => `l${layer - 1}t${at % width}`;
    return task(`l${layer}t${place}`, layer === 0 ? [] : [...new Set([name(place), name(place + 1)])]);
  });

export const chain = (length) =>
  Array.from({ length }, (_, index) => task(`t${index}`, index === 0 ? [] : [`t${index - 1}`]));

const task = (id, needs, command = 'true') => ({ id, needs, command });

/** One stage for each task. */
export const stagesConfig = (tasks) => ({
  name: 'bench',
  stages: Object.fromEntries(
    tasks.map(({ id, needs, command }) => [
      id,
      { uses: 'command', with: { run: command }, ...(needs.length > 0 ? { needs } : {}) },
    ]),
  ),
});

/** One stage with a matrix, which is how a person writes many tasks that are alike. */
export const matrixConfig = (count) => ({
  name: 'bench',
  stages: {
    t: { uses: 'command', with: { run: 'true' }, matrix: { i: Array.from({ length: count }, (_, index) => index) } },
  },
});
