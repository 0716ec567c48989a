import type { AgentTrouble } from '../../model/agents/agent.js';

/** What an HTTP status of a model's server means for who asked. Undefined where it says nothing. */
export function statusTrouble(status: number | undefined): AgentTrouble | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'not-logged-in';
  if (status === 402 || status === 429) return 'quota';
  if (status === 408 || (status >= 500 && status <= 599)) return 'overloaded';
  return status >= 400 && status <= 499 ? 'refused' : undefined;
}
