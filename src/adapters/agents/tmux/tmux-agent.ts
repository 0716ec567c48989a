import { randomBytes } from 'node:crypto';

import { join } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, CallSignals } from '../../../model/agents/agent.js';
import { limitMs } from '../../../model/duration.js';
import type { Failure } from '../../../model/failure.js';
import type { Clock } from '../../../model/ports.js';
import { supervise } from '../../../run/attempt/supervise.js';
import { type Environment, inheritedEnvironment } from '../../command/environment.js';
import { writePlain } from '../../disk/plain-file.js';
import { passedVariables } from '../../process/allowed-environment.js';
import { helpersIn } from '../cli/helper-count.js';
import { troubleOf } from '../command/command-agent.js';
import { costIn } from '../command/reply-cost.js';
import { ReplyFile } from '../command/reply-file.js';
import { keepReply } from '../keep-reply.js';
import { type AgentPane, Tmux, TmuxError } from './tmux.js';
import { digest, markerFor, sessionMarker, sessionName } from './tmux-names.js';
import { endLeftovers, endSession } from './tmux-sessions.js';
import { type PaneEvent, TmuxWatch } from './tmux-watch.js';

export interface TmuxAgentPorts {
  /** See `tmuxSocket`. */
  readonly socket: string;
  /** Study and agent id: what the names of the sessions begin with. */
  readonly prefix: string;
  /** What the programs may see of the runner's environment; tmux is looked for on its `PATH`. */
  readonly env: Environment;
  /** All of it, of which `passEnv` names what a program gets besides. */
  readonly runnerEnv?: Environment;
  readonly clock: Clock;
  words(failure: Failure): string;
}

/**
 * A terminal program that stays open in a tmux session, and is told in one typed line where its task stands and where the
 * reply goes. The session outlives the call, the run and the runner; a person can attach to it at any time.
 */
export class TmuxAgent implements Agents {
  readonly #ports: TmuxAgentPorts;
  readonly #tmux: Tmux;
  /** One terminal can be asked one thing at a time. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(ports: TmuxAgentPorts) {
    this.#ports = ports;
    this.#tmux = new Tmux(ports.socket, ports.env);
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const name = sessionName(this.#ports.prefix, request.name);
    const before = this.#last.get(name);
    const answer = (async () => {
      await before?.catch(() => {});
      return this.#askNow(request, signals, name);
    })();
    this.#last.set(name, answer);
    return answer;
  }

  async #askNow(request: AgentRequest, signals: CallSignals, name: string): Promise<AgentAnswer> {
    try {
      return await this.#supervised(request, signals, name);
    } catch (error) {
      if (!(error instanceof TmuxError)) throw error;
      return { ok: false, why: error.missing ? 'not-installed' : 'crashed', detail: error.message };
    }
  }

  async #supervised(request: AgentRequest, signals: CallSignals, name: string): Promise<AgentAnswer> {
    const { clock, words } = this.#ports;
    const { stop, kill } = signals;
    // It was never asked, so its session is left alone.
    for (const { aborted, reason } of [stop, kill])
      if (aborted) return { ok: false, why: 'cancelled', detail: words({ code: 'cancelled', signal: String(reason) }) };
    if (request.session && !(await this.#goesOn(request, name)))
      return { ok: false, why: 'session-lost', detail: `the program in the session ${name} is gone`, usd: 0 };
    const [timeoutMs, idleMs] = [request.agent.limits?.timeout, request.agent.limits?.idle].map(limitMs);
    let onIdle = (): void => {};
    let work: Promise<PaneEvent | undefined> = Promise.resolve(undefined);
    const end = await supervise(
      {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(idleMs === undefined ? {} : { idleMs }),
        clock,
        stop,
        kill,
        watchIdle: (_, tell) => {
          onIdle = tell;
          return () => {};
        },
      },
      async ({ signal }) => {
        const over = AbortSignal.any([signal, kill]);
        work = this.#work(request, name, { over, ...(idleMs === undefined ? {} : { idleMs }), onIdle: () => onIdle() });
        await work;
        return { ok: true };
      },
    );
    const session = { session: { id: name } };
    // Also when it was given up: nothing may be typed after the interruption.
    const event = await (end.ok ? work : work.catch(() => undefined));
    if (!end.ok || !event) {
      const failure: Failure = end.ok ? { code: 'cancelled', signal: String(kill.reason) } : end.failure;
      const detail = [words(failure), ...(await this.#interrupt(name, failure, kill.aborted))].join('; ');
      return { ok: false, why: troubleOf(failure), detail, ...session };
    }
    if (event.kind === 'ended') {
      await endLeftovers(this.#ports.socket, name);
      return { ok: false, why: event.missing ? 'not-installed' : 'crashed', detail: event.detail, ...session };
    }
    const { reply, trouble } = helpersIn(event.kind === 'replied' ? event.reply : undefined, request.helpers);
    if (reply) keepReply(join(request.dir, 'reply.json'), reply);
    if (trouble !== undefined)
      return { ok: false, why: 'too-many-helpers', detail: trouble, ...costIn(reply), ...session };
    return { ok: true, reply, ...costIn(reply), ...session };
  }

  /** Undefined when it was over before anything happened. */
  async #work(request: AgentRequest, name: string, watched: Watched): Promise<PaneEvent | undefined> {
    const { over } = watched;
    if (over.aborted) return undefined;
    const prompt = join(request.dir, 'prompt.md');
    writePlain(prompt, request.prompt);
    const { pane, moved, fresh } = await this.#open(request, name);
    const watch = new TmuxWatch({ ...watched, tmux: this.#tmux, clock: this.#ports.clock, pane: pane.id, request });
    // Whoever asked before has died; what it asked for is not wanted any more.
    if (pane.asked.busy) await this.#tmux.press(pane.id, 'C-c');
    await watch.settled(fresh);
    if (over.aborted) return undefined;
    // A name that was never used: neither an old reply nor one that comes too late can be taken for this one.
    const replyFile = join(request.dir, `reply-${randomBytes(6).toString('hex')}.json`);
    await this.#tmux.setAsked(name, { unanswered: pane.asked.unanswered + 1, busy: true });
    if (!(await watch.say(lineFor({ prompt, replyFile, ...(moved ? { cwd: request.cwd } : {}) })))) return undefined;
    const event = await watch.answer(new ReplyFile(replyFile));
    const isAnswered = event?.kind === 'replied' || event?.kind === 'garbage';
    // A program that replied and left may have taken its session along.
    if (isAnswered) await this.#tmux.setAsked(name, { unanswered: 0, busy: false }).catch(() => {});
    return event;
  }

  /** Whether the program that was asked before is still there: another one would know nothing of it. */
  async #goesOn({ agent }: AgentRequest, name: string): Promise<boolean> {
    const found = await this.#tmux.find(name);
    return found !== undefined && !found.dead && found.note.split(' ')[1] === programOf(agent);
  }

