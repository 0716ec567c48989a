export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of a sample: divided by one less than its size. */
export function standardDeviation(values) {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Student's interval for the mean of what the values were drawn from. */
export function confidenceInterval(values, confidence) {
  const half = (studentQuantile(confidence, values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length);
  return [mean(values) - half, mean(values) + half];
}

/** The t for which a Student variable lies within ±t with the given probability. */
export function studentQuantile(probability, degrees) {
  let [low, high] = [0, 1];
  while (studentWithin(high, degrees) < probability) high *= 2;
  for (let round = 0; round < 100; round++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, degrees) < probability) low = middle;
    else high = middle;
  }
  return high;
}

/** P(|T| < t), exact for whole degrees of freedom: a finite sum over powers of the cosine (Abramowitz & Stegun 26.7.3–4). */
function studentWithin(t, degrees) {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const odd = degrees % 2 === 1;
  let term = odd ? Math.cos(angle) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = odd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= (Math.cos(angle) ** 2 * (power - 1)) / power;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
