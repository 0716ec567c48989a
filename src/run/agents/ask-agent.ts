import type { AgentAnswer, AgentRequest, AgentSession, Agents, CallSignals } from '../../model/agents/agent.js';
import { mostCorrections } from '../../model/errors/retry-limits.js';
import type { RecordedEvent } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { FileWatch, Watched } from '../../model/files/file-watch.js';
import type { KeptFiles } from '../../model/files/kept-file.js';
import type { Agent } from '../../model/generated/config.js';
import type { JsonObject } from '../../model/json.js';
import type { Ledger, SpendPlace } from '../../model/money/spend.js';
import type { Clock } from '../../model/ports.js';
import type { Asked } from './asked.js';
import { costOf, endOf } from './call-end.js';
import { lifecycleOf } from './lifecycle.js';
import { forgottenDetail, type Recall, type RecallTools, recallOf, replacedWords } from './recall.js';
import type { Turns } from './turns.js';
import { wellFormed } from './well-formed.js';

export interface AskTools extends RecallTools {
  readonly agents: Agents;
  /** Every call is booked, also where there is no ceiling. */
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly signals: CallSignals;
  readonly turns: Turns;
  /** Whether asking it costs nothing for sure. */
  isFree(agent: Agent): boolean;
  newCall(): string;
  record(events: readonly RecordedEvent[]): void;
  /** Resolves when what was recorded survives the death of the machine: money is spent only after that. */
  flushed(): Promise<void>;
  /** The newest session of an agent, or of an agent for a task. */
  sessionOf(agent: string, task?: string): AgentSession | undefined;
  /** Where a call's folder is, relative to the run's. */
  folderOf(dir: string): string;
  /** What the folder of a call holds now. */
  keptIn(dir: string): KeptFiles;
  /** The text without the values of secrets. */
  hide(text: string): string;
  /** Watches the files below a project folder. `allowed`: what may be written; absent: everything. Throws when that is more than can be put back. */
  watchFiles(root: string, allowed: readonly string[] | undefined, whose: Watched): Promise<FileWatch>;
}

export interface Question<Reply> {
  readonly place: SpendPlace;
  readonly attempt: number;
  readonly request: Omit<AgentRequest, 'dir' | 'session'>;
  /** The reply in its own type, or the words for what is wrong with it. */
  read(reply: JsonObject | undefined): Reply | string;
  /** What a reply claims of files that is not so, given all that changed; undefined: nothing. */
  wrongClaim?(reply: Reply, changed: readonly string[]): string | undefined;
  /** The folder for the files of the n-th call. */
  dirOf(call: number): string;
  /** Globs that may be written; absent: everything. */
  readonly allowed?: readonly string[];
  /** Of the files that changed, those that no other task has declared. */
  own(files: readonly string[]): readonly string[];
  /** Of the files that changed, those that must not have. */
  forbidden(files: readonly string[]): readonly string[];
  /** Those of them that no scope could allow. */
  held(files: readonly string[]): readonly string[];
  guarded(files: readonly string[]): readonly string[];
  /** The tasks that have run meanwhile, and might have written them. */
  beside(): readonly string[];
}

/** Asks until the reply fits. Each call is booked before it starts and settled when it ends, whatever it answers. */
export async function askAgent<Reply extends object>(
  question: Question<Reply>,
  tools: AskTools,
): Promise<Asked<Reply>> {
  const { agent, name, role } = question.request;
  const done = lifecycleOf(agent, role) === 'persistent' ? await tools.turns.take(name) : undefined;
  try {
    const whose = { task: question.place.task, agent: question.place.agent };
    const watch = await tools.watchFiles(question.request.root, question.allowed, whose);
    const asking = new Asking(question, tools, watch);
    try {
      const asked = await asking.run();
      watch.end?.();
      return asked;
    } catch (error) {
      // Who was never asked has written nothing, and the next command must not look for it. All others stay watched.
      if (!asking.hasAsked) watch.end?.();
      throw error;
    }
  } finally {
    done?.();
  }
}

/** One question until its end: corrections and a lost session included. */
class Asking<Reply extends object> {
  readonly #question: Question<Reply>;
  readonly #tools: AskTools;
  readonly #watch: FileWatch;
  readonly #prompt: string;
  hasAsked = false;

  constructor(question: Question<Reply>, tools: AskTools, watch: FileWatch) {
    this.#question = question;
    this.#tools = tools;
    this.#watch = watch;
    this.#prompt = tools.hide(question.request.prompt);
  }

