import type {
  AgentAnswer,
  AgentRequest,
  AgentSession,
  Agents,
  AnswerFacts,
  CallSignals,
} from '../../../model/agents/agent.js';
import { limitMs } from '../../../model/duration.js';
import type { Price } from '../../../model/generated/config.js';
import type { JsonObject } from '../../../model/json.js';
import type { Clock, CommandRunner } from '../../../model/ports.js';
import { CallEnd, ToolRefusal } from './call-end.js';
import { type CallTools, callTools } from './call-tools.js';
import { CallWatch } from './call-watch.js';
import { chatUrl } from './chat.js';
import { ChatLine } from './chat-line.js';
import { Conversation, type Room } from './conversation.js';
import { Meter } from './meter.js';
import { type Hide, hideKey } from './secret.js';
import { loadSession, newSessionId, type StoredSession, saveSession } from './session-store.js';
import { askHelperTool, helperReply } from './tool-box.js';
import { Transcript } from './transcript.js';

export interface ApiAgentPorts {
  readonly clock: Clock;
  /** The runner's own; the key is looked up in it. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly commands: CommandRunner;
  /** Absolute: conversations that can be gone on with. */
  readonly sessionsDir: string;
  readonly prices?: { readonly [model: string]: Price };
}

/** A loop of our own against any endpoint that speaks OpenAI's chat completions. */
export class ApiAgent implements Agents {
  readonly #ports: ApiAgentPorts;

  constructor(ports: ApiAgentPorts) {
    this.#ports = ports;
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const { clock } = this.#ports;
    const key = keyOf(request, this.#ports.env);
    const hide = hideKey(key.value);
    const transcript = new Transcript(request.dir, clock, hide);
    transcript.prompt(request.prompt);
    const watch = new CallWatch({ clock, ...timesOf(request) }, signals);
    const call = new ApiCall({ request, ports: this.#ports, watch, transcript, hide, key: key.value });
    try {
      if (key.trouble !== undefined) throw new CallEnd('not-logged-in', key.trouble);
      const reply = await call.run();
      transcript.reply(reply);
      return { ok: true, reply, ...call.facts() };
    } catch (error) {
      if (!(error instanceof CallEnd)) throw error;
      const { why, message, resetAt } = error;
      const detail = hide(message);
      transcript.note(`${why}: ${detail}`);
      return { ok: false, why, detail, ...(resetAt === undefined ? {} : { resetAt }), ...call.facts() };
    } finally {
      watch.close();
    }
  }
}

interface CallParts {
  readonly request: AgentRequest;
  readonly ports: ApiAgentPorts;
  readonly watch: CallWatch;
  readonly transcript: Transcript;
  readonly hide: Hide;
  readonly key: string | undefined;
}

/** One call: its conversation, its helpers, and what it has used. */
class ApiCall {
  readonly #parts: CallParts;
  readonly #meter: Meter;
  #line: ChatLine | undefined;
  #session: AgentSession | undefined;
  #turns = 0;
  #helpers = 0;

  constructor(parts: CallParts) {
    this.#parts = parts;
    const { agent } = parts.request;
    const { prices = {} } = parts.ports;
    const price = agent.model !== undefined && Object.hasOwn(prices, agent.model) ? prices[agent.model] : undefined;
    this.#meter = new Meter(price, agent.limits?.usd);
  }

  async run(): Promise<JsonObject> {
    const { request, ports, watch } = this.#parts;
    watch.check();
    const { id, stored } = this.#stored();
    const line = this.#open(stored);
    const tools = await callTools(request, { ...ports, watch });
    const room = this.#room(line);
    const helper = askHelperTool((task) => this.#askHelper(task, room, tools));
    const box = tools.box(request.replySchema, [helper]);
    const steps = request.agent.limits?.turns ?? usualSteps;
    const talk = new Conversation(room, { tools: box, steps }, stored.history);
    try {
      return await talk.run(request.prompt);
    } finally {
      this.#turns = talk.steps;
      if (id !== undefined) this.#save(id, { form: line.form, history: talk.history });
    }
  }

  /** What cannot be kept cannot be gone on with; the answer is good all the same. */
  #save(id: string, session: StoredSession): void {
    const { ports, transcript } = this.#parts;
    try {
      saveSession(ports.sessionsDir, id, session);
      this.#session = { id };
    } catch (error) {
      transcript.note(`the session could not be kept: ${(error as NodeJS.ErrnoException).code}`);
    }
  }

  facts(): AnswerFacts {
    const model = this.#line?.model;
    return {
      ...this.#meter.facts(),
      ...(this.#session ? { session: this.#session } : {}),
      turns: this.#turns,
      ...(model === undefined ? {} : { model }),
    };
  }

  #stored(): { id?: string; stored: StoredSession } {
    const { request, ports } = this.#parts;
    const { lifecycle = 'fresh', toolCalls = 'native' } = request.agent;
    const id = request.session?.id;
    if (id !== undefined) return { id, stored: loadSession(ports.sessionsDir, id) };
    const stored = { form: toolCalls, history: [] };
    return lifecycle === 'stateless' ? { stored } : { id: newSessionId(), stored };
  }

  #open({ form }: StoredSession): ChatLine {
    const { request, ports, watch, transcript, hide, key } = this.#parts;
    const { agent, scope } = request;
    const url = chatUrl(agent.baseUrl);
    if (!url)
      throw new CallEnd('refused', 'baseUrl is missing or is no http address without a name and password in it');
    this.#line = new ChatLine({
      target: { url, key, hide },
      agent,
      scope,
      form: agent.toolCalls === 'text' ? 'text' : form,
      clock: ports.clock,
      watch,
      meter: this.#meter,
      note: (text) => {
        transcript.note(text);
        request.said(hide(text));
      },
    });
    return this.#line;
  }

