import type { AgentSession } from '../model/agents/agent.js';
import type { JournalEntry } from '../model/events/event.js';
import type { AgentMemory } from '../model/state/agent-memory.js';
import { sessionKey } from '../model/state/run-state.js';

type Entry<Type extends JournalEntry['type']> = Extract<JournalEntry, { type: Type }>;
type Begun = AgentMemory['open'] extends ReadonlyMap<string, infer One> ? One : never;

interface Remembering {
  readonly sessions: Map<string, AgentSession>;
  memory?: AgentMemory;
}

interface OpenMemory extends AgentMemory {
  readonly calls: Map<string, AgentMemory['calls'] extends ReadonlyMap<string, infer Calls> ? Calls : never>;
  readonly lost: Map<string, string>;
  readonly open: Map<string, Begun>;
  readonly replaced: AgentMemory['replaced'][number][];
}

/** The call has begun: what it is about can be looked up later. */
export function noteCall(
  state: Remembering,
  { call, task, agent, attempt, folder, replaces }: Entry<'agent-invoked'>,
): void {
  const memory = memoryOf(state);
  const where = folder === undefined ? {} : { folder };
  memory.open.set(call, { task, attempt, ...where, ...(replaces ? { replaces } : {}) });
  if (replaces) memory.replaced.push({ ...replaces, agent, task });
}

/** The session that a call has left, for who asks the same agent next. */
export function keepSession(state: Remembering, entry: Entry<'agent-completed' | 'agent-failed'>): void {
  const { agent, task, call, session } = entry;
  const { sessions } = state;
  const memory = memoryOf(state);
  const begun = memory.open.get(call);
  memory.open.delete(call);
  if (agent === undefined) return;
  // What could not be found again is not looked for twice.
  const isLost = entry.type === 'agent-failed' && entry.why === 'session-lost';
  for (const key of [sessionKey(agent), sessionKey(agent, task)]) {
    const before = sessions.get(key);
    if (isLost && before) memory.lost.set(key, before.id);
    if (isLost) sessions.delete(key);
    else if (session) {
      sessions.set(key, session);
      memory.lost.delete(key);
    }
  }
  if (session && entry.type === 'agent-completed' && begun) remember(memory, session.id, begun);
}

function remember({ calls }: OpenMemory, session: string, { replaces, ...call }: Begun): void {
  const earlier = calls.get(session) ?? (replaces ? calls.get(replaces.session) : undefined) ?? [];
  calls.set(session, [...earlier, call]);
}

function memoryOf(state: Remembering): OpenMemory {
  state.memory ??= { calls: new Map(), lost: new Map(), open: new Map(), replaced: [] } satisfies OpenMemory;
  return state.memory as OpenMemory;
}
