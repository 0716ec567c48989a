import { createRandom } from './random.mjs';

const turns = 1.5;

/**
 * Two noisy spirals, one inside the other: easy to draw, impossible for a straight line, and with enough noise that no
 * network can be perfect. Each point is `[x, y, label]`.
 */
export function makeSpirals({ count, noise, seed }) {
  const random = createRandom(seed);
  const points = [];
  for (let index = 0; index < count; index++) {
    const label = index % 2;
    const along = Math.sqrt(random.next());
    const angle = along * turns * 2 * Math.PI + label * Math.PI;
    points.push([
      along * Math.cos(angle) + noise * random.normal(),
      along * Math.sin(angle) + noise * random.normal(),
      label,
    ]);
  }
  return random.shuffle(points);
}
