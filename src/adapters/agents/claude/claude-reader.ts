import type { AgentAnswer, AgentRequest, AnswerFacts } from '../../../model/agents/agent.js';
import { isJsonObject, type JsonObject } from '../../../model/json.js';
import type { CliEnd, CliReader, LineNews } from '../cli/cli-dialect.js';
import { lastJsonObject } from '../cli/last-json.js';
import { troubleOf } from '../command/command-agent.js';
import { claudeCost } from './claude-cost.js';
import { type ClaudeLine, claudeLine } from './claude-line.js';
import { claudeNews, denialNews } from './claude-news.js';
import { helperTools } from './claude-tools.js';
import { type ApiError, claudeTrouble, claudeWords, saysSessionLost } from './claude-trouble.js';

/** Makes sense of one `claude -p`. Its last result line decides, together with how it ended; without one it crashed. */
export class ClaudeReader implements CliReader {
  readonly #request: AgentRequest;
  readonly #now: () => number;
  readonly #results: JsonObject[] = [];
  readonly #helpers = new Set<string>();
  #session: string | undefined;
  #model: string | undefined;
  #apiError: ApiError | undefined;
  #resetAt: number | undefined;
  #retryMs: number | undefined;

  constructor(request: AgentRequest, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  line(text: string): LineNews {
    const line = claudeLine(text);
    switch (line?.kind) {
      case 'init':
        this.#session = line.session;
        this.#model = line.model;
        return {};
      case 'message':
        return this.#message(line);
      case 'api-error':
        this.#apiError = line;
        return {};
      case 'limit':
        this.#resetAt = line.resetAt ?? this.#resetAt;
        return {};
      case 'retry':
        return this.#retry(line);
      case 'result':
        this.#results.push(line.result);
        return denialNews(line.result);
      default:
        return {};
    }
  }

  end({ failure, words, stderr, overrun }: CliEnd): AgentAnswer {
    const facts = this.#facts();
    if (overrun) return { ok: false, ...overrun, ...this.#reset(overrun.why), ...facts };
    const ended = failure && troubleOf(failure);
    if (ended !== undefined && ended !== 'crashed') return { ok: false, why: ended, detail: words ?? ended, ...facts };
    const result = this.#results.at(-1);
    const { session } = this.#request;
    const said = result && claudeWords(result);
    if (session && this.#session === undefined && saysSessionLost(`${said ?? ''}\n${stderr}`))
      return { ok: false, why: 'session-lost', detail: `claude has no session ${session.id} for this folder` };
    if (!result || typeof result.is_error !== 'boolean' || (failure && !result.is_error))
      return { ok: false, why: 'crashed', detail: crashed(words ?? 'it ended without a result', stderr), ...facts };
    if (result.is_error) {
      const why = claudeTrouble(result, this.#apiError);
      const detail = said ?? words ?? 'it says that it failed, and nothing else';
      return {
        ok: false,
        why,
        detail: why === 'crashed' ? crashed(detail, stderr) : detail,
        ...this.#reset(why),
        ...facts,
      };
    }
    if (result.stop_reason === 'refusal')
      return { ok: false, why: 'refused', detail: said ?? 'the model declined to answer', ...facts };
    return { ok: true, reply: replyIn(result), ...facts };
  }

  #message({ model, blocks, byHelper }: Extract<ClaudeLine, { kind: 'message' }>): LineNews {
    // What went before was got over.
    if (!byHelper) this.#apiError = undefined;
    if (!byHelper && model !== undefined) this.#model = model;
    for (const block of blocks) if (startsHelper(block)) this.#helpers.add(String(block.id));
    const news = claudeNews(blocks, { byHelper, cwd: this.#request.cwd });
    const most = this.#request.helpers;
    if (this.#helpers.size <= most) return news;
    const detail = `it started ${this.#helpers.size} helpers of its own where ${most} ${most === 1 ? 'is' : 'are'} allowed`;
    return { ...news, overrun: { why: 'too-many-helpers', detail } };
  }

  #retry({ status, delayMs }: Extract<ClaudeLine, { kind: 'retry' }>): LineNews {
    this.#retryMs = delayMs;
    const what = status === undefined ? 'the API could not be reached' : `the API answered ${status}`;
    const said = `${what}; trying again in ${Math.ceil(delayMs / 1000)} s`;
    if (delayMs <= mostWaitMs) return { said };
    const why = status === 429 ? 'quota' : 'overloaded';
    return { said, overrun: { why, detail: `${what} and wants ${Math.ceil(delayMs / 1000)} s of patience` } };
  }

  /** What the limit itself says, or else how long it was last told to wait. */
  #reset(why: string): { readonly resetAt?: number } {
    if (why !== 'quota') return {};
    if (this.#resetAt !== undefined) return { resetAt: this.#resetAt };
    return this.#retryMs === undefined ? {} : { resetAt: this.#now() + this.#retryMs };
  }

  #facts(): AnswerFacts {
    return {
      ...claudeCost(this.#results, this.#request.session !== undefined),
      ...(this.#session === undefined ? {} : { session: { id: this.#session } }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
    };
  }
}

/** A pause that is longer is not spent inside the call, where it counts against its time. */
const mostWaitMs = 15_000;

/** The CLI has checked the first against the schema; the second is for models that would not be told. */
const replyIn = ({ structured_output, result }: JsonObject): JsonObject | undefined =>
  isJsonObject(structured_output) ? structured_output : lastJsonObject(typeof result === 'string' ? result : '');

const startsHelper = ({ type, name }: JsonObject): boolean =>
  type === 'tool_use' && typeof name === 'string' && helperTools.includes(name);

const crashed = (what: string, stderr: string): string => (stderr.trim() === '' ? what : `${what}: ${stderr.trim()}`);
