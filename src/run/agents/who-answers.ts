import type { JsonObject } from '../../model/json.js';
import type { TaskAgent } from '../../model/plan.js';

/**
 * What makes an agent another one. Not what it is called or said to be, where its program lies, what it is given to log in with,
 * and how much it may use: a new key and a higher limit are no reason to do the work again.
 */
export function whoAnswers({ backend, model, replayed, ...agent }: TaskAgent): JsonObject {
  return {
    backend,
    ...(model === undefined ? {} : { model }),
    ...howItAnswers(agent),
    ...(replayed ? { replayed } : {}),
  };
}

/** Besides backend and model. Empty where the config leaves it to the backend. */
export const howItAnswers = ({ tools, run, args, baseUrl, temperature }: Partial<TaskAgent>): JsonObject => ({
  ...(tools === undefined ? {} : { tools }),
  ...(run === undefined ? {} : { run }),
  ...(args === undefined ? {} : { args }),
  ...(baseUrl === undefined ? {} : { baseUrl }),
  ...(temperature === undefined ? {} : { temperature }),
});
