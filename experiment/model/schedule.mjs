/** The two arms. Both are told the same peak; they differ in nothing but the rate at each step. */
export const schedules = {
  constant: ({ peak }) => peak,
  /** Rises in a line over the warm-up, then falls along half a cosine towards nothing. */
  cosine: ({ peak, step, steps, warmup }) =>
    step < warmup
      ? (peak * (step + 1)) / warmup
      : (peak * (1 + Math.cos((Math.PI * (step - warmup)) / (steps - warmup)))) / 2,
};
