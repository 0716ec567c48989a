const major = Number(process.versions.node.split('.')[0]);

/** Every trial on the Node that the suite is run with; a quarter where CI runs it once more (`QUICKER`), on each Node others. */
export const thinned = <Trial>(trials: readonly Trial[], every = 4): readonly Trial[] =>
  process.env.QUICKER ? trials.filter((_, index) => (index + Math.floor(major / 2)) % every === 0) : trials;

/**
 * The dearest trials are shared out: a third of them on each Node that CI runs, so that it makes all of them, and one run of the
 * suite takes minutes. `EVERY=1` (`npm run test:crash`) makes all of them at once.
 */
export const shared = <Trial>(trials: readonly Trial[]): readonly Trial[] =>
  process.env.EVERY
    ? trials
    : trials.filter((_, index) => index % thirds.length === Math.max(0, thirds.indexOf(major)));

const thirds = [20, 22, 24];
