import type { AgentTrouble } from '../../../model/agents/agent.js';
import { isJsonObject, type JsonObject } from '../../../model/json.js';
import { resetTime } from '../../../run/errors/reset-time.js';
import { statusTrouble } from '../status-trouble.js';

export interface GeminiTrouble {
  readonly why: AgentTrouble;
  readonly detail: string;
  readonly resetAt?: number;
}

/** Why it failed, from its exit code and the error in its `result` line, which is about the model's server. */
export function geminiTrouble(exitCode: number | undefined, result: JsonObject | undefined): GeminiTrouble | undefined {
  const own = exitCode === undefined ? undefined : ownCodes[exitCode];
  const message = messageIn(result);
  if (own) return { why: own[0], detail: message ?? own[1] };
  if (message === undefined) return undefined;
  const { status, invalidKey, words } = apiError(message);
  const why = invalidKey ? 'not-logged-in' : statusTrouble(status ?? statusBehind(exitCode));
  if (why === undefined) return undefined;
  const resetAt = why === 'quota' ? resetTime(message.split('\n'), Date.parse(String(result?.timestamp))) : undefined;
  return { why, detail: words, ...(resetAt === undefined ? {} : { resetAt }) };
}

export const messageIn = (result: JsonObject | undefined): string | undefined =>
  result?.status === 'error' && isJsonObject(result.error) && typeof result.error.message === 'string'
    ? result.error.message
    : undefined;

const ownCodes: { readonly [exitCode: number]: readonly [AgentTrouble, string] } = {
  41: ['not-logged-in', 'gemini knows no way to log in: set GEMINI_API_KEY, or start gemini and choose one'],
  42: ['refused', 'gemini refused its input'],
  53: ['max-turns', 'no answer within the turns that the settings of gemini allow'],
  55: ['refused', 'gemini does not trust the folder'],
};

/** It ends with the status of the server as its exit code, of which eight bits arrive. 1 is for all that has no status. */
function statusBehind(exitCode: number | undefined): number | undefined {
  if (exitCode === undefined) return undefined;
  if (exitCode >= 400 - 256) return exitCode + 256;
  return exitCode >= 520 - 512 && exitCode <= 530 - 512 ? exitCode + 512 : undefined;
}

/** `[API Error: …]`, with the server's own JSON in it where gemini has made no words of it. */
function apiError(message: string): { status?: number; invalidKey: boolean; words: string } {
  const words = /^\[API Error: ([\s\S]*?)\](?:\n|$)/.exec(message)?.[1] ?? message;
  try {
    const { error } = JSON.parse(words);
    const details: unknown[] = Array.isArray(error.details) ? error.details : [];
    return {
      ...(Number.isInteger(error.code) ? { status: error.code } : {}),
      // For a wrong key the server says 400.
      invalidKey: details.some((detail) => isJsonObject(detail) && detail.reason === 'API_KEY_INVALID'),
      words: typeof error.message === 'string' ? error.message : words,
    };
  } catch {
    return { invalidKey: false, words };
  }
}
