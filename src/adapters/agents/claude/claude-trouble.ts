import type { AgentTrouble } from '../../../model/agents/agent.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { statusIn } from './claude-line.js';

export interface ApiError {
  /** Its own name for it, such as `rate_limit`. */
  readonly error: string;
  readonly status?: number;
}

/** Why a result line that says `is_error` is none, from numbers and names that the CLI itself sets. */
export function claudeTrouble(result: JsonObject, apiError: ApiError | undefined): AgentTrouble {
  if (result.subtype === 'error_max_turns') return 'max-turns';
  if (result.subtype === 'error_max_budget_usd') return 'over-cap';
  // An error that it got over in an earlier turn is not why it ended.
  const { status = apiError?.status } = statusIn(result.api_error_status);
  return (
    byName[apiError?.error ?? ''] ??
    byStatus(status) ??
    (result.terminal_reason === 'api_error' ? 'overloaded' : 'crashed')
  );
}

/** No credit is a quota of another kind: nothing but time or money helps. */
const byName: { readonly [error: string]: AgentTrouble | undefined } = {
  authentication_failed: 'not-logged-in',
  oauth_org_not_allowed: 'not-logged-in',
  billing_error: 'quota',
  rate_limit: 'quota',
  overloaded: 'overloaded',
  server_error: 'overloaded',
  invalid_request: 'refused',
  model_not_found: 'refused',
};

function byStatus(status: number | undefined): AgentTrouble | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'not-logged-in';
  if (status === 402 || status === 429) return 'quota';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'refused' : undefined;
}

/** What it says happened, in its own words. */
export function claudeWords({ result, errors }: JsonObject): string | undefined {
  const words = [result, ...(Array.isArray(errors) ? (errors as readonly Json[]) : [])];
  return words.find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/** Said before anything else happens, when there is no session of that id in this folder and for this user. */
export const saysSessionLost = (text: string): boolean =>
  /^(?:Error: )?(?:No conversation found with session ID|--resume requires a valid session)/m.test(text);
