import { FailureError } from '../../model/failure.js';
import type { Config } from '../../model/generated/config.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import { loadExpressions } from '../../source/expression/expression.js';

/** `until` of a loop. What cannot be worked out ends the loop: it would otherwise go on for ever. */
export async function loadUntil(
  text: string,
  { vars = {}, name, iterate }: Config,
): Promise<(state: SeriesState) => boolean> {
  const expressions = await loadExpressions();
  return ({ rows, best }) => {
    const last = rows.at(-1);
    // A failed iteration brings nothing new.
    if (last?.value === undefined || !best) return false;
    const baseline = rows.find(({ number }) => number === 0)?.value;
    const answer = expressions.evaluate(text, {
      vars,
      name,
      metric: last.value,
      best: best.value,
      metrics: { ...last.metrics },
      iteration: { number: last.number, max: iterate!.max },
      ...(baseline === undefined ? {} : { baseline }),
    });
    if (answer.ok) return answer.value;
    const why = answer.error.map(({ message }) => message).join('; ');
    throw new FailureError({
      code: 'behaviour-failed',
      detail: `iterate.until (${text}) cannot be worked out: ${why}`,
    });
  };
}
