import type { AgentInvoked, SessionReplaced } from '../events/agent-event.js';
import type { TaskId } from '../plan.js';

/** What agents that keep sessions have been asked in a run, so that one whose session is gone can be told. */
export interface AgentMemory {
  /** By the id of the session, in order; with those of the sessions that it took the place of. */
  readonly calls: ReadonlyMap<string, readonly RememberedCall[]>;
  /** Sessions that are gone and that no new one has taken the place of yet, by `sessionKey`. */
  readonly lost: ReadonlyMap<string, string>;
  /** Calls that have begun and not ended, by their id. */
  readonly open: ReadonlyMap<string, RememberedCall & Pick<AgentInvoked, 'replaces'>>;
  /** New sessions that took the place of lost ones, in order. */
  readonly replaced: readonly (SessionReplaced & { readonly agent: string; readonly task: TaskId })[];
}

/** A call whose words can be looked up, where there is a folder. */
export interface RememberedCall {
  readonly task: TaskId;
  readonly attempt: number;
  readonly folder?: string;
}
