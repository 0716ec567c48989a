import type { AgentTrouble } from '../../../model/agents/agent.js';
import { isJsonObject, type JsonObject } from '../../../model/json.js';
import { resetTime } from '../../../run/errors/reset-time.js';
import { statusTrouble } from '../status-trouble.js';

export interface OpencodeTrouble {
  readonly why: AgentTrouble;
  readonly detail: string;
  readonly resetAt?: number;
}

/** Why it failed, from an `error` event: the kind of the error, and the status where the model's server gave one. */
export function opencodeTrouble({ error, timestamp }: JsonObject): OpencodeTrouble {
  if (!isJsonObject(error)) return { why: 'crashed', detail: 'opencode told of an error without saying which' };
  const data = isJsonObject(error.data) ? error.data : {};
  const name = typeof error.name === 'string' ? error.name : 'an error without a name';
  const detail = typeof data.message === 'string' && data.message !== '' ? data.message : name;
  const status = name === 'APIError' && typeof data.statusCode === 'number' ? data.statusCode : undefined;
  const why = statusTrouble(status) ?? kinds[name] ?? 'crashed';
  const resetAt = why === 'quota' ? resetIn(data.responseHeaders, timestamp) : undefined;
  return { why, detail, ...(resetAt === undefined ? {} : { resetAt }) };
}

/** What its log says when it could not even begin. */
export function startTrouble(stderr: string, session: string | undefined): OpencodeTrouble | undefined {
  if (session !== undefined && /^(?:\S* )?Error: Session not found\s*$/m.test(stderr)) return sessionLost(session);
  const missing = / error="ProviderModelNotFoundError: ([^"\n]{1,300})"/.exec(stderr)?.[1];
  return missing === undefined ? undefined : { why: 'refused', detail: missing };
}

export const sessionLost = (id: string): OpencodeTrouble => ({
  why: 'session-lost',
  detail: `opencode has no session ${id}`,
});

const kinds: { readonly [name: string]: AgentTrouble } = {
  ProviderAuthError: 'not-logged-in',
  ProviderModelNotFoundError: 'refused',
  ContextOverflowError: 'refused',
  ContentFilterError: 'refused',
};

function resetIn(headers: unknown, timestamp: unknown): number | undefined {
  if (!isJsonObject(headers) || typeof timestamp !== 'number') return undefined;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return resetTime(lines, timestamp);
}
