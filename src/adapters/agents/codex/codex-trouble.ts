import type { AgentTrouble } from '../../../model/agents/agent.js';
import { resetTime } from '../../../run/errors/reset-time.js';

export interface CodexTrouble {
  readonly why: AgentTrouble;
  readonly detail: string;
  readonly resetAt?: number;
}

/**
 * Why a turn failed, from codex's own sentence. Only the beginning is looked at: behind it come the words of the server, and
 * for a plain 400 there is nothing but those.
 */
export function codexTrouble(whole: string, nowMs: number): CodexTrouble {
  const message = whole.slice(0, mostLetters);
  const why = beginnings.find(([, pattern]) => pattern.test(message))?.[0] ?? 'refused';
  const resetAt = why === 'quota' ? resetTime([message], nowMs) : undefined;
  return { why, detail: message, ...(resetAt === undefined ? {} : { resetAt }) };
}

/** A server that is broken may answer with a whole page. */
const mostLetters = 1000;

const status = (codes: string): string =>
  String.raw`(?:unexpected status|exceeded retry limit, last status:) (?:${codes})\b`;

const beginnings: readonly (readonly [AgentTrouble, RegExp])[] = [
  [
    'not-logged-in',
    new RegExp(
      `^(?:${status('401')}|missing environment variable|not logged in|your (?:access token|authentication session)|please (?:log|sign) in)`,
      'i',
    ),
  ],
  [
    'quota',
    new RegExp(
      `^(?:${status('429')}|you.ve (?:hit|reached) your usage limit|quota exceeded|rate limit (?:exceeded|reached)|to use codex with your chatgpt plan)`,
      'i',
    ),
  ],
  [
    'overloaded',
    new RegExp(
      `^(?:${status('408|5\\d\\d')}|we.re currently experiencing high demand|selected model is at capacity|stream disconnected|connection failed|request timed out|error sending request|.{0,40}\\boverloaded\\b)`,
      'i',
    ),
  ],
  ['crashed', /^(?:internal error|fatal error|io error|codex does not say)/i],
];

/** The session is not there, as codex says it before it has begun. Nobody else writes on its standard error by then. */
export const saysSessionLost = (stderr: string): boolean =>
  /^Error: thread\/resume\b.*\b(?:no rollout found|thread not found|session not found)/im.test(stderr);

/**
 * The words for a sandbox that cannot start. codex hands them to its model as if the command had said so, which then tries
 * on for money; so this is looked at while no command has worked yet.
 */
export function sandboxTrouble(command: string, output: string): CodexTrouble | undefined {
  const said = /^bwrap: [^\n]{1,300}(?=\n?$)/.exec(output)?.[0];
  if (said === undefined || /\bbwrap\b/.test(command)) return undefined;
  const help = `allow unprivileged user namespaces on this machine, or, where something else confines the agent, give it args: ['--sandbox', 'danger-full-access']`;
  return { why: 'refused', detail: `the sandbox of codex cannot start here (${said}): ${help}` };
}
