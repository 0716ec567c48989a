import type { AgentTrouble } from '../../../model/agents/agent.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { redact } from '../../../model/secrets/redact.js';
import { resetTime } from '../../../run/errors/reset-time.js';
import { printable } from '../../command/printable.js';
import { patientFetch } from './patient-fetch.js';
import { type Hide, hideIn } from './secret.js';

export interface ChatTarget {
  /** Of the chat completions themselves, see `chatUrl`. */
  readonly url: URL;
  readonly key: string | undefined;
  readonly hide: Hide;
}

export type ChatResult =
  | { readonly ok: true; readonly body: JsonObject }
  | {
      readonly ok: false;
      readonly why: AgentTrouble;
      readonly detail: string;
      readonly status?: number;
      readonly resetAt?: number;
      /** It may work in a moment. */
      readonly again: boolean;
      /** The request may have been worked on, and nobody says what that cost. */
      readonly costUnknown: boolean;
    };

/** The address below which everything lies, with the query that some gateways want; undefined when it is no web address. */
export function chatUrl(baseUrl: string | undefined): URL | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  // Node would refuse these with a message that shows the password.
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  url.hash = '';
  return url;
}

/** One request, one answer. Never throws; what the key or the query say never shows. */
export async function postChat(
  target: ChatTarget,
  body: JsonObject,
  { signal, nowMs }: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<ChatResult> {
  const { url, key, hide } = target;
  try {
    patient ??= patientFetch();
    const response = await patient(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      // Nothing is followed, and unlike with `error` the answer can say where it pointed.
      redirect: 'manual',
      signal,
    });
    const text = await boundedText(response, response.ok ? mostBytes : mostErrorBytes);
    if (!response.ok) return httpTrouble(response, hide(text ?? ''), nowMs);
    if (text === undefined) return broken(`the endpoint sent more than ${mostBytes >> 20} MB for one step`);
    const value = hideIn(hide, parsed(text));
    return isJsonObject(value) ? { ok: true, body: value } : broken('the endpoint did not answer with a JSON object');
  } catch (error) {
    return networkTrouble(error, url);
  }
}

/** Made when first needed, and kept for its open connections. */
let patient: typeof fetch | undefined;

const mostBytes = 10 << 20;
const mostErrorBytes = 64 << 10;

const broken = (detail: string): ChatResult => ({
  ok: false,
  why: 'crashed',
  detail,
  again: false,
  costUnknown: true,
});

/** Undefined when there is more; the rest is not read. */
async function boundedText(response: Response, most: number): Promise<string | undefined> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts).toString('utf8');
    bytes += value.byteLength;
    if (bytes > most) {
      await reader.cancel().catch(() => {});
      return undefined;
    }
    parts.push(value);
  }
}

function httpTrouble(response: Response, text: string, nowMs: number): ChatResult {
  const { status } = response;
  const base = { ok: false, status, again: false, costUnknown: status === 504 || status === 524 } as const;
  if (status >= 300 && status < 400)
    return { ...base, why: 'refused', detail: `the endpoint points elsewhere (${status}), which is not followed` };
  const detail = `${status}: ${messageOf(text)}`;
  if (status === 401 || status === 403) return { ...base, why: 'not-logged-in', detail };
  if (status === 429 || status === 402) {
    const resetAt = resetTime(resetLines(response.headers), nowMs);
    return { ...base, why: 'quota', detail, ...(resetAt === undefined ? {} : { resetAt }) };
  }
  if (status >= 500 || status === 408) return { ...base, why: 'overloaded', detail, again: true };
  return { ...base, why: 'refused', detail };
}

/** A bare number counts seconds, as with `retry-after`, unless it is a moment. */
function resetLines(headers: Headers): string[] {
  const lines: string[] = [];
  for (const [name, value] of headers) {
    if (!/^retry-after(-ms)?$|^x-ratelimit-reset/.test(name)) continue;
    lines.push(`${name}: ${/^\d{1,9}(\.\d+)?$/.test(value) && name.startsWith('x-') ? `${value}s` : value}`);
  }
  return lines;
}

/** The shapes in use: `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, or just text. */
function messageOf(text: string): string {
  const value = parsed(text);
  const found = isJsonObject(value)
    ? [isJsonObject(value.error) ? value.error.message : value.error, value.message, value.detail].find(isText)
    : undefined;
  const words = printable(redact(found ?? text).replace(/\s+/g, ' ')).trim();
  return words === '' ? 'no words' : words.length > 400 ? `${words.slice(0, 400)} …` : words;
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/**
 * Nobody there counts as overloaded: a server that restarts, a tunnel or a network that is down come back, so waiting is
 * what helps. Only when nothing was sent is it known to have cost nothing.
 */
function networkTrouble(error: unknown, url: URL): ChatResult {
  const code = codeOf(error);
  const detail = `${url.host} cannot be reached (${code})`;
  if (/TIMEOUT/.test(code) && code !== 'UND_ERR_CONNECT_TIMEOUT')
    return {
      ok: false,
      why: 'timed-out',
      detail: `${url.host} did not answer (${code})`,
      again: false,
      costUnknown: true,
    };
  const notSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code);
  return { ok: false, why: 'overloaded', detail, again: true, costUnknown: !notSent };
}

function codeOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] }; name?: unknown };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? name;
  return typeof code === 'string' ? code : 'unknown';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