  #room(line: ChatLine): Room {
    const { request, watch, transcript, hide } = this.#parts;
    // Unlike a count, a time of its own keeps the ids of a session that is gone on with apart.
    const begin = this.#parts.ports.clock.now().toString(36);
    let ids = 0;
    return {
      line,
      watch,
      transcript,
      hide,
      newId: () => `call_${begin}_${++ids}`,
      said: (text) => request.said(hide(text)),
    };
  }

  /** What only the helper did wrong is news for who asked it; what would hit everybody ends the call. */
  async #askHelper(task: string, room: Room, tools: CallTools): Promise<string> {
    const { request, watch } = this.#parts;
    if (this.#helpers >= request.helpers)
      throw new ToolRefusal(`all ${request.helpers} helpers have been asked; do it yourself`);
    this.#helpers += 1;
    const steps = Math.min(helperSteps, request.agent.limits?.turns ?? usualSteps);
    const talk = new Conversation(room, { tools: tools.helperBox(helperReply), steps, helper: this.#helpers }, []);
    try {
      return JSON.stringify(await talk.run(task));
    } catch (error) {
      if (!(error instanceof CallEnd) || !ownTroubles.has(error.why)) throw error;
      throw new ToolRefusal(`the helper gave no answer: ${error.message}`);
    } finally {
      if (!watch.signal.aborted) watch.beginStep();
    }
  }
}

const usualSteps = 15;
const helperSteps = 8;
const usualStepMs = 5 * 60_000;
const ownTroubles: ReadonlySet<string> = new Set(['max-turns', 'looping']);

function timesOf({ agent }: AgentRequest): { stepMs: number; timeoutMs?: number } {
  const { step, idle, timeout } = agent.limits ?? {};
  const steps = [step, idle].flatMap((text) => limitMs(text) ?? []);
  const timeoutMs = limitMs(timeout);
  return {
    stepMs: steps.length === 0 ? usualStepMs : Math.min(...steps),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** A key that no header can carry would be shown in full by the error that Node throws. */
function keyOf({ agent }: AgentRequest, env: ApiAgentPorts['env']): { value?: string; trouble?: string } {
  const name = agent.apiKeyEnv;
  if (name === undefined) return {};
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  if (value === undefined || value === '') return { trouble: `the environment variable ${name} is not set` };
  if (!/^[\x21-\x7e]+$/.test(value)) return { trouble: `${name} holds characters that no key has` };
  return { value };
}