  async run(): Promise<Asked<Reply>> {
    const { place } = this.#question;
    let prompt = this.#prompt;
    let corrections = 0;
    let isNew = false;
    for (let call = 0; ; call += 1) {
      const asked = await this.#once(prompt, call);
      if (asked.kind === 'failed' && asked.why === 'session-lost' && !isNew) {
        // It starts afresh, and is told what the lost one knew.
        isNew = true;
        prompt = this.#prompt;
        continue;
      }
      if (asked.kind !== 'answered') return asked;
      const { read, files } = asked;
      if (typeof read !== 'string') return { kind: 'replied', reply: read, files };
      const again = corrections < mostCorrections;
      this.#tools.record([
        { type: 'agent-validation-failed', call: asked.call, task: place.task, detail: read, again },
      ]);
      if (!again) return { kind: 'failed', why: 'unusable', detail: `its reply could not be used: ${read}` };
      corrections += 1;
      prompt = this.#session === undefined ? `${this.#prompt}\n\n${correction(read)}` : correction(read);
    }
  }

  get #lifecycle(): NonNullable<Agent['lifecycle']> {
    return lifecycleOf(this.#question.request.agent, this.#question.request.role);
  }

  get #session(): AgentSession | undefined {
    const { name, task } = this.#question.request;
    if (this.#lifecycle === 'stateless') return undefined;
    return this.#tools.sessionOf(name, this.#lifecycle === 'fresh' ? task : undefined);
  }

  /** Of the session that was lost, when there is no other yet; also when it was an earlier process that lost it. */
  #recall(session: AgentSession | undefined): Recall | undefined {
    const { name, task } = this.#question.request;
    if (session || this.#lifecycle === 'stateless') return undefined;
    const lost = this.#tools.lostOf(name, this.#lifecycle === 'fresh' ? task : undefined);
    return lost === undefined ? undefined : recallOf(lost, this.#tools);
  }

  async #once(prompt: string, index: number): Promise<Answered<Reply>> {
    const { place, attempt, request } = this.#question;
    const { ledger, record, clock, signals } = this.#tools;
    if (signals.stop.aborted) return { kind: 'cancelled' };
    const session = this.#session;
    const recall = this.#recall(session);
    const forgotten = recall && this.#lifecycle === 'persistent' ? forgottenDetail(recall) : undefined;
    if (forgotten !== undefined) return { kind: 'failed', why: 'session-lost', detail: forgotten };
    const call = this.#tools.newCall();
    const capUsd = this.#tools.isFree(request.agent) ? 0 : request.agent.limits?.usd;
    const cap = capUsd === undefined ? {} : { capUsd };
    const spent = await ledger.reserve({ ...place, call, ...cap });
    if (spent) return { kind: 'over-budget', spent };
    const dir = this.#question.dirOf(index);
    const folder = this.#tools.folderOf(dir);
    const replaces = recall && { replaces: recall.replaces };
    const { note } = this.#watch;
    const noted = note === undefined ? {} : { note };
    record([{ type: 'agent-invoked', ...place, call, attempt, ...cap, folder, ...noted, ...replaces }]);
    await this.#tools.flushed();
    if (recall) request.said(replacedWords(recall.replaces));
    const startedAt = clock.now();
    const answer = await this.#answer({
      ...request,
      prompt: recall ? this.#tools.hide(recall.text) + prompt : prompt,
      dir,
      ...(session ? { session } : {}),
    });
    const durationMs = Math.max(0, clock.now() - startedAt);
    // Who cannot answer in the form asked for is not believed about money either, unless it is more than expected.
    const read = answer.ok ? this.#question.read(wellFormed(answer.reply)) : undefined;
    const known = typeof read === 'string' && (answer.usd ?? 0) <= (capUsd ?? 0) ? {} : costOf(answer);
    const settled = await ledger.settle(call, { ...known, wallMs: durationMs });
    const changed = this.#watch.changed();
    const files = this.#question.own(changed);
    record([
      { type: 'spend-recorded', ...place, call, ...settled },
      endOf(answer, { call, task: place.task, agent: place.agent, durationMs, kept: this.#tools.keptIn(dir) }, files),
    ]);
    return this.#judge(answer, { call, read, files, changed });
  }

  /** Whatever goes wrong on the way: the call is settled, and what it changed is looked at. */
  async #answer(request: AgentRequest): Promise<AgentAnswer> {
    this.hasAsked = true;
    try {
      return await this.#tools.agents.ask(request, this.#tools.signals);
    } catch (error) {
      // Money and records that were tampered with end the run.
      if (error instanceof FailureError && error.failure.code === 'journal-corrupt') throw error;
      return { ok: false, why: 'crashed', detail: error instanceof Error ? error.message : String(error) };
    }
  }

  /** What was written counts first: a reply does not make up for it, and neither does a failure. */
  #judge(answer: AgentAnswer, { call, read, files, changed }: Heard<Reply>): Answered<Reply> {
    const { place, request } = this.#question;
    const violated = this.#question.forbidden(files);
    if (violated.length > 0) {
      const detail = `it changed ${violated.join(', ')}, which it may not`;
      const { held, guarded, beside } = this.#question;
      const about = { held: held(violated), guarded: guarded(violated), beside: beside() };
      const study = about.held.length === 0 ? {} : { held: about.held };
      const failed = { call, task: place.task, detail, again: false, violated, ...study } as const;
      this.#tools.record([{ type: 'agent-validation-failed', ...failed }]);
      const undone = this.#watch.putBack(violated);
      return { kind: 'violated', files: violated, ...about, ...undone };
    }
    if (!answer.ok) {
      if (answer.why === 'cancelled') return { kind: 'cancelled' };
      const { why, detail, resetAt } = answer;
      return { kind: 'failed', why, detail, ...(resetAt === undefined ? {} : { resetAt }) };
    }
    const mostFiles = request.agent.limits?.files ?? Number.POSITIVE_INFINITY;
    if (files.length > mostFiles)
      return {
        kind: 'failed',
        why: 'too-many-files',
        detail: `it changed ${files.length} files; limits.files is ${mostFiles}`,
      };
    const wrong = typeof read === 'object' ? this.#question.wrongClaim?.(read, changed) : undefined;
    return { kind: 'answered', call, read: wrong ?? read!, files };
  }
}

interface Heard<Reply> {
  readonly call: string;
  readonly read: Reply | string | undefined;
  readonly files: readonly string[];
  readonly changed: readonly string[];
}

const correction = (wrong: string): string =>
  `Your last answer could not be used: ${wrong}. Do not repeat the work. Print only the JSON object asked for above, with no other text before or after it.`;

type Answered<Reply> =
  | {
      readonly kind: 'answered';
      readonly call: string;
      readonly read: Reply | string;
      readonly files: readonly string[];
    }
  | Exclude<Asked<never>, { kind: 'replied' }>;