  /** The session as it is, or a new one where there is none that could go on. */
  async #open(request: AgentRequest, name: string): Promise<Opened> {
    const { run } = request.agent;
    const owner = digest(JSON.stringify([this.#ports.prefix, request.name]));
    const program = programOf(request.agent);
    const place = digest(request.cwd);
    const found = await this.#tmux.find(name);
    const [ownerThen, programThen, placeThen] = found?.note.split(' ') ?? [];
    if (found && ownerThen !== owner) throw new TmuxError(`the tmux session ${name} belongs to another agent`);
    if (found && !found.dead && programThen === program)
      return { pane: found, moved: placeThen !== place, fresh: false };
    if (found?.dead) request.said(`the program in the session ${name} had ended; a new one is started`);
    else if (found && programThen !== program) request.said(`another program is asked for; ${name} is started anew`);
    await endSession(this.#tmux, name);
    const passed = passedVariables(this.#ports.runnerEnv ?? {}, request.agent.passEnv);
    const seen = inheritedEnvironment({ ...this.#ports.env, ...passed, ...request.env });
    const env = { ...seen, ...this.#variables(request, name) };
    const note = `${owner} ${program} ${place}`;
    const pane = await this.#tmux.start({ name, run: run!, cwd: request.cwd, env, note });
    return { pane, moved: false, fresh: true };
  }

  #variables({ name: agent, cwd, agent: { model } }: AgentRequest, name: string): Record<string, string> {
    return {
      AUTORESEARCH_AGENT: agent,
      AUTORESEARCH_WORKDIR: cwd,
      ...(model === undefined ? {} : { AUTORESEARCH_MODEL: model }),
      [sessionMarker]: markerFor(this.#ports.socket, name),
    };
  }

  /**
   * The session stays, unless it is to be killed, or has not answered twice in a row: then it is not going to. What went
   * wrong is told beside the reason for the interruption, and does not take its place.
   */
  async #interrupt(name: string, failure: Failure, killed: boolean): Promise<readonly string[]> {
    try {
      if (killed) return await this.#end(name);
      const pane = await this.#tmux.find(name);
      if (!pane?.asked.busy || pane.dead) return [];
      // What is over its limit must not go on, and an interruption can be ignored.
      if (failure.code !== 'cancelled') return await this.#end(name);
      await this.#tmux.press(pane.id, 'C-c');
      await this.#tmux.setAsked(name, { ...pane.asked, busy: false });
      return [];
    } catch (error) {
      if (error instanceof TmuxError) return [error.message];
      throw error;
    }
  }

  async #end(name: string): Promise<readonly string[]> {
    await endSession(this.#tmux, name);
    return [`the session ${name} was ended`];
  }
}

interface Watched {
  readonly over: AbortSignal;
  readonly idleMs?: number;
  onIdle(): void;
}

interface Opened {
  readonly pane: AgentPane;
  /** The session was opened in another folder than this question is about. */
  readonly moved: boolean;
  readonly fresh: boolean;
}

const programOf = ({ run, model }: AgentRequest['agent']): string => digest(JSON.stringify([run, model]));

function lineFor({ prompt, replyFile, cwd }: { prompt: string; replyFile: string; cwd?: string }): string {
  const where = cwd === undefined ? '' : ` in the folder ${shown(cwd)}`;
  return `Read ${shown(prompt)} and do what it says${where}. When you are done write your reply, one JSON object, to ${shown(replyFile)}`;
}

const shown = (path: string): string => (/[^\w/.,:@%+-]/.test(path) ? JSON.stringify(path) : path);
