// Functions that statistics is made of. Checked against SciPy in test/stages/statistics.test.ts.

/** The logarithm of the gamma function (Lanczos, g = 7, nine terms: about fifteen digits). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  const shifted = x - 1;
  const base = shifted + 7.5;
  const sum = lanczos.reduce((total, term, at) => (at === 0 ? term : total + term / (shifted + at)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(sum);
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The regularised incomplete beta function I_x(a, b), by its continued fraction on the side where that converges fast. */
export function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  let [c, d] = [1, 1 / away(1 - ((a + b) * x) / (a + 1))];
  let value = d;
  for (let m = 1; m <= 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) return value;
  }
  throw new Error(`the incomplete beta function of ${x}, ${a}, ${b} does not converge`);
}

const away = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/** P(T ≤ t) of Student's t. Degrees need not be whole: Welch's are not. */
export function studentCdf(t: number, degrees: number): number {
  const tail = 0.5 * betaShare(degrees / (degrees + t * t), degrees / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

/** P(|T| ≥ |t|), without the loss of digits that 1 − P would bring. */
export const studentTails = (t: number, degrees: number): number =>
  Number.isFinite(t) ? betaShare(degrees / (degrees + t * t), degrees / 2, 0.5) : 0;

/** The t below which a share of Student's t lies. */
export function studentQuantile(share: number, degrees: number): number {
  if (share === 0.5) return 0;
  if (share < 0.5) return -studentQuantile(1 - share, degrees);
  let high = 1;
  while (studentCdf(high, degrees) < share) high *= 2;
  return bisect((t) => studentCdf(t, degrees) - share, [0, high]);
}

/** P(Z ≤ z) of the normal distribution. */
export function normalCdf(z: number): number {
  const upper = 0.5 * gammaTail((z * z) / 2);
  return z > 0 ? 1 - upper : upper;
}

/** Q(1/2, x): a series near zero, a continued fraction beyond. */
function gammaTail(x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(-x + 0.5 * Math.log(x) - logGamma(0.5));
  if (x < 1.5) {
    let [term, sum] = [2, 2];
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
      term *= x / (0.5 + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 0.5;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n <= 1000; n += 1) {
    const a = -n * (n - 0.5);
    b += 2;
    d = 1 / away(a * d + b);
    c = away(b + a / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * value;
}

/** The z below which a share of the normal distribution lies. */
export function normalQuantile(share: number): number {
  if (share <= 0) return -Infinity;
  if (share >= 1) return Infinity;
  if (share > 0.5) return -normalQuantile(1 - share);
  return bisect((z) => normalCdf(z) - share, [-40, 0]);
}

/** Where an increasing function crosses zero, as near as numbers go. */
function bisect(f: (x: number) => number, [from, to]: readonly [number, number]): number {
  let [low, high] = [from, to];
  for (let round = 0; round < 200; round += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
