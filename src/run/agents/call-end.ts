import type { AgentAnswer } from '../../model/agents/agent.js';
import type { RecordedEvent } from '../../model/events/event.js';
import type { KeptFiles } from '../../model/files/kept-file.js';
import type { JsonObject } from '../../model/json.js';
import type { Ledger } from '../../model/money/spend.js';

interface CallFacts {
  readonly call: string;
  readonly task: string;
  readonly agent: string;
  readonly durationMs: number;
  readonly kept: KeptFiles;
}

/** The journal says how a call ended, and which files changed while it went on; a long list is cut, its count is not. */
export function endOf(answer: AgentAnswer, { kept, ...about }: CallFacts, files: readonly string[]): RecordedEvent {
  const { session, turns, model } = answer;
  const facts = {
    ...about,
    ...(session ? { session } : {}),
    ...(turns === undefined ? {} : { turns }),
    ...(model === undefined ? {} : { model }),
    ...(files.length === 0 ? {} : { files: files.slice(0, mostListed), changedFiles: files.length }),
    ...(Object.keys(kept).length === 0 ? {} : { kept }),
  };
  if (answer.ok) return { type: 'agent-completed', ...facts, outcome: outcomeOf(answer.reply) };
  const { why, detail, resetAt } = answer;
  return { type: 'agent-failed', ...facts, why, detail, ...(resetAt === undefined ? {} : { resetAt }) };
}

const mostListed = 200;

export const costOf = (answer: AgentAnswer): Pick<Parameters<Ledger['settle']>[1], 'usd' | 'isPriced' | 'tokens'> => ({
  ...(answer.usd === undefined ? {} : { usd: answer.usd, ...(answer.isPriced ? { isPriced: true } : {}) }),
  ...(answer.tokens ? { tokens: answer.tokens } : {}),
});

const outcomeOf = (reply: JsonObject | undefined): string => {
  const outcome = reply?.outcome ?? reply?.verdict;
  return typeof outcome === 'string' ? outcome : 'unknown';
};
