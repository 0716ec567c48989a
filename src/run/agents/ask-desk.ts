import { resolve } from 'node:path';
import type { AgentRequest, CallSignals } from '../../model/agents/agent.js';
import type { ReplyForm, ReplyForms } from '../../model/agents/reply.js';
import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Watched } from '../../model/files/file-watch.js';
import type { Breach, GitWatch } from '../../model/files/guard.js';
import type { Agent } from '../../model/generated/config.js';
import type { SpendRole } from '../../model/money/spend.js';
import type { Task } from '../../model/plan.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { Places } from '../attempt/places.js';
import { boundsOf } from '../protect/bounds.js';
import { foundFirst } from '../protect/breach.js';
import { Claims, writtenBy } from '../protect/claims.js';
import { violation } from '../protect/violation.js';
import { type AskTools, askAgent } from './ask-agent.js';
import type { Asked } from './asked.js';
import { ClaimedFiles } from './claimed-files.js';
import { replyForms, withProtocol } from './reply-forms.js';
import { Turns } from './turns.js';

/** What the journal tells of sessions. */
type FromState = 'sessionOf' | 'lostOf' | 'callsOf';

/** What it takes to reach agents; loaded when the first one is asked, because most studies ask none. */
export interface AgentPorts extends Omit<AskTools, 'record' | 'clock' | 'signals' | 'turns' | FromState> {
  /** Paths and globs that no agent may change, whatever its scope. */
  readonly held: readonly string[];
  /** What the whole study protects. */
  readonly protect: readonly string[];
  /** Watches where branches lead, and git's settings where there is something to protect. Undefined outside of a repository. */
  watchGit?(wish: GitWish): Promise<GitWatch | undefined>;
}

export interface GitWish extends Watched {
  /** It works in a worktree, and what happens to the checkout is looked at elsewhere. */
  readonly isApart: boolean;
  /** It may not write everything. */
  readonly isBound: boolean;
}

export interface AskDeskTools {
  readonly run: string;
  readonly agents: { readonly [name: string]: Agent };
  readonly ports: AttemptPorts;
  readonly claims: Claims;
  readonly places: Places;
  reach(): Promise<AgentPorts>;
  readonly sessions: Pick<AskTools, FromState>;
  record(events: readonly RecordedEvent[]): void;
}

/** A question about a task, as who asks it sees it. */
export interface Errand<Form extends ReplyForm> {
  readonly task: Task;
  readonly attempt: number;
  /** The agent's name. */
  readonly to: string;
  readonly role: SpendRole;
  readonly form: Form;
  /** Without the words that say how to answer. */
  readonly prompt: string;
  readonly access: AgentRequest['access'];
  readonly helpers?: number;
  /** Lines of the prompt that some program printed. */
  readonly quoted?: readonly string[];
  readonly env: { readonly [name: string]: string };
  dirOf(call: number): string;
  said?(line: string): void;
}

/** Where all questions to agents go out, whoever asks: authors, menders, reviewers. */
export class AskDesk {
  readonly #tools: AskDeskTools;
  readonly #turns = new Turns();
  /** Tasks at an attempt that is watched as a whole. */
  readonly #watched = new Set<string>();
  /** The newest call of each task. */
  readonly #calls = new Map<string, string>();
  readonly #claimed = new ClaimedFiles();
  /** What was written down last of what does not count. */
  #refused = '';

  constructor(tools: AskDeskTools) {
    this.#tools = tools;
  }

