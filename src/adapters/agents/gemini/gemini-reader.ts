import type { AgentAnswer, AgentRequest, AnswerFacts, Tokens } from '../../../model/agents/agent.js';
import { isCount, isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../../model/json.js';
import { readable } from '../../../run/errors/said-lines.js';
import type { CliEnd, CliReader, LineNews, ReaderAround } from '../cli/cli-dialect.js';
import { lastJsonObject } from '../cli/last-json.js';
import { troubleOf } from '../command/command-agent.js';
import { helperTool } from './gemini-policy.js';
import { GeminiSpending } from './gemini-spending.js';
import { geminiTrouble, messageIn } from './gemini-trouble.js';

/** Makes sense of one call with `--output-format stream-json`. The `result` line decides; without one it crashed. */
export class GeminiReader implements CliReader {
  readonly #request: AgentRequest;
  readonly #spending: GeminiSpending;
  /** Calls of tools that have no result yet. */
  readonly #open = new Map<string, string>();
  #session: string | undefined;
  #model: string | undefined;
  #turns = 0;
  #inTurn = false;
  #helpers = 0;
  #usedTools = false;
  #text = '';
  #notice: string | undefined;
  #result: JsonObject | undefined;

  constructor(request: AgentRequest, around: ReaderAround) {
    this.#request = request;
    this.#spending = new GeminiSpending(request, around);
  }

  look(): LineNews {
    const overrun = this.#session === undefined ? undefined : this.#spending.overCap(this.#session);
    return overrun ? { overrun } : {};
  }

  line(text: string): LineNews {
    const event = jsonObjectIn(text);
    switch (event?.type) {
      case 'init':
        return this.#begin(event);
      case 'message':
        if (event.role === 'assistant') this.#hear(textOf(event.content));
        return {};
      case 'tool_use':
        return this.#useTool(event);
      case 'tool_result':
        return this.#toolEnded(event);
      case 'error':
        this.#notice = textOf(event.message);
        return { said: this.#notice };
      case 'result':
        this.#result = event;
        return saying(wordsBefore(this.#text));
      default:
        return {};
    }
  }

  end({ failure, words, stderr, overrun }: CliEnd): AgentAnswer {
    const facts = this.#facts();
    if (overrun) return { ok: false, ...overrun, ...facts, ...this.#spending.known() };
    const trouble = failure && troubleOf(failure);
    // Ended from outside, or never started: what it had printed by then does not count.
    if (trouble !== undefined && trouble !== 'crashed')
      return { ok: false, why: trouble, detail: words ?? trouble, ...facts, ...this.#spending.known() };
    if (!failure && this.#result?.status === 'success')
      return { ok: true, reply: lastJsonObject(this.#text), ...facts };
    const exitCode = failure?.code === 'command-failed' ? failure.exitCode : undefined;
    const { session } = this.#request;
    if (session && exitCode === 42 && this.#session === undefined) return { ok: false, ...sessionLost(session.id) };
    const known = geminiTrouble(exitCode, this.#result) ?? this.#unknownModel(stderr);
    if (known) return { ok: false, ...known, ...facts };
    const said = messageIn(this.#result) ?? this.#notice ?? lastWords(stderr);
    const how = words ?? 'it ended without a result';
    return { ok: false, why: 'crashed', detail: said === undefined ? how : `${how}: ${said}`, ...facts };
  }

  #begin({ session_id, model }: JsonObject): LineNews {
    this.#session = textOf(session_id) || undefined;
    this.#model = textOf(model) || undefined;
    const wanted = this.#request.session?.id;
    return wanted === undefined || wanted === this.#session ? {} : { overrun: sessionLost(wanted) };
  }

  #hear(piece: string): void {
    this.#beginTurn();
    this.#text += piece;
  }

  #beginTurn(): void {
    if (!this.#inTurn) this.#turns += 1;
    this.#inTurn = true;
  }

  #useTool({ tool_name, tool_id, parameters }: JsonObject): LineNews {
    this.#beginTurn();
    this.#usedTools = true;
    const tool = textOf(tool_name);
    this.#open.set(textOf(tool_id), tool);
    const said = [wordsBefore(this.#text), toolWords(tool, parameters)].filter(Boolean).join(' → ');
    this.#text = '';
    // Who may start none may still try, in vain.
    const overrun = tool === helperTool && this.#request.helpers > 0 ? this.#startedHelper() : undefined;
    return overrun ? { said, overrun } : { said };
  }

  #startedHelper(): LineNews['overrun'] {
    this.#helpers += 1;
    const { helpers } = this.#request;
    if (this.#helpers <= helpers) return undefined;
    return { why: 'too-many-helpers', detail: `it started more than ${helpers} helpers of its own` };
  }

  /** Its own limit can only be set in a file of settings that it does not read from everywhere, so turns are counted. */
  #toolEnded({ tool_id, status }: JsonObject): LineNews {
    const id = textOf(tool_id);
    const helped = this.#open.get(id) === helperTool && status !== 'error' && this.#request.helpers === 0;
    this.#open.delete(id);
    const overrun = helped ? this.#startedHelper() : undefined;
    if (overrun) return { overrun };
    this.#inTurn = false;
    this.#text = '';
    const most = this.#request.agent.limits?.turns;
    // With the last turn spent on tools there is none left for the answer.
    if (most === undefined || this.#turns < most || this.#open.size > 0) return {};
    return { overrun: { why: 'max-turns', detail: `no answer within ${most} ${most === 1 ? 'turn' : 'turns'}` } };
  }

  /** For a model that is not there only its own log has a name; before the first tool nobody else's words are in it. */
  #unknownModel(stderr: string): { why: 'refused'; detail: string } | undefined {
    if (this.#usedTools || !/^Error when talking to Gemini API .{0,500}\bModelNotFoundError: /m.test(stderr))
      return undefined;
    return { why: 'refused', detail: messageIn(this.#result) ?? 'there is no such model' };
  }

  #facts(): AnswerFacts {
    if (this.#session === undefined) return {};
    const { tokens, model } = statsIn(this.#result?.stats);
    const answeredBy = model ?? this.#model;
    return {
      session: { id: this.#session },
      turns: this.#turns,
      ...(tokens ? { tokens } : {}),
      ...(answeredBy === undefined ? {} : { model: answeredBy }),
    };
  }
}

const sessionLost = (id: string): { why: 'session-lost'; detail: string } => ({
  why: 'session-lost',
  detail: `gemini has no session ${id} for this folder`,
});

/** Thinking is only in the total. Nothing at all means that nothing was counted. */
function statsIn(stats: Json | undefined): { tokens?: Tokens; model?: string } {
  if (!isJsonObject(stats)) return {};
  const { input_tokens: input, output_tokens: output, total_tokens: total, models } = stats;
  if (!isCount(input) || !isCount(output) || !isCount(total) || total === 0) return {};
  const model = isJsonObject(models) ? Object.keys(models).at(-1) : undefined;
  return { tokens: { input, output: Math.max(output, total - input) }, ...(model === undefined ? {} : { model }) };
}

function toolWords(tool: string, parameters: Json | undefined): string {
  if (!isJsonObject(parameters)) return tool;
  const about = parameters.command ?? parameters.file_path ?? parameters.dir_path ?? parameters.pattern;
  return typeof about === 'string' ? `${tool} ${about}` : tool;
}

/** The reply itself is for the program that asked. */
const wordsBefore = (text: string): string => readable(text.split('\n')).find((line) => !/^[`{}[\]]/.test(line)) ?? '';

const saying = (said: string): LineNews => (said === '' ? {} : { said });

/** Where in its own code something failed, and what its terminal cannot do, is not what ended it. */
function lastWords(stderr: string): string | undefined {
  if (/^\s*-h, --help\s+Show help/m.test(stderr)) return 'it does not know one of its arguments';
  const noise = /^(?:at |Warning: |\[STARTUP\]|Ripgrep is not available)/;
  return readable(stderr.split('\n'))
    .map((line) => line.trim())
    .findLast((line) => !noise.test(line));
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
