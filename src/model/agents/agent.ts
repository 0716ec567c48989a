import type { Agent } from '../generated/config.js';
import type { JsonObject } from '../json.js';
import type { SpendRole } from '../money/spend.js';

/** One question to one agent. */
export interface AgentRequest {
  /** The agent's name in the config, and what the config says of it. The backend is never `auto` here. */
  readonly name: string;
  readonly agent: Agent;
  readonly role: SpendRole;
  /** The task it is about. */
  readonly task: string;
  readonly prompt: string;
  /** Lines of the prompt that some program printed; they hold times and places that differ from run to run. */
  readonly quoted?: readonly string[];
  /** JSON Schema of the reply, for backends that can hand it on. Who asked checks the reply all the same. */
  readonly replySchema: JsonObject;
  /** `read`: to look and to answer. `write`: to change files. */
  readonly access: 'read' | 'write';
  /** Globs it may write, relative to `cwd`; absent: anything below `cwd`. */
  readonly scope?: readonly string[];
  /** How many helpers of its own it may start. */
  readonly helpers: number;
  /** It runs inside a sandbox of ours. */
  readonly fenced?: true;
  /** Absolute: the project as the agent sees it, which may be a worktree. */
  readonly root: string;
  /** Absolute: where the agent works, and where the files of this call go. */
  readonly cwd: string;
  readonly dir: string;
  /** Variables on top of what every command gets. */
  readonly env: { readonly [name: string]: string };
  /** The session to go on with; absent: a new one. */
  readonly session?: AgentSession;
  /** Tells a line to people while it works. */
  said(line: string): void;
}

/** A conversation that can be gone on with later, by another process too. */
export interface AgentSession {
  readonly id: string;
  /** What the session has used so far, where a backend only reports totals. */
  readonly tokens?: Tokens;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** What came back. Nothing is believed here: whether a reply fits is for who asked. */
export type AgentAnswer = AnswerFacts &
  (
    | {
        readonly ok: true;
        /** The last JSON object that the agent gave; undefined when there was none. */
        readonly reply: JsonObject | undefined;
      }
    | {
        readonly ok: false;
        readonly why: AgentTrouble;
        readonly detail: string;
        /** When a quota is full again, if the backend said so. Milliseconds since 1970. */
        readonly resetAt?: number;
      }
  );

/** What is known of a call however it ended. */
export interface AnswerFacts {
  readonly usd?: number;
  /** `usd` was worked out from tokens and the prices of the config: nobody reported it. */
  readonly isPriced?: true;
  readonly tokens?: Tokens;
  readonly session?: AgentSession;
  readonly turns?: number;
  /** The model that answered, where the backend tells. */
  readonly model?: string;
}

/** Why there is no answer. Told apart because what helps differs: install, log in, wait, ask for less. */
export type AgentTrouble =
  | 'not-installed'
  | 'not-logged-in'
  | 'quota'
  | 'overloaded'
  | 'refused'
  | 'max-turns'
  | 'timed-out'
  | 'idle'
  | 'over-cap'
  | 'looping'
  | 'too-many-files'
  | 'too-many-helpers'
  | 'session-lost'
  | 'no-recording'
  | 'crashed'
  | 'cancelled';

/** How a call is ended from outside. */
export interface CallSignals {
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
}

export interface Agents {
  ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer>;
}
