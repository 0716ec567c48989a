import { isAbsolute, join, relative } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, CallSignals } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import type { Clock } from '../../../model/ports.js';
import { changedSince, type FileChange, type Snapshot, snapshot } from '../../watch/changed-files.js';
import type { KeptCall, RecordedCall } from './cassette.js';
import { collectFiles, NotRecordable } from './cassette-files.js';
import { leftOut } from './cassette-left-out.js';
import { pathProblem, statsAt } from './cassette-path.js';
import { type CassetteQuestion, type QuestionPorts, questionOf } from './cassette-question.js';
import { hiderOf } from './cassette-secrets.js';
import { isKeptTrouble } from './cassette-shape.js';
import { CassetteShelf } from './cassette-shelf.js';

export interface RecordingPorts extends QuestionPorts {
  /** Who really answers. */
  readonly agents: Agents;
  /** Absolute: where the cassettes go. */
  readonly folder: string;
  readonly clock: Clock;
}

/**
 * Keeps what agents answered and which files they changed. One call at a time: of two at once nobody could say who changed
 * a file. A call that cannot be kept is answered all the same, and said to be missing.
 */
export class RecordingAgents implements Agents {
  readonly #ports: RecordingPorts;
  readonly #shelf: CassetteShelf;
  #last: Promise<void> = Promise.resolve();
  /** By task: what calls that were not kept have changed. The next one that is kept has to bring it along. */
  readonly #carried = new Map<string, readonly FileChange[]>();

  constructor(ports: RecordingPorts) {
    this.#ports = ports;
    this.#shelf = new CassetteShelf(ports);
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    // Its answers are recordings already; to keep them again would replace the list that it still reads from.
    if (request.agent.backend === 'replay') return this.#ports.agents.ask(request, signals);
    const before = this.#last;
    let done: () => void = () => {};
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#last = before.then(() => own);
    try {
      await unlessAborted(before, signals.stop);
      if (signals.stop.aborted) return { ok: false, why: 'cancelled', detail: 'stopped before it was asked' };
      return await this.#askAlone(request, signals);
    } finally {
      done();
    }
  }

  async #askAlone(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const { agents, clock, run } = this.#ports;
    const question = questionOf(request, this.#ports);
    const before = this.#look(request.root);
    const startedAt = clock.now();
    const answer = await agents.ask(request, signals);
    const durationMs = Math.max(0, clock.now() - startedAt);
    try {
      await this.#keep({ request, question, answer, durationMs, before });
    } catch (error) {
      const why = wordsOf(error);
      request.said(`this call was not recorded: ${why}`);
      await this.#shelf.add(question, { run, notRecorded: hiderOf(this.#ports.hide).words(why) }).catch(() => {});
    }
    return answer;
  }

  /** The tree before the call, or why there is none. */
  #look(root: string): Snapshot | Error {
    try {
      this.#shelf.begin();
      return snapshot(root, { leaveOut: leftOut(this.#ports) });
    } catch (error) {
      return error as Error;
    }
  }

  async #keep({ request, question, answer, durationMs, before }: Ended): Promise<void> {
    const { run, hide } = this.#ports;
    if (before instanceof Error) throw before;
    const { task, root } = request;
    const changed = this.#changed(before, request);
    if (!answer.ok && !isKeptTrouble(answer.why)) {
      this.#carried.set(task, changed);
      request.said(`this call was not recorded: it ended with "${answer.why}"`);
      return;
    }
    this.#carried.delete(task);
    const leaveOut = leftOut(this.#ports);
    const cwd = relative(root, request.cwd);
    if (isAbsolute(cwd) || (cwd !== '' && pathProblem(cwd, leaveOut) !== undefined))
      throw new NotRecordable('the agent worked outside of the project folder');
    const hider = hiderOf(hide);
    const files = collectFiles(changed, { root, leaveOut, hider });
    const call = {
      run,
      backend: request.agent.backend,
      durationMs,
      ...factsOf(answer),
      answer: hider.json(answerOf(answer)) as KeptCall['answer'] & JsonObject,
      files,
    } satisfies RecordedCall;
    await this.#shelf.add(question, call);
    for (const file of files)
      if ('hidden' in file) request.said(`${file.path} is recorded without its secrets, and will be replayed so`);
  }

  /** By this call and by those before it that were not kept; of theirs the end counts. */
  #changed(before: Snapshot, { task, root }: AgentRequest): readonly FileChange[] {
    const changes = changedSince(before, root);
    const known = new Set(changes.map(({ path }) => path));
    const carried = (this.#carried.get(task) ?? []).filter(({ path }) => !known.has(path));
    const isThere = (path: string): boolean => statsAt(join(root, path)) !== undefined;
    return [
      ...changes,
      ...carried.map(({ path }): FileChange => ({ path, how: isThere(path) ? 'changed' : 'removed' })),
    ].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

interface Ended {
  readonly request: AgentRequest;
  readonly question: CassetteQuestion;
  readonly answer: AgentAnswer;
  readonly durationMs: number;
  readonly before: Snapshot | Error;
}

const answerOf = (answer: AgentAnswer): JsonObject =>
  answer.ok ? { ok: true, reply: answer.reply ?? null } : { ok: false, why: answer.why, detail: answer.detail };

const factsOf = ({ model, turns, usd, tokens, session }: AgentAnswer): Partial<KeptCall> => ({
  ...(model === undefined ? {} : { model }),
  ...(turns === undefined ? {} : { turns }),
  ...(usd === undefined ? {} : { recordedUsd: usd }),
  ...(tokens === undefined ? {} : { tokens: { input: tokens.input, output: tokens.output } }),
  ...(session === undefined ? {} : { session: true }),
});

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What comes first. Nothing is left hanging on the signal, which lives as long as the run. */
async function unlessAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  let give: () => void = () => {};
  const aborted = new Promise<void>((resolve) => {
    give = resolve;
  });
  signal.addEventListener('abort', give);
  try {
    if (!signal.aborted) await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}
