import type { Agent } from '../../../model/generated/config.js';
import { isJsonObject, type JsonObject } from '../../../model/json.js';
import type { Clock } from '../../../model/ports.js';
import { CallEnd } from './call-end.js';
import type { CallWatch } from './call-watch.js';
import { type ChatResult, type ChatTarget, postChat } from './chat.js';
import { type Entry, type Form, toMessages } from './history.js';
import { instructions } from './instructions.js';
import type { Meter } from './meter.js';
import type { ToolBox } from './tool-box.js';

export interface ChatLineParts {
  readonly target: ChatTarget;
  readonly agent: Agent;
  readonly scope: readonly string[] | undefined;
  readonly form: Form;
  readonly clock: Clock;
  readonly watch: CallWatch;
  readonly meter: Meter;
  note(text: string): void;
}

export interface Turn {
  readonly history: readonly Entry[];
  readonly tools: ToolBox;
  /** How many messages in a row could not be used. */
  readonly wrong: number;
}

/** The line to the endpoint, for one call and its helpers: knows what the endpoint can do, counts, and tries again. */
export class ChatLine {
  readonly #parts: ChatLineParts;
  #form: Form;
  #withTemperature = true;
  #model: string | undefined;

  constructor(parts: ChatLineParts) {
    this.#parts = parts;
    this.#form = parts.form;
  }

  get form(): Form {
    return this.#form;
  }

  /** The model that answered last, as the endpoint calls it. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Throws when there may not be money enough for the next message. */
  admit(turn: Turn): void {
    this.#parts.meter.admit(JSON.stringify(this.#body(turn)).length);
  }

  /** The message of the model, as it came. */
  async ask(turn: Turn): Promise<JsonObject> {
    for (;;) {
      const result = await this.#post(this.#body(turn));
      if (result.ok) return this.#message(result.body);
      if (!this.#adapt(result)) throw new CallEnd(result.why, result.detail, result.resetAt);
    }
  }

  #body({ history, tools, wrong }: Turn): JsonObject {
    const { agent, scope } = this.#parts;
    const temperature = (agent.temperature ?? usualTemperature) / 2 ** wrong;
    return {
      ...(agent.model === undefined ? {} : { model: agent.model }),
      messages: toMessages(history, this.#form, instructions(tools, this.#form, scope)),
      ...(this.#withTemperature ? { temperature } : {}),
      stream: false,
      ...(this.#form === 'native' ? { tools: [...tools.values()].map(definitionOf) } : {}),
    };
  }

  async #post(body: JsonObject): Promise<ChatResult> {
    const { target, watch, clock, meter } = this.#parts;
    for (let tries = 0; ; tries += 1) {
      const result = await postChat(target, body, { signal: watch.signal, nowMs: clock.now() });
      if (!result.ok && result.costUnknown) meter.lost();
      // An end from outside comes first, whatever it made of the request.
      watch.check();
      const pauseMs = pausesMs[tries];
      if (result.ok || !result.again || pauseMs === undefined) return result;
      this.#parts.note(`${result.detail}; trying again`);
      await watch.sleep(pauseMs);
    }
  }

  #message(body: JsonObject): JsonObject {
    this.#parts.meter.add(body.usage);
    if (typeof body.model === 'string') this.#model = body.model.slice(0, 200);
    const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
    const message = isJsonObject(choice) ? choice.message : undefined;
    if (isJsonObject(message)) return message;
    throw new CallEnd('crashed', 'the endpoint answered without a message');
  }

  /** Each can be given up once. A temperature that the user chose is not taken away. */
  #adapt(result: ChatResult & { ok: false }): boolean {
    if (result.status === undefined || ![400, 404, 422].includes(result.status)) return false;
    if (this.#form === 'native' && /\btools?\b|\btool_|function.?call/i.test(result.detail)) {
      this.#form = 'text';
      this.#parts.note('the endpoint takes no tool calls; going on with calls in the text');
      return true;
    }
    if (this.#withTemperature && this.#parts.agent.temperature === undefined && /temperature/i.test(result.detail)) {
      this.#withTemperature = false;
      this.#parts.note('the model takes no temperature; going on without');
      return true;
    }
    return false;
  }
}

const usualTemperature = 0.2;
const pausesMs = [300, 1200];

const definitionOf = ({
  name,
  description,
  parameters,
}: {
  name: string;
  description: string;
  parameters: JsonObject;
}): JsonObject => ({
  type: 'function',
  function: { name, description, parameters },
});
