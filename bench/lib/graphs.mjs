/** The graphs that all runners are given. A task is `{ id, needs }`; its command is `true`. */
export const wide = (count) => Array.from({ length: count }, (_, index) => ({ id: `t${index}`, needs: [] }));

/** Each task needs two of the layer before. */
export const layers = (depth, width) =>
  Array.from({ length: depth * width }, (_, index) => {
    const [layer, place] = [Math.floor(index / width), index % width];
    const name = (at) => `l${layer - 1}t${at % width}`;
    return { id: `l${layer}t${place}`, needs: layer === 0 ? [] : [...new Set([name(place), name(place + 1)])] };
  });

export const chain = (length) =>
  Array.from({ length }, (_, index) => ({ id: `t${index}`, needs: index === 0 ? [] : [`t${index - 1}`] }));

/** One stage for each task. */
export const stagesConfig = (tasks) => ({
  name: 'bench',
  stages: Object.fromEntries(
    tasks.map(({ id, needs }) => [
      id,
      { uses: 'command', with: { run: 'true' }, ...(needs.length > 0 ? { needs } : {}) },
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