  async ask<Form extends ReplyForm>(errand: Errand<Form>, signals: CallSignals): Promise<Asked<ReplyForms[Form]>> {
    const { run, agents, ports, places, sessions } = this.#tools;
    const { task, to, role, form } = errand;
    const agent = agents[to]!;
    const reach = await this.#tools.reach();
    const { files: there, workspace } = await places.of(task);
    const { root } = workspace;
    const bounds = await boundsOf(task, {
      access: errand.access,
      claims: this.#claimsOn(task),
      held: reach.held,
      protect: reach.protect,
    });
    const git = this.#watched.has(task.id) ? undefined : await this.#gitWatch(task, to);
    try {
      const asked = await askAgent<ReplyForms[Form]>(
        {
          place: {
            run,
            stage: task.stage,
            task: task.id,
            role,
            agent: to,
            ...(agent.model === undefined ? {} : { model: agent.model }),
          },
          attempt: errand.attempt,
          read: replyForms[form].read as (reply: never) => ReplyForms[Form] | string,
          dirOf: (call) => errand.dirOf(call),
          ...(bounds.allowed ? { allowed: bounds.allowed } : {}),
          ...this.#claimed.question(errand, { root, files: there, bounds }),
          own: (files) => {
            this.#claimed.saw(task, files);
            return bounds.own(files);
          },
          beside: () => bounds.beside(),
          forbidden: (files) => bounds.forbidden(files),
          held: (files) => bounds.held(files),
          guarded: (files) => bounds.guarded(files),
          request: {
            name: to,
            agent,
            role,
            task: task.id,
            prompt: withProtocol(errand.prompt, form),
            replySchema: replyForms[form].schema,
            access: errand.access,
            ...(task.scope ? { scope: writtenBy(task) } : {}),
            helpers: errand.helpers ?? 0,
            ...(errand.quoted ? { quoted: errand.quoted } : {}),
            root,
            cwd: resolve(root, task.cwd),
            env: errand.env,
            said: (line) => errand.said?.(line),
          },
        },
        {
          ...reach,
          record: (events) => this.#record(events),
          clock: ports.clock,
          signals,
          turns: this.#turns,
          ...sessions,
        },
      );
      const breach = await this.#gitEnd(git, task);
      return !breach || asked.kind === 'violated'
        ? asked
        : { kind: 'violated', ...breach, held: [], beside: bounds.beside() };
    } catch (error) {
      await this.#gitEnd(git, task);
      throw error;
    } finally {
      bounds.end();
    }
  }

  #record(events: readonly RecordedEvent[]): void {
    for (const event of events) if (event.type === 'agent-invoked') this.#calls.set(event.task, event.call);
    this.#tools.record(events);
  }

  /** Writes down that what an agent was asked for does not count, because of what was found after it. Once. */
  refuse(task: Task, violated: readonly string[], held: readonly string[] = []): void {
    if (!task.agent && !this.#calls.has(task.id)) return;
    const call = this.#calls.get(task.id) ?? '';
    const key = JSON.stringify([task.id, call, violated]);
    if (this.#refused === key) return;
    this.#refused = key;
    const detail = `it, or what it wrote, changed ${violated.join(', ')}, which may not be changed`;
    const study = held.length === 0 ? {} : { held };
    const failed = { call, task: task.id, detail, again: false, violated, ...study } as const;
    this.#tools.record([{ type: 'agent-validation-failed', ...failed }]);
  }

  async #gitEnd(git: GitWatch | undefined, task: Task): Promise<Breach | undefined> {
    const tell = foundFirst(task, this.#tools.record);
    const breach = await git?.end(tell);
    if (breach) tell(breach);
    return breach;
  }

  /** In a worktree nobody else is at work. */
  #claimsOn(task: Task): Claims {
    return task.isolation ? new Claims() : this.#tools.claims;
  }

  /**
   * Watches a whole attempt of an agent's task. What the agent wrote is run afterwards, as a test or as a script, and is
   * no more trusted than the agent itself.
   */
  async watchAttempt(task: Task, { undoes }: { readonly undoes: boolean }): Promise<AttemptWatch | undefined> {
    if (!task.agent) return undefined;
    const { places } = this.#tools;
    const reach = await this.#tools.reach();
    const { root } = (await places.of(task)).workspace;
    const { held, protect } = reach;
    const bounds = await boundsOf(task, { access: 'write', claims: this.#claimsOn(task), held, protect });
    const agent = task.agent.name;
    const watch = await reach.watchFiles(root, bounds.allowed, { task: task.id, agent, undoes });
    this.#watched.add(task.id);
    return {
      undo: () => watch.undo?.((files) => bounds.own(files)),
      end: () => {
        this.#watched.delete(task.id);
        bounds.end();
        const files = bounds.forbidden(watch.changed());
        if (files.length === 0) {
          watch.end?.();
          return undefined;
        }
        const about = { held: bounds.held(files), guarded: bounds.guarded(files), beside: bounds.beside() };
        this.refuse(task, files, about.held);
        const undone = watch.putBack(files);
        watch.end?.();
        return violation(agent, { files, ...about, ...undone });
      },
    };
  }

  /** The same for git, where branches lead and what its settings say. */
  async watchGit(task: Task): Promise<GitWatch | undefined> {
    return task.agent ? this.#gitWatch(task, task.agent.name) : undefined;
  }

  async #gitWatch({ id, isolation, scope }: Task, agent: string): Promise<GitWatch | undefined> {
    const { watchGit } = await this.#tools.reach();
    return watchGit?.({ task: id, agent, isApart: isolation !== undefined, isBound: scope !== undefined });
  }
}

export interface AttemptWatch {
  /** What went wrong; undefined when nothing did. */
  end(): Failure | undefined;
  /** Takes back what the attempt wrote where it may, if that was asked for: whoever broke the rules begins anew. */
  undo(): void;
}
