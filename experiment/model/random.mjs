/**
 * Chance that can be repeated: the same seed gives the same numbers on every machine and in every version of Node.
 * A 32-bit generator in the manner of mulberry32; good for shuffling and noise, not for secrets.
 */
export function createRandom(seed) {
  let state = mix(seed >>> 0);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state) / 2 ** 32;
  };
  return { next, normal: () => normal(next), shuffle: (items) => shuffle(items, next) };
}

/** Spreads every bit of a number over all the others. */
function mix(value) {
  let x = value;
  x = Math.imul(x ^ (x >>> 15), x | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return (x ^ (x >>> 14)) >>> 0;
}

/** Box and Muller's way from even to normal numbers. */
function normal(next) {
  const radius = Math.sqrt(-2 * Math.log(1 - next()));
  return radius * Math.cos(2 * Math.PI * next());
}

function shuffle(items, next) {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}
