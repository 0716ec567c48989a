import type { AgentAnswer, AgentRequest, AnswerFacts } from '../../../model/agents/agent.js';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../../model/json.js';
import { readable } from '../../../run/errors/said-lines.js';
import type { CliEnd, CliReader, LineNews } from '../cli/cli-dialect.js';
import { lastJsonObject } from '../cli/last-json.js';
import { troubleOf } from '../command/command-agent.js';
import { helperTool } from './opencode-permission.js';
import { type OpencodeTrouble, opencodeTrouble, sessionLost, startTrouble } from './opencode-trouble.js';
import { OpencodeUsage } from './opencode-usage.js';

/** Makes sense of one `opencode run --format json`. A last step that ended with `stop` decides; without one it crashed. */
export class OpencodeReader implements CliReader {
  readonly #request: AgentRequest;
  readonly #usage = new OpencodeUsage();
  #session: string | undefined;
  #turns = 0;
  #helpers = 0;
  #text = '';
  #finished: string | undefined;
  #trouble: OpencodeTrouble | undefined;

  constructor(request: AgentRequest) {
    this.#request = request;
  }

  line(text: string): LineNews {
    const event = jsonObjectIn(text);
    if (!event || typeof event.sessionID !== 'string') return {};
    this.#session ??= event.sessionID;
    const wanted = this.#request.session?.id;
    if (wanted !== undefined && wanted !== this.#session) return { overrun: sessionLost(wanted) };
    const part = isJsonObject(event.part) ? event.part : {};
    switch (event.type) {
      case 'step_start':
        this.#turns += 1;
        this.#text = '';
        this.#finished = undefined;
        return {};
      case 'text':
        this.#text += `${textOf(part.text)}\n`;
        return saying(wordsIn(textOf(part.text)));
      case 'tool_use':
        return this.#usedTool(part);
      case 'step_finish':
        return this.#stepEnded(part);
      case 'error':
        this.#trouble = opencodeTrouble(event);
        return { said: this.#trouble.detail };
      default:
        return {};
    }
  }

  end({ failure, words, stderr, overrun }: CliEnd): AgentAnswer {
    const facts = this.#facts();
    if (overrun) return { ok: false, ...overrun, ...facts, ...this.#overCap() };
    const trouble = failure && troubleOf(failure);
    // Ended from outside, or never started: what it had printed by then does not count.
    if (trouble !== undefined && trouble !== 'crashed')
      return { ok: false, why: trouble, detail: words ?? trouble, ...facts, ...this.#overCap() };
    const { usd } = this.#usage;
    if (!failure && !this.#trouble && this.#finished === 'stop')
      return { ok: true, reply: lastJsonObject(this.#text), ...facts, ...(usd === undefined ? {} : { usd }) };
    const { session } = this.#request;
    // Before the first step its log holds nobody's words but its own.
    const atStart = this.#turns === 0 ? startTrouble(stderr, session?.id) : undefined;
    const known = atStart ?? this.#trouble ?? (failure ? undefined : this.#unfinished());
    if (known) return { ok: false, ...known, ...facts, ...this.#overCap() };
    const how = words ?? 'it ended without an answer';
    const said = readable(stderr.split('\n')).at(-1);
    const detail = said === undefined ? how : `${how}: ${said}`;
    return { ok: false, why: 'crashed', detail, ...facts, ...this.#overCap() };
  }

  #usedTool({ tool, state }: JsonObject): LineNews {
    const { input, status } = isJsonObject(state) ? state : {};
    const said = toolWords(textOf(tool), input);
    const { helpers } = this.#request;
    // Who may start none and tried in vain has started none.
    if (tool !== helperTool || (helpers === 0 && status === 'error')) return { said };
    this.#helpers += 1;
    // What a helper costs is in no event.
    this.#usage.forgetMoney();
    if (this.#helpers <= helpers) return { said };
    return { said, overrun: { why: 'too-many-helpers', detail: `it started more than ${helpers} helpers of its own` } };
  }

  #stepEnded(part: JsonObject): LineNews {
    this.#finished = textOf(part.reason);
    this.#usage.add(part);
    const { turns, usd } = this.#request.agent.limits ?? {};
    if (usd !== undefined && this.#usage.spent > usd)
      return { overrun: { why: 'over-cap', detail: `it has cost more than ${usd} USD` } };
    // With the last turn spent on tools there is none left for the answer.
    if (turns === undefined || this.#turns < turns || this.#finished !== 'tool-calls') return {};
    return { overrun: { why: 'max-turns', detail: `no answer within ${turns} ${turns === 1 ? 'turn' : 'turns'}` } };
  }

  #unfinished(): OpencodeTrouble | undefined {
    if (this.#finished === undefined) return undefined;
    const why = this.#finished === 'content-filter' ? 'refused' : 'crashed';
    return { why, detail: `its last step ended with "${this.#finished}"` };
  }

  /** What had been spent by the time it failed is not what it cost, unless that is more than expected. */
  #overCap(): { usd?: number } {
    const cap = this.#request.agent.limits?.usd;
    return cap !== undefined && this.#usage.spent > cap ? { usd: this.#usage.spent } : {};
  }

  #facts(): AnswerFacts {
    if (this.#session === undefined) return {};
    const { tokens } = this.#usage;
    return { session: { id: this.#session }, turns: this.#turns, ...(tokens ? { tokens } : {}) };
  }
}

function toolWords(tool: string, input: Json | undefined): string {
  if (!isJsonObject(input)) return tool;
  const about = input.command ?? input.filePath ?? input.path ?? input.pattern ?? input.description;
  return typeof about === 'string' ? `${tool} ${about}` : tool;
}

/** The reply itself is for the program that asked. */
const wordsIn = (text: string): string => readable(text.split('\n')).find((line) => !/^[`{}[\]]/.test(line)) ?? '';

const saying = (said: string): LineNews => (said === '' ? {} : { said });

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
