import type { AgentAnswer, AgentRequest, AnswerFacts, Tokens } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import type { CliEnd, CliReader, LineNews, ReaderAround } from '../cli/cli-dialect.js';
import { lastJsonObject } from '../cli/last-json.js';
import { troubleOf } from '../command/command-agent.js';
import { codexEvent, type ItemStage } from './codex-event.js';
import { difference, usageIn } from './codex-rollout.js';
import { CodexSpending } from './codex-spending.js';
import { type CodexTrouble, codexTrouble, sandboxTrouble, saysSessionLost } from './codex-trouble.js';
import { codexWords, shortLine } from './codex-words.js';

/** Makes sense of one `codex exec`. The last `turn.completed` or `turn.failed` decides; without one it crashed. */
export class CodexReader implements CliReader {
  readonly #request: AgentRequest;
  readonly #steps = new Set<string>();
  #plans = 0;
  #thread: string | undefined;
  #message = '';
  #usage: Tokens | undefined;
  #outcome: 'completed' | CodexTrouble | undefined;
  #commandWorked = false;
  readonly #spending: CodexSpending;

  constructor(request: AgentRequest, around: ReaderAround) {
    this.#request = request;
    this.#spending = new CodexSpending(request, around);
  }

  look(): LineNews {
    // Who has answered within its bounds of turns and time costs what it costs, and that is booked.
    const isDone = this.#thread === undefined || this.#outcome !== undefined;
    const overrun = isDone ? undefined : this.#spending.overCap(this.#thread!);
    return overrun ? { overrun } : {};
  }

  line(text: string): LineNews {
    const event = codexEvent(text);
    switch (event?.kind) {
      case 'thread':
        return this.#startThread(event.id);
      case 'item':
        return this.#item(event.stage, event.item);
      case 'completed':
        this.#outcome = 'completed';
        this.#usage = usageIn(event.usage) ?? this.#usage;
        return {};
      case 'failed':
        this.#outcome = codexTrouble(event.message, Date.now());
        return {};
      case 'notice':
        return saying(shortLine(event.message));
      default:
        return {};
    }
  }

  end({ failure, words, stderr, overrun }: CliEnd): AgentAnswer {
    const facts = this.#facts();
    if (overrun) return { ok: false, ...overrun, ...facts };
    const trouble = failure && troubleOf(failure);
    // Ended from outside, or never started: what it had printed by then does not count.
    if (trouble !== undefined && trouble !== 'crashed')
      return { ok: false, why: trouble, detail: words ?? trouble, ...facts };
    if (typeof this.#outcome === 'object') return { ok: false, ...this.#outcome, ...facts };
    if (this.#request.session && this.#thread === undefined && saysSessionLost(stderr))
      return { ok: false, ...sessionLost(this.#request.session.id) };
    if (failure || this.#outcome === undefined) {
      const how = words ?? 'it ended without an answer';
      const said = lastWords(stderr);
      return { ok: false, why: 'crashed', detail: said === undefined ? how : `${how}: ${said}`, ...facts };
    }
    return { ok: true, reply: lastJsonObject(this.#message), ...facts };
  }

  /** For an id that it cannot read codex begins a new conversation without a word. */
  #startThread(id: string): LineNews {
    this.#thread = id;
    const wanted = this.#request.session?.id;
    return wanted === undefined || wanted === id ? {} : { overrun: sessionLost(wanted) };
  }

  #item(stage: ItemStage, item: JsonObject): LineNews {
    const news = saying(codexWords(stage, item, this.#request.cwd));
    if (item.type === 'agent_message') {
      if (stage === 'completed' && typeof item.text === 'string') this.#message = item.text;
      return news;
    }
    const overrun = this.#outOfTurns(stage, item) ?? this.#withoutSandbox(stage, item);
    return overrun ? { ...news, overrun } : news;
  }

  /**
   * codex does not tell of its calls of the model, so a turn here is one use of a tool, and the answer is one more. With the
   * limit's last turn spent on a tool there is none left for the answer. Calls that its sandbox or its rules turn down leave
   * no line: who does nothing else is silent, and that is what the idle limit is for.
   */
  #outOfTurns(stage: ItemStage, { type, id }: JsonObject): CodexTrouble | undefined {
    if (typeof type !== 'string' || noTools.has(type)) return undefined;
    // One list of plans is one item for the whole session, told again whenever the model changes it.
    if (type === 'todo_list' && stage === 'updated') this.#plans += 1;
    this.#steps.add(String(id));
    const most = this.#request.agent.limits?.turns;
    if (most === undefined || this.#turns() <= most) return undefined;
    return { why: 'max-turns', detail: `no answer within ${most} ${most === 1 ? 'turn' : 'turns'}` };
  }

  #withoutSandbox(
    stage: ItemStage,
    { type, status, command, aggregated_output }: JsonObject,
  ): CodexTrouble | undefined {
    if (type !== 'command_execution' || stage !== 'completed' || this.#commandWorked) return undefined;
    const trouble = status === 'failed' ? sandboxTrouble(String(command), String(aggregated_output)) : undefined;
    this.#commandWorked = trouble === undefined;
    return trouble;
  }

  #turns(): number {
    return this.#steps.size + this.#plans + 1;
  }

  /** What codex reports is the sum over the session. */
  #facts(): AnswerFacts {
    if (this.#thread === undefined) return {};
    const { session } = this.#request;
    const lost = session !== undefined && session.id !== this.#thread;
    const before = lost ? undefined : session?.tokens;
    const sum = this.#usage;
    const tokens = sum && difference(sum, before ?? { input: 0, output: 0 });
    // A call that said nothing of tokens is counted with the next one: the last known sum stays.
    const known = sum ?? before;
    return {
      turns: this.#turns(),
      ...(this.#outcome === 'completed' ? {} : this.#spending.known()),
      ...(tokens ? { tokens } : {}),
      ...(lost ? {} : { session: { id: this.#thread, ...(known ? { tokens: known } : {}) } }),
    };
  }
}

/** Items that are no use of a tool. `error` is what codex calls its warnings. */
const noTools: ReadonlySet<string> = new Set(['agent_message', 'reasoning', 'error']);

const saying = (said: string | undefined): LineNews => (said === undefined ? {} : { said });

const sessionLost = (id: string): CodexTrouble => ({ why: 'session-lost', detail: `codex has no session ${id}` });

/** Its log lines and its warning about links are not what ended it. */
function lastWords(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => /\S/.test(line) && !/^(?:WARNING: |\d{4}-\d\d-\d\dT)/.test(line));
  const told = lines.find((line) => /^error\b/i.test(line)) ?? lines.at(-1);
  return told === undefined ? undefined : shortLine(told);
}
