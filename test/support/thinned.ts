const major = Number(process.versions.node.split('.')[0]);

/**
 * Trials of one kind, of which there are many: all of them on the Node that the suite is run with, every few of them where CI
 * runs it once more (`QUICKER`), and there on each Node others.
 */
export const thinned = <Trial>(trials: readonly Trial[], every = 4): readonly Trial[] =>
  process.env.QUICKER ? trials.filter((_, index) => (index + Math.floor(major / 2)) % every === 0) : trials;
